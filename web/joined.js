/**
 * Unified diffs of one file, one after the other, as the one diff that they make together. Pure.
 *
 * Nothing here has the file: of it only the lines that are in the diffs are known. Where two diffs disagree about a line that both have, or one of
 * them is not whole, they are not joined, and the caller shows them in their order.
 */

import { middle } from "./diff.js";
import { t } from "./language.js";

/** @typedef {import("./diff.js").Line} Line */
/** @typedef {{sign: "+"|"-"|" ", text: string, isOpen: boolean}} Entry `isOpen`: the file ends in it, without a line end. */
/** @typedef {{old: number, next: number, lines: Entry[]}} Hunk The numbers of the lines that it begins with, before and after, from 1. */

/** Kept lines around what changed, as hosts give them. */
const contextLines = 3;
/** Lines of one file's diff that are joined with more. What goes on beyond that begins another diff. */
export const joinedLinesMax = 20_000;

/**
 * @param {string} text A unified diff, or the added lines alone of a new file.
 * @returns {Hunk[]|null} Nothing where it is not whole, or does not say where it belongs.
 */
export function hunksOf(text) {
  /** @type {Hunk[]} */
  const hunks = [];
  const rows = text.replace(/\n$/, "").split("\n");
  let [oldLeft, nextLeft] = [0, 0];
  for (const row of rows) {
    const hunk = hunks.at(-1);
    if (oldLeft > 0 || nextLeft > 0) {
      const sign = row[0];
      if (sign !== "+" && sign !== "-" && sign !== " " && row.startsWith("\\")) {
        if (!close(hunk)) return null;
        continue;
      }
      if ((sign !== "+" && sign !== "-" && sign !== " ") || !hunk) return null;
      if (sign !== "+") oldLeft -= 1;
      if (sign !== "-") nextLeft -= 1;
      if (oldLeft < 0 || nextLeft < 0) return null;
      hunk.lines.push({ sign, text: row.slice(1), isOpen: false });
      continue;
    }
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(row);
    if (head) {
      const [old, oldCount, next, nextCount] = [1, 2, 3, 4].map((at) => Number(head[at] ?? 1));
      [oldLeft, nextLeft] = [oldCount, nextCount];
      hunks.push({ old: beginning(old, oldCount), next: beginning(next, nextCount), lines: [] });
    } else if (row.startsWith("\\") && hunk) {
      if (!close(hunk)) return null;
    } else if (hunk || !/^(--- |\+\+\+ |diff |index )/.test(row)) {
      return null;
    }
  }
  return oldLeft || nextLeft || !hunks.length ? null : hunks;
}

/** @param {Hunk|undefined} hunk Its last line has no end. */
function close(hunk) {
  const last = hunk?.lines.at(-1);
  if (!last) return false;
  last.isOpen = true;
  return true;
}

/**
 * Number of a hunk's first line. If the hunk has no lines, its header names the line before; in an empty file some programs write 1.
 * @param {number} start @param {number} count
 */
const beginning = (start, count) => (count === 0 ? (start <= 1 ? 1 : start + 1) : start);

/**
 * The lines of a new file as its diff.
 * @param {string} text Lines that all begin with a plus.
 * @returns {Hunk[]|null}
 */
export function hunksOfNew(text) {
  const rows = text.replace(/\n$/, "").split("\n");
  return hunksOf([`@@ -0,0 +1,${rows.filter((row) => row.startsWith("+")).length} @@`, ...rows].join("\n"));
}

/** @param {Hunk[]} hunks */
const lengthOf = (hunks) => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/** @param {Hunk} hunk @param {"+"|"-"} sign Lines that the other side does not have. */
const without = ({ lines }, sign) => lines.reduce((sum, line) => sum + (line.sign === sign ? 0 : 1), 0);

/**
 * The combined effect of `first` and then `second`.
 * @param {Hunk[]} first @param {Hunk[]} second
 * @returns {Hunk[]|null} Nothing where they contradict each other, or are too long together. Empty where nothing is left of both.
 */
export function joined(first, second) {
  if (lengthOf(first) + lengthOf(second) > joinedLinesMax) return null;
  // By the numbers of the lines between the two: what the first left, and what the second found.
  const [left, found] = [new Between(), new Between()];
  for (const hunk of first) left.add(hunk, hunk.next, "+", "-");
  for (const hunk of second) found.add(hunk, hunk.old, "-", "+");
  const spans = [
    ...first.map((hunk) => ({ from: hunk.next, to: hunk.next + without(hunk, "-") })), ...second.map((hunk) => ({ from: hunk.old, to: hunk.old + without(hunk, "+") })),
  ].sort((a, b) => a.from - b.from || a.to - b.to);
  /** @type {{from: number, to: number}[]} */
  const wider = [];
  for (const span of spans) {
    const last = wider.at(-1);
    if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else wider.push({ ...span });
  }
  /** @type {Hunk[]} */
  const result = [];
  for (const { from, to } of wider) {
    /** @type {Entry[]} */
    const lines = [];
    for (let at = from; at <= to; at += 1) {
      lines.push(...left.beside(at), ...found.beside(at));
      if (at === to) break;
      const [before, after] = [left.at(at), found.at(at)];
      if (before && after && (before.text !== after.text || before.isOpen !== after.isOpen)) return null;
      const [isNew, goes] = [before?.sign === "+", after?.sign === "-"];
      const { text, isOpen } = /** @type {Entry} */ (before ?? after);
      if (isNew && goes) continue;
      lines.push({ sign: isNew ? "+" : goes ? "-" : " ", text, isOpen });
    }
    result.push(...trimmed({ old: from - shift(first, from, "next"), next: from + shift(second, from, "old"), lines: shortest(lines) }));
  }
  return result;
}

/** Lines by their number between two diffs. */
class Between {
  /** @type {Map<number, Entry>} */ #lines = new Map();
  /** @type {Map<number, Entry[]>} */ #beside = new Map();

  /**
   * @param {Hunk} hunk @param {number} start @param {"+"|"-"} own The sign of lines that are between but not on the far side.
   * @param {"+"|"-"} foreign The sign of those that are not between.
   */
  add({ lines }, start, own, foreign) {
    let at = start;
    for (const line of lines) {
      if (line.sign === foreign) {
        const beside = this.#beside.get(at);
        if (beside) beside.push(line);
        else this.#beside.set(at, [line]);
      } else {
        this.#lines.set(at, line.sign === own ? line : { ...line, sign: " " });
        at += 1;
      }
    }
  }

  /** @param {number} at */
  at = (at) => this.#lines.get(at);
  /** @param {number} at Those that come before that line, and not between. */
  beside = (at) => this.#beside.get(at) ?? [];
}

/**
 * How many lines longer the file got before that line.
 * @param {Hunk[]} hunks @param {number} at @param {"old"|"next"} side On which the line's number is.
 */
const shift = (hunks, at, side) =>
  hunks.reduce((sum, hunk) => (hunk[side] < at ? sum + without(hunk, "-") - without(hunk, "+") : sum), 0);

/**
 * Keeps lines that go and come back.
 * @param {Entry[]} lines
 * @returns {Entry[]}
 */
function shortest(lines) {
  /** @type {Entry[]} */
  const result = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at].sign === " ") {
      result.push(lines[at]);
      at += 1;
      continue;
    }
    let end = at;
    while (end < lines.length && lines[end].sign !== " ") end += 1;
    const run = lines.slice(at, end);
    const [gone, come] = /** @type {const} */ (["-", "+"]).map((sign) => run.filter((line) => line.sign === sign).map(marked));
    result.push(...middle(gone, come).map(({ sign, text }) =>
      ({ sign: /** @type {Entry["sign"]} */ (sign), text: text.slice(0, -1), isOpen: text.endsWith("\\") })));
    at = end;
  }
  return result;
}

/** @param {Entry} line With its end, by which lines differ too. */
const marked = ({ text, isOpen }) => `${text}${isOpen ? "\\" : "\n"}`;

/**
 * Only what is near a change stays, in a hunk for each place.
 * @param {Hunk} hunk @returns {Hunk[]}
 */
function trimmed({ old, next, lines }) {
  /** @type {Hunk[]} */
  const hunks = [];
  const changes = lines.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  let end = 0;
  let [oldAt, nextAt, counted] = [old, next, 0];
  for (const at of changes) {
    const [from, to] = [Math.max(0, at - contextLines), Math.min(lines.length, at + contextLines + 1)];
    const last = hunks.at(-1);
    if (last && from <= end) {
      last.lines.push(...lines.slice(end, Math.max(end, to)));
    } else {
      for (const { sign } of lines.slice(counted, from)) {
        if (sign !== "+") oldAt += 1;
        if (sign !== "-") nextAt += 1;
      }
      counted = from;
      hunks.push({ old: oldAt, next: nextAt, lines: lines.slice(from, to) });
    }
    end = Math.max(end, to);
  }
  return hunks;
}

/**
 * As they are shown.
 * @param {Hunk[]} hunks
 * @returns {Line[]}
 */
export function linesOfHunks(hunks) {
  /** @type {Line[]} */
  const result = [];
  for (const { old, next, lines } of hunks) {
    let [oldAt, nextAt] = [old, next];
    if (hunks.length > 1 || next > 1) result.push({ sign: "@", text: t`from line ${next}` });
    for (const { sign, text, isOpen } of lines) {
      result.push({ sign, text, number: sign === "-" ? oldAt : nextAt });
      if (sign !== "+") oldAt += 1;
      if (sign !== "-") nextAt += 1;
      if (isOpen) result.push({ sign: "@", text: t`no line end at the end` });
    }
  }
  return result;
}
