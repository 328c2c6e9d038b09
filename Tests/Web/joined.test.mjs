import assert from "node:assert/strict";
import { test } from "node:test";
import { difference } from "../../web/diff.js";
import { hunksOf, hunksOfNew, joined, joinedLinesMax, linesOfHunks } from "../../web/joined.js";

/** The diff of two texts in the form that hosts send. */
function diff(before, after) {
  const lines = difference(before, after).filter(({ sign }) => sign !== "@");
  const changes = lines.flatMap(({ sign }, at) => (sign === " " ? [] : [at]));
  const near = lines.map((_, at) => changes.some((change) => Math.abs(change - at) <= 3));
  const rows = [];
  let [old, next] = [1, 1];
  for (let at = 0; at < lines.length;) {
    if (!near[at]) {
      [old, next, at] = [old + 1, next + 1, at + 1];
      continue;
    }
    let end = at;
    while (near[end]) end += 1;
    const part = lines.slice(at, end);
    const [gone, come] = [part.filter(({ sign }) => sign !== "+").length, part.filter(({ sign }) => sign !== "-").length];
    rows.push(`@@ -${gone ? old : old - 1},${gone} +${come ? next : next - 1},${come} @@`, ...part.map(({ sign, text }) => sign + text));
    [old, next, at] = [old + gone, next + come, end];
  }
  return rows.join("\n");
}

const text = (...lines) => lines.map((line) => `${line}\n`).join("");
/** Lines with their sign, without line numbers. */
const signed = (hunks) => linesOfHunks(hunks).map(({ sign, text: shown }) => sign + shown);

/** Applies hunks to a text. */
function applied(hunks, before) {
  const old = before.split("\n").slice(0, -1);
  const result = [];
  let at = 1;
  for (const hunk of hunks) {
    while (at < hunk.old) result.push(old[(at += 1) - 2]);
    assert.equal(result.length + 1, hunk.next, "the number after");
    for (const { sign, text: shown } of hunk.lines) {
      if (sign !== "+") assert.equal(old[(at += 1) - 2], shown, "the line before");
      if (sign !== "-") result.push(shown);
    }
  }
  while (at <= old.length) result.push(old[(at += 1) - 2]);
  return text(...result);
}

test("edits of one place are one change", () => {
  const [first, second] = [diff(text("a", "b", "c"), text("a", "B", "c")), diff(text("a", "B", "c"), text("a", "B!", "new", "c"))];
  assert.deepEqual(signed(joined(hunksOf(first), hunksOf(second))), [" a", "-b", "+B!", "+new", " c"]);
});

test("what was changed back is no change", () => {
  const [a, b] = [text("a", "b", "c"), text("a", "x", "y", "c")];
  assert.deepEqual(joined(hunksOf(diff(a, b)), hunksOf(diff(b, a))), []);
});

test("diffs that disagree about a line, or are not whole, are not joined", () => {
  assert.equal(joined(hunksOf(diff(text("a"), text("b"))), hunksOf(diff(text("c"), text("d")))), null);
  assert.equal(hunksOf("@@ -1,3 +1,3 @@\n a\n-b"), null);
  assert.equal(hunksOf("-a\n+b"), null);
  assert.equal(hunksOf("@@ -1,1 +1,1 @@\n-a\n+b\n[… 3 lines …]"), null);
  const long = hunksOf(`@@ -0,0 +1,${joinedLinesMax} @@\n${"+x\n".repeat(joinedLinesMax)}`);
  assert.equal(joined(long, hunksOf(diff(text("x"), text("y")))), null);
});

test("lines that look like heads of files are lines", () => {
  assert.deepEqual(signed(hunksOf("--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n kept")), ["--- old", "+++ new", " kept"]);
});

test("a new file that changes again is a new file", () => {
  const made = hunksOfNew("+a\n+b");
  const [only] = joined(made, hunksOf(diff(text("a", "b"), text("a", "c"))));
  assert.deepEqual([only.old, only.next, only.lines.map(({ sign, text: shown }) => sign + shown)], [1, 1, ["+a", "+c"]]);
});

test("a line end that comes or goes at the end is told", () => {
  const hunks = joined(hunksOf("@@ -1,1 +1,1 @@\n-a\n+b\n\\ No newline at end of file"), hunksOf("@@ -1,1 +1,1 @@\n-b\n\\ No newline at end of file\n+b"));
  assert.deepEqual(signed(hunks), ["-a", "+b"]);
  assert.deepEqual(signed(hunksOf("@@ -1,1 +1,1 @@\n-b\n\\ No newline at end of file\n+b")), ["-b", "@no line end at the end", "+b"]);
});

test("joined diffs do what the single ones did, whatever was edited", () => {
  let seed = 7;
  const random = (below) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let round = 0; round < 400; round += 1) {
    const original = Array.from({ length: random(40) }, (_, at) => `line ${at % 7}`);
    let now = original;
    let hunks = null;
    for (let edit = 0; edit < 5; edit += 1) {
      const after = [...now];
      for (let change = 0; change <= random(3); change += 1) after.splice(random(after.length + 1), random(4), ...Array.from({ length: random(3) }, () => `line ${random(9)}`));
      const made = diff(text(...now), text(...after));
      if (made) hunks = hunks ? joined(hunks, hunksOf(made)) : hunksOf(made);
      now = after;
    }
    if (hunks) assert.equal(applied(hunks, text(...original)), text(...now), `round ${round}`);
  }
});
