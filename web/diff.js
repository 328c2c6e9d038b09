/** Unified diffs: made of two texts, or read from what a host sent. Pure. */

import { t } from "./language.js";

/**
 * A line, added, removed, kept, or about the diff itself; its number in the file, where that is told: of a removed line in the file before.
 * @typedef {{sign: "+"|"-"|" "|"@", text: string, number?: number}} Line
 */

/** Above this many line pairs a table of them is too much for a phone: the changed middle is then shown whole, old before new. */
const pairsMax = 1_000_000;

/**
 * Line feeds alone end a line: whatever else some program takes for a line end stays inside its line, where it becomes a token.
 * @param {string} text @returns {string[]}
 */
const linesOf = (text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));

/**
 * The lines that turn `before` into `after`, all of both: nothing is folded away.
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
 * The final line end has no line of its own. Where nothing is said, the texts have one.
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
 * Longest common subsequence by the plain table: short inputs, and the result is the one people expect.
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
 * The lines of a unified diff. What is neither added, removed nor kept is shown as it came. Within the lines that a hunk announces the
 * first sign alone tells what a line is: a removed line can look like the head of a file.
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

/** Of a line more than this has to be as it was, or its words are not compared. */
const keptShareMin = 0.3;
/** With more words a line is a file of its own. */
const wordsMax = 400;

/** @typedef {[from: number, to: number][]} Ranges */

/** @param {string} text Words, blanks, and each other character by itself. */
const wordsOf = (text) => text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? [];

/**
 * Where two versions of a line differ, in whole words; nothing where they have little in common.
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

/** Removed lines times added ones in one place: of more, they are only taken in their order, where they are equally many. */
const linePairsMax = 10_000;

/** @param {string} text How often each word is in it. @returns {Map<string, number>} */
function wordCounts(text) {
  const counted = new Map();
  for (const one of text.match(/[\p{L}\p{N}_]+/gu) ?? []) counted.set(one, (counted.get(one) ?? 0) + 1);
  return counted;
}

/** @param {Map<string, number>} counted */
const lengthOf = (counted) => [...counted].reduce((sum, [word, times]) => sum + word.length * times, 0);

/**
 * The share of two lines that is in both, by their words; 0 where they have little in common.
 * @param {Map<string, number>} one @param {Map<string, number>} other
 */
function likeness(one, other) {
  const same = [...one].reduce((sum, [word, times]) => sum + word.length * Math.min(times, other.get(word) ?? 0), 0);
  const lengths = [lengthOf(one), lengthOf(other)];
  return same === 0 || same < Math.min(...lengths) * keptShareMin ? 0 : (2 * same) / (lengths[0] + lengths[1]);
}

/**
 * The pairs, in their order, that have most in common.
 * @param {Line[]} old @param {Line[]} next @returns {[Line, Line][]}
 */
function paired(old, next) {
  if (old.length * next.length > linePairsMax) return old.length === next.length ? old.map((line, index) => [line, next[index]]) : [];
  const [before, after] = [old, next].map((lines) => lines.map(({ text }) => wordCounts(text)));
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
 * Lines that took each other's place, next to each other, by the line that went.
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
