/**
 * Joins consecutive unified diffs of one file into one. Pure.
 *
 * The file itself is not available: only the lines in the diffs are known. If two diffs contradict each other about a line, or one of
 * them is incomplete, they are not joined, and the caller shows them one after the other.
 */

import { middle } from "./diff.js";
import { t } from "./language.js";

/** @typedef {import("./diff.js").Line} Line */
/** @typedef {{sign: "+"|"-"|" ", text: string, isOpen: boolean}} Entry `isOpen`: the last line of the file, without a final line feed. */
/** @typedef {{old: number, next: number, lines: Entry[]}} Hunk `old` and `next`: the first line's number in the old and in the new file, from 1. */

/** Unchanged lines around a change; the number that hosts send. */
const contextLines = 3;
/** Maximum number of lines of a joined diff; an edit beyond that starts another diff. */
export const joinedLinesMax = 20_000;

/**
 * @param {string} text A unified diff, or the added lines alone of a new file.
 * @returns {Hunk[]|null} Null if it is incomplete or has no line numbers.
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

/**
 * Marks a hunk's last line as having no final line feed.
 * @param {Hunk|undefined} hunk
 */
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
 * The hunks of a new file.
 * @param {string} text Its lines, each with a leading plus.
 * @returns {Hunk[]|null}
 */
export function hunksOfNew(text) {
  const rows = text.replace(/\n$/, "").split("\n");
  return hunksOf([`@@ -0,0 +1,${rows.filter((row) => row.startsWith("+")).length} @@`, ...rows].join("\n"));
}

/** @param {Hunk[]} hunks */
const lengthOf = (hunks) => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

/**
 * The number of a hunk's lines on one side, which lacks the lines with `sign`.
 * @param {Hunk} hunk @param {"+"|"-"} sign
 */
const without = ({ lines }, sign) => lines.reduce((sum, line) => sum + (line.sign === sign ? 0 : 1), 0);

/**
 * The combined effect of `first` and then `second`.
 * @param {Hunk[]} first @param {Hunk[]} second
 * @returns {Hunk[]|null} Null if they contradict each other or are too long together; empty if the second undoes the first.
 */
export function joined(first, second) {
  if (lengthOf(first) + lengthOf(second) > joinedLinesMax) return null;
  // The file's state between the two diffs: the lines that the first left, and the lines that the second expects.
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

/** The known lines between two diffs, by line number. */
class Between {
  /** @type {Map<number, Entry>} */ #lines = new Map();
  /** @type {Map<number, Entry[]>} */ #beside = new Map();

  /**
   * @param {Hunk} hunk @param {number} start @param {"+"|"-"} own The sign of lines that exist between the diffs but not on the hunk's other side.
   * @param {"+"|"-"} foreign The sign of lines that do not exist between the diffs.
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
  /**
   * Lines before line `at` that exist only on the far side of the added diff.
   * @param {number} at
   */
  beside = (at) => this.#beside.get(at) ?? [];
}

/**
 * The number of lines that the hunks add before a line.
 * @param {Hunk[]} hunks @param {number} at @param {"old"|"next"} side The side that the line number refers to.
 */
const shift = (hunks, at, side) =>
  hunks.reduce((sum, hunk) => (hunk[side] < at ? sum + without(hunk, "-") - without(hunk, "+") : sum), 0);

/**
 * Turns lines that are removed and added again into unchanged ones.
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

/**
 * A line with its ending, because a missing final line feed is a difference.
 * @param {Entry} line
 */
const marked = ({ text, isOpen }) => `${text}${isOpen ? "\\" : "\n"}`;

/**
 * Splits a hunk so that only lines near a change remain.
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
 * The lines of hunks for display, with a header line before each hunk.
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
