/** Foreign content as blocks: texts, commands, diffs. What is in them is text and nothing else. */

import { attribute, h, nodes, span } from "../dom.js";
import { partsOf } from "../shell.js";
import { calm, exact } from "../text.js";

/** In a text with more arguments the rest may break anywhere: an element for each would be slow to draw. */
const argumentsMax = 4_000;
/** A shorter word of plain letters breaks nowhere by itself. */
const plainWord = /^[\w.,:=]{1,16}$/;

/**
 * Text in its own monospaced box.
 * @param {string} text
 * @param {{name: string, reading?: typeof exact, scrolls?: boolean}} options `scrolls`: the box has its own scroll area.
 */
export function textBlock(text, { name, reading = calm, scrolls = true }) {
  const kind = reading === exact ? "block foreign exact" : "block foreign";
  const block = h("pre", { class: kind, role: "group", "aria-label": name }, nodes(reading(text)));
  if (scrolls) reachable(block, name);
  return block;
}

/**
 * A scroll area that the keyboard can reach.
 * @param {HTMLElement} block @param {string} name
 */
export function reachable(block, name) {
  attribute(block, "tabindex", "0");
  attribute(block, "role", "group");
  attribute(block, "aria-label", name);
  return block;
}

/**
 * A diff, each line with its sign, and with its number where that is known.
 * @param {import("../diff.js").Line[]} lines
 * @param {{name: string, scrolls?: boolean}} options
 */
export function diffBlock(lines, { name, scrolls = true }) {
  const last = Math.max(0, ...lines.slice(-100).map(({ number }) => number ?? 0));
  const kind = `block diff foreign exact${last ? " numbered" : ""}`;
  const block = h("pre", { class: kind, role: "group", "aria-label": name, "data-digits": last ? String(last).length : null });
  // One by one: a call takes only so many arguments.
  for (const { sign, text, number } of lines) {
    block.append(h("span", { class: "diff-line", "data-sign": sign, "data-line": number ?? null },
      span("sign", sign === "@" ? "·" : sign), h("span", { class: "exact" }, nodes(exact(text)), "\n")));
  }
  if (scrolls) reachable(block, name);
  return block;
}

/**
 * Exact text in which no line ends inside an argument. One that is longer than a line goes on below, where a bar precedes it.
 * @param {string} text
 */
export function argumentNodes(text) {
  const fragment = document.createDocumentFragment();
  let made = 0;
  for (const part of partsOf(text)) {
    const pieces = nodes(exact(part.text));
    const isAtom = part.isArgument && !plainWord.test(part.text) && (made += 1) <= argumentsMax;
    fragment.append(isAtom ? span(part.text.length > 2 ? "argument" : "brief", pieces) : pieces);
  }
  return fragment;
}

/**
 * A command, whole, without a scroll area of its own.
 * @param {string} text @param {string} name
 */
export const commandBlock = (text, name) =>
  h("pre", { class: "block foreign exact", role: "group", "aria-label": name }, argumentNodes(text));
