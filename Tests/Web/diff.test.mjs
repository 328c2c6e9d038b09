import assert from "node:assert/strict";
import { test } from "node:test";
import { changedWords, counts, difference, parsed, replaced } from "../../web/diff.js";

const told = (lines) => lines.map(({ sign, text }) => sign + text);

test("a change keeps what is common and shows both sides of what is not", () => {
  assert.deepEqual(told(difference("a\nb\nc\n", "a\nB\nc\nd\n")), [" a", "-b", "+B", " c", "+d"]);
});

test("a new file is all added, an emptied one all removed", () => {
  assert.deepEqual(told(difference("", "x\ny\n")), ["+x", "+y"]);
  assert.deepEqual(told(difference("x\n", "")), ["-x"]);
});

test("a line end that goes is told", () => {
  assert.deepEqual(told(difference("a\n", "a")), [" a", "@the line end at the end is removed"]);
});

test("a text without a final line end says so, and so does an empty one", () => {
  assert.deepEqual(told(difference("", "a")), ["+a", "@no line end at the end"]);
  assert.deepEqual(told(difference("a", "")), ["-a", "@no line end at the end"]);
  assert.deepEqual(told(difference("a", "b")), ["-a", "+b", "@no line end at the end"]);
  assert.deepEqual(told(difference("", "\n")), ["+"]);
  assert.deepEqual(told(difference("", "")), ["@empty"]);
});

test("line feeds alone end a line", () => {
  for (const other of ["\r", "\u0085", "\u2028", "\u2029", "\v", "\f"]) {
    assert.deepEqual(told(difference("", `a${other}b\nc${other}\n`)), [`+a${other}b`, `+c${other}`]);
  }
});

test("the difference rebuilds both texts", () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 200; round += 1) {
    const text = () => Array.from({ length: random(12) }, () => "abcd"[random(4)]).join("\n");
    const [old, next] = [text(), text()];
    const lines = difference(old, next).filter(({ sign }) => sign !== "@");
    assert.equal(lines.filter(({ sign }) => sign !== "+").map((l) => l.text).join("\n"), old);
    assert.equal(lines.filter(({ sign }) => sign !== "-").map((l) => l.text).join("\n"), next);
  }
});

test("what is too big for a table is shown whole, old before new", () => {
  const [old, next] = ["a", "b"].map((letter) => Array.from({ length: 2000 }, (_, n) => letter + n).join("\n"));
  assert.deepEqual(counts(difference(old, next)), { added: 2000, removed: 2000 });
});

test("a host's diff is read by its signs, and unknown lines stay", () => {
  assert.deepEqual(told(parsed("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\nodd\n")), ["@--- a/x", "@+++ b/x", "@@@ -1 +1 @@", "-old", "+new", " same", "@odd"]);
});

test("lines of a hunk have their numbers, and their first sign alone tells what they are", () => {
  const lines = parsed("@@ -7,3 +7,3 @@\n a\n--- a comment\n+++ another\n b\n@@ -20,1 +20,0 @@\n-z\n\\ No newline at end of file");
  assert.deepEqual(lines.map(({ sign, text, number }) => [sign, text, number]), [
    ["@", "from line 7", undefined], [" ", "a", 7], ["-", "-- a comment", 8], ["+", "++ another", 8], [" ", "b", 9],
    ["@", "from line 20", undefined], ["-", "z", 20], ["@", "\\ No newline at end of file", undefined],
  ]);
  assert.deepEqual(counts(lines), { added: 1, removed: 2 });
});

test("in lines that took each other's place the words that changed are found, where most of the line is as it was", () => {
  const lines = parsed("@@ -1,4 +1,4 @@\n a\n-if (request.cookies.session) {\n-old\n+if (await isValid(request.cookies.session)) {\n+new\n b\n-gone\n c");
  const pairs = [...replaced(lines)].map(([before, after]) => [before.text, after.text]);
  assert.deepEqual(pairs, [["if (request.cookies.session) {", "if (await isValid(request.cookies.session)) {"]]);
  const shown = (before, after) => {
    const words = changedWords(before, after);
    return words && [words.before.map(([from, to]) => before.slice(from, to)), words.after.map(([from, to]) => after.slice(from, to))];
  };
  assert.deepEqual(shown(...pairs[0]), [[], ["await isValid(", ")"]]);
  assert.deepEqual(shown("const total = 12;", "const total = 125;"), [["12"], ["125"]]);
  assert.deepEqual(shown("return a;", "return a + b;"), [[], [" + b"]]);
  assert.equal(shown("old", "new"), null);
  assert.equal(shown("a ".repeat(300), "b ".repeat(300)), null);
  assert.deepEqual(shown("it is 😀 here", "it is 😁 here"), [["😀"], ["😁"]]);
});

test("lines that took each other's place are found by what they share, however many went and came", () => {
  const pairs = (text) => [...replaced(parsed(text))].map(([before, after]) => [before.text, after.text]);
  assert.deepEqual(pairs("-const total = price;\n+const tax = 0.19;\n+const total = price * (1 + tax);"), [["const total = price;", "const total = price * (1 + tax);"]]);
  assert.deepEqual(pairs("-import a from 'a';\n-import gone from 'x';\n-let count = one;\n+let count = two;"), [["let count = one;", "let count = two;"]]);
  assert.deepEqual(pairs("-first thing\n-second thing else\n+second thing more\n+third"), [["second thing else", "second thing more"]]);
  assert.deepEqual(pairs("-}\n+});"), [], "signs alone are in every line");
  const [many, more] = [200, 201].map((count) => Array.from({ length: count }, (_, index) => `line ${index}`));
  const block = (old, next) => replaced(parsed([...old.map((text) => `-${text}`), ...next.map((text) => `+${text}`)].join("\n"))).size;
  assert.deepEqual([block(many, many), block(many, more)], [200, 0]);
});
