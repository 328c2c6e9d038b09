/** Blocks of foreign content: texts, commands, diffs. Their content only ever becomes text nodes. */

import { changedWords, replaced } from "../diff.js";
import { attribute, h, icon, nodes, span } from "../dom.js";
import { count } from "../format.js";
import { plural, t } from "../language.js";
import { outlineOf } from "../outline.js";
import { partsOf } from "../shell.js";
import { partsOfCode } from "../syntax.js";
import { calm, exact, ordered } from "../text.js";

/** Arguments kept unbroken in a command; the rest may wrap anywhere, because an element for each would be slow to draw. */
const argumentsMax = 4_000;
/** Short plain words, which browsers never break and which therefore need no element of their own. */
const plainWord = /^[\w.,:=]{1,16}$/;

/**
 * A monospaced box of text.
 * @param {string} text
 * @param {{name: string, reading?: typeof exact, scrolls?: boolean}} options `scrolls`: the box scrolls by itself.
 */
export function textBlock(text, { name, reading = calm, scrolls = true }) {
  const kind = reading === exact ? "block foreign exact" : "block foreign";
  const block = h("pre", { class: kind, role: "group", "aria-label": name }, nodes(reading(text)));
  if (scrolls) reachable(block, name);
  return block;
}

/**
 * Makes a scrolling box focusable, so that the keyboard can scroll it.
 * @param {HTMLElement} block @param {string} name
 */
export function reachable(block, name) {
  attribute(block, "tabindex", "0");
  attribute(block, "role", "group");
  attribute(block, "aria-label", name);
  return block;
}

/** Time for which the copy button shows that it copied. */
const copiedMs = 2_000;

/**
 * A button that copies the text unchanged; null if the browser does not let pages copy.
 * @param {string} text @returns {HTMLButtonElement|null}
 */
export function copyButton(text) {
  if (!navigator.clipboard) return null;
  const words = span("unseen", t`Copy`);
  const button = h("button", { type: "button", class: "copy", onclick: async () => {
    const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
    words.textContent = done ? t`Copied` : t`It could not be copied`;
    button.replaceChildren(icon(done ? "check" : "cross"), words);
    setTimeout(() => {
      words.textContent = t`Copy`;
      button.replaceChildren(icon("copy"), words);
    }, copiedMs);
  } }, icon("copy"), words);
  return button;
}

/**
 * Nodes for code coloured by its language. Approvals show their text without colours.
 * @param {string} text @param {string} language
 */
export function codeNodes(text, language) {
  const fragment = document.createDocumentFragment();
  for (const part of partsOfCode(text, language)) fragment.append(part.kind ? h("span", { class: `code-${part.kind}` }, nodes(calm(part.text))) : nodes(calm(part.text)));
  return fragment;
}

/**
 * A file's path. Screen readers read it in its order; the style sheet shows the name first, because it tells files apart.
 * @param {string} path
 */
export function pathNodes(path) {
  const at = path.lastIndexOf("/", path.length - 2) + 1;
  return [span("path-folder", nodes(ordered(path.slice(0, at)))), span("path-name", nodes(ordered(path.slice(at))))];
}

/**
 * The numbers of added and removed lines: as signs on screen, as words for screen readers.
 * @param {number} added @param {number} removed
 */
export const lineCounts = (added, removed) => h("span", {},
  h("span", { "aria-hidden": "true" }, span("added", `+${count(added)}`), " ", span("removed", `−${count(removed)}`)),
  span("unseen", t`${plural(added, "line")} added, ${removed} removed`));

/** Words for the sign of a diff's line, for screen readers. */
const signWords = /** @type {Record<string, string>} */ ({ "+": t`added`, "-": t`removed` });

/**
 * A tool's output. A long output shows its beginning, its errors and its end, and the rest on demand.
 * @param {string} text @param {string} name
 */
export function outputBlock(text, name) {
  const block = reachable(h("pre", { class: "block foreign" }), name);
  outlineOf(text).forEach((part, index, { length }) => {
    const own = nodes(calm(index < length - 1 ? `${part.text}\n` : part.text));
    if (!part.isFolded) return block.append(own);
    const more = h("button", { type: "button", class: "more-lines", onclick: () => {
      more.replaceWith(own);
      block.focus({ preventScroll: true });
    } }, t`${part.lines} lines more`);
    return block.append(more);
  });
  return h("div", { class: "copied" }, block, copyButton(text));
}

/**
 * A diff with a sign for each line, and with line numbers if they are known.
 * @param {import("../diff.js").Line[]} lines
 * @param {{name: string, scrolls?: boolean, words?: boolean}} options `words`: marks the changed words of a line; off in approvals.
 */
export function diffBlock(lines, { name, scrolls = true, words = false }) {
  const last = Math.max(0, ...lines.slice(-100).map(({ number }) => number ?? 0));
  const kind = `block diff foreign exact${last ? " numbered" : ""}`;
  const block = h("pre", { class: kind, role: "group", "aria-label": name, "data-digits": last ? String(last).length : null });
  const marks = words ? marksOf(lines) : new Map();
  // Nodes are appended one by one, because a call takes a limited number of arguments.
  for (const one of lines) {
    const { sign, text, number } = one;
    const pieces = marked(text, marks.get(one) ?? []);
    block.append(h("span", { class: "diff-line", "data-sign": sign, "data-line": number ?? null },
      h("span", { class: "sign", role: signWords[sign] && "img", "aria-label": signWords[sign] }, sign === "@" ? "·" : sign), h("span", { class: "exact" }, ...pieces, "\n")));
  }
  if (scrolls) reachable(block, name);
  return block;
}

/**
 * The changed ranges of each line that replaced another.
 * @param {import("../diff.js").Line[]} lines
 * @returns {Map<import("../diff.js").Line, import("../diff.js").Ranges>}
 */
function marksOf(lines) {
  /** @type {Map<import("../diff.js").Line, import("../diff.js").Ranges>} */
  const marks = new Map();
  for (const [before, after] of replaced(lines)) {
    const words = changedWords(before.text, after.text);
    if (words) marks.set(before, words.before).set(after, words.after);
  }
  return marks;
}

/** @param {string} text @param {import("../diff.js").Ranges} ranges */
function marked(text, ranges) {
  let at = 0;
  const pieces = ranges.flatMap(([from, to]) => {
    const both = [nodes(exact(text.slice(at, from))), h("span", { class: "changed" }, nodes(exact(text.slice(from, to))))];
    at = to;
    return both;
  });
  return [...pieces, nodes(exact(text.slice(at)))];
}

/**
 * Exact text of a command in which lines wrap between arguments only. An argument longer than a line continues below, after a bar.
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
 * A command in full, without a scrolling box.
 * @param {string} text @param {string} name
 */
export const commandBlock = (text, name) =>
  h("pre", { class: "block foreign exact", role: "group", "aria-label": name }, argumentNodes(text));
