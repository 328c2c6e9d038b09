/** Unified diffs, computed from two texts or parsed from a host's text. Pure. */

import { t } from "./language.js";

/**
 * A line that is added, removed, kept, or about the diff itself (`@`). `number` is the line number if known; for a removed line it is that of the old file.
 * @typedef {{sign: "+"|"-"|" "|"@", text: string, number?: number}} Line
 */

/** Maximum number of line pairs that a phone compares in time; above this the changed middle is shown whole, old before new. */
const pairsMax = 1_000_000;

/**
 * Splits at line feeds only: other line separators stay inside their line, where they are shown as tokens.
 * @param {string} text @returns {string[]}
 */
const linesOf = (text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/**
 * The difference of two texts with all unchanged lines.
 * @param {string} before @param {string} after
 * @returns {Line[]}
 */
export function difference(before, after) {
  const [old, next] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < next.length && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < next.length - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1;

  /** @type {Line[]} */
  const lines = [
    ...old.slice(0, head).map(kept),
    ...middle(old.slice(head, old.length - tail), next.slice(head, next.length - tail)),
    ...old.slice(old.length - tail).map(kept),
  ];
  const end = aboutEnd(before, after);
  return end ? [...lines, line("@", end)] : lines;
}

/**
 * A line that says which text has no final line feed; none if both have one.
 * @param {string} before @param {string} after
 */
function aboutEnd(before, after) {
  if (before === "" && after === "") return "empty";
  const [old, next] = [before, after].map((text) => text.endsWith("\n"));
  if (before !== "" && after !== "" && old !== next) return next ? t`a line end is added at the end` : t`the line end at the end is removed`;
  return old || next ? "" : t`no line end at the end`;
}

/** @param {string} text @returns {Line} */
const kept = (text) => ({ sign: " ", text });

/**
 * Longest common subsequence by dynamic programming: inputs are short, and the result is minimal.
 * @param {string[]} old @param {string[]} next
 * @returns {Line[]}
 */
export function middle(old, next) {
  if (old.length * next.length > pairsMax || !old.length || !next.length) {
    return [...old.map((text) => line("-", text)), ...next.map((text) => line("+", text))];
  }
  const width = next.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = old[i] === next[j]
        ? common[(i + 1) * width + j + 1] + 1
        : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < next.length) {
    if (i < old.length && j < next.length && old[i] === next[j]) {
      lines.push(kept(old[i]));
      [i, j] = [i + 1, j + 1];
    } else if (i < old.length && (j === next.length || common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push(line("-", old[i]));
      i += 1;
    } else {
      lines.push(line("+", next[j]));
      j += 1;
    }
  }
  return lines;
}

/** @param {Line["sign"]} sign @param {string} text @returns {Line} */
const line = (sign, text) => ({ sign, text });

/**
 * The lines of a unified diff. Lines of other kinds are shown unchanged. Within the line counts of a hunk's header only the first character decides, because a removed line can look like a file header.
 * @param {string} text
 * @returns {Line[]}
 */
export function parsed(text) {
  let [old, next, oldLeft, nextLeft] = [0, 0, 0, 0];
  return linesOf(text).map((row) => {
    const sign = row[0];
    const isInside = oldLeft > 0 || nextLeft > 0;
    if (isInside && (sign === "+" || sign === "-" || sign === " ")) {
      const number = sign === "-" ? old : next;
      if (sign !== "+") [old, oldLeft] = [old + 1, oldLeft - 1];
      if (sign !== "-") [next, nextLeft] = [next + 1, nextLeft - 1];
      return { sign, text: row.slice(1), number };
    }
    const hunk = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/.exec(row);
    if (hunk) {
      [old, oldLeft, next, nextLeft] = hunk.slice(1).map(Number);
      return line("@", t`from line ${next}`);
    }
    if (/^(\+\+\+ |--- |@@|diff |index |\\ )/.test(row)) return line("@", row);
    if (sign === "+" || sign === "-" || sign === " ") return line(sign, row.slice(1));
    return line("@", row);
  });
}

/** @param {Line[]} lines @returns {{added: number, removed: number}} */
export const counts = (lines) => ({
  added: lines.filter(({ sign }) => sign === "+").length,
  removed: lines.filter(({ sign }) => sign === "-").length,
});

/** The smallest unchanged share of a line at which its changed words are marked. */
const keptShareMin = 0.3;
/** Words of a line above which the comparison would be too slow. */
const wordsMax = 400;

/** @typedef {[from: number, to: number][]} Ranges */

/**
 * Splits text into words, blanks, and single other characters.
 * @param {string} text
 */
const wordsOf = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];

/**
 * The ranges of whole words in which two versions of a line differ; null if they have little in common.
 * @param {string} before @param {string} after
 * @returns {{before: Ranges, after: Ranges}|null}
 */
export function changedWords(before, after) {
  const [old, next] = [wordsOf(before), wordsOf(after)];
  if (Math.max(old.length, next.length) > wordsMax) return null;
  /** @type {Record<"-"|"+", Ranges>} */
  const ranges = { "-": [], "+": [] };
  const at = { "-": 0, "+": 0 };
  let same = 0;
  for (const { sign, text } of middle(old, next)) {
    if (sign === "-" || sign === "+") {
      const last = ranges[sign].at(-1);
      if (last?.[1] === at[sign]) last[1] += text.length;
      else ranges[sign].push([at[sign], at[sign] + text.length]);
      at[sign] += text.length;
    } else {
      if (text.trim()) same += text.length;
      at["-"] += text.length;
      at["+"] += text.length;
    }
  }
  return same < Math.min(before.trim().length, after.trim().length) * keptShareMin ? null : { before: ranges["-"], after: ranges["+"] };
}

/** Limit of removed lines times added lines in one place; above it, lines are paired in their order, and only if they are equally many. */
const linePairsMax = 10_000;

/** @typedef {{counts: Map<string, number>, length: number}} Words How often each word stands in a line, and the length of all. */

/** @param {string} text @returns {Words} */
function wordsIn(text) {
  const words = text.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const counts = new Map();
  for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1);
  return { counts, length: words.join("").length };
}

/**
 * The share of two lines' words that both have; 0 if it is small.
 * @param {Words} one @param {Words} other
 */
function likeness(one, other) {
  const same = [...one.counts].reduce((sum, [word, times]) => sum + word.length * Math.min(times, other.counts.get(word) ?? 0), 0);
  return same === 0 || same < Math.min(one.length, other.length) * keptShareMin ? 0 : (2 * same) / (one.length + other.length);
}

/**
 * Pairs lines, in their order, so that the pairs have most words in common.
 * @param {Line[]} old @param {Line[]} next @returns {[Line, Line][]}
 */
function paired(old, next) {
  if (!old.length || !next.length) return [];
  if (old.length * next.length > linePairsMax) return old.length === next.length ? old.map((line, index) => [line, next[index]]) : [];
  const [before, after] = [old, next].map((lines) => lines.map(({ text }) => wordsIn(text)));
  const alike = before.map((one) => after.map((other) => likeness(one, other)));
  const best = Array.from({ length: old.length + 1 }, () => new Float64Array(next.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      best[i][j] = Math.max(best[i + 1][j], best[i][j + 1], alike[i][j] && alike[i][j] + best[i + 1][j + 1]);
    }
  }
  /** @type {[Line, Line][]} */
  const pairs = [];
  for (let [i, j] = [0, 0]; i < old.length && j < next.length;) {
    if (best[i][j] === best[i + 1][j]) i += 1;
    else if (best[i][j] === best[i][j + 1]) j += 1;
    else pairs.push([old[i++], next[j++]]);
  }
  return pairs;
}

/**
 * Pairs each removed line with the adjacent line that replaced it.
 * @param {Line[]} lines @returns {Map<Line, Line>}
 */
export function replaced(lines) {
  /** @type {[Line, Line][]} */
  const pairs = [];
  for (let at = 0; at < lines.length;) {
    const from = at;
    while (lines[at]?.sign === "-") at += 1;
    const middleAt = at;
    while (lines[at]?.sign === "+") at += 1;
    pairs.push(...paired(lines.slice(from, middleAt), lines.slice(middleAt, at)));
    if (at === from) at += 1;
  }
  return new Map(pairs);
}
