/** Finds words in a session's rows. Pure. */

import { asText } from "./dom.js";

/** @typedef {import("./timeline.js").Row} Row */

/** Characters of a row that are searched: a tool's output may have megabytes. */
const charactersMax = 200_000;

/**
 * A row's full text, including folded parts.
 * @param {Row} row
 */
export function wordsIn({ event, end }) {
  const { head, body } = event;
  return [head.tool, head.operation, head.title, head.path, head.summary, head.message, body?.text, body?.input, body?.diff, end?.head.summary, end?.body?.output]
    .filter((part) => part !== undefined && part !== null).map(asText).join("\n").slice(0, charactersMax).toLowerCase();
}

/** @type {WeakMap<Row, {version: number, text: string}>} */
const read = new WeakMap();

/**
 * The keys of the rows that contain all words, in the order of the log.
 * @param {Row[]} rows @param {string} text @returns {string[]}
 */
export function rowsWith(rows, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  return rows.filter((row) => {
    let known = read.get(row);
    if (known?.version !== row.version) read.set(row, (known = { version: row.version, text: wordsIn(row) }));
    return words.every((word) => known?.text.includes(word));
  }).map(({ key }) => key);
}
