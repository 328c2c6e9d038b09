/** The rows that an agent has forgotten because its conversation was rewound. Pure. */

import { asText } from "./dom.js";

/** @typedef {import("./timeline.js").Row} Row */

/** Kinds of events that a rewind takes back; others, such as a crossed budget, stay. */
const takenBack = new Set([
  "message", "tool.started", "tool.finished", "file.changed", "approval.requested", "subagent.started", "subagent.finished", "steering.requested", "rewound",
]);

/** The mark with which a host ends a shortened text. */
const cut = "… ⟨cut⟩";

/**
 * The rows that each rewind takes back: from the prompt after the one that it names, or from the very first prompt if it names none. A rewind to a prompt that is not loaded takes back nothing, because its target is unknown.
 * @param {Row[]} rows In the order of the log.
 * @returns {Map<Row, Row[]>} Forgotten rows by the rewind's row.
 */
export function forgottenRows(rows) {
  /** @type {Map<Row, Row[]>} */
  const found = new Map();
  if (!rows.some(isRewinding)) return found;
  /** @type {Set<Row>} */
  const gone = new Set();
  rows.forEach((row, end) => {
    if (!isRewinding(row)) return;
    const prompts = rows.slice(0, end).filter((one) => isPrompt(one) && !gone.has(one));
    const name = asText(row.event.body?.text);
    const kept = name ? prompts.map((one) => isNamed(one, name)).lastIndexOf(true) : -1;
    const first = name && kept < 0 ? undefined : prompts[kept + 1];
    if (!first) return;
    const forgotten = rows.slice(rows.indexOf(first), end).filter((one) => !gone.has(one) && takenBack.has(one.event.kind) && !isOpen(one));
    for (const one of forgotten) gone.add(one);
    found.set(row, forgotten);
  });
  return found;
}

/** @param {Row[]} rows The forgotten rows of a rewind. */
export const messagesIn = (rows) => rows.filter(({ event }) => event.kind === "message").length;

/** @param {Row} row */
const isRewinding = ({ event }) => event.kind === "rewound";

/** @param {Row} row */
const isPrompt = ({ event: { kind, head } }) => kind === "message" && head.role === "user" && !head.agent;

/**
 * True for rows that wait or still run, which stay visible.
 * @param {Row} row
 */
function isOpen({ event, end, isCut, change, said, subagent }) {
  if (subagent?.state === "running") return true;
  if (event.kind === "tool.started") return !end && !isCut;
  if (event.kind === "approval.requested") return !end || ["approval.decided", "approval.delivered"].includes(end.kind);
  return event.kind === "steering.requested" && !said && !change;
}

/** @param {Row} row @param {string} name The first line of a prompt, perhaps shortened. */
function isNamed({ event: { head, body } }, name) {
  const words = firstLine(asText(body?.text ?? head.summary));
  return name.endsWith(cut) ? words.startsWith(name.slice(0, -cut.length)) : words === name;
}

/**
 * Shortens a text to its first non-blank line, as hosts do.
 * @param {string} text
 */
const firstLine = (text) => text.trimStart().split(/[\n\v\f\r\u0085\u2028\u2029]/, 1)[0].replace(/[\u0000-\u001f\u007f]/g, "").trim();
