import assert from "node:assert/strict";
import { test } from "node:test";
import { outlineOf } from "../../web/outline.js";

const lines = (count) => Array.from({ length: count }, (_, n) => `line ${n}`);

test("what is short is whole", () => {
  const text = lines(32).join("\n");
  assert.deepEqual(outlineOf(text), [{ text, lines: 32, isFolded: false }]);
  assert.deepEqual(outlineOf(""), [{ text: "", lines: 1, isFolded: false }]);
});

test("of what is long the beginning, the errors and the end are shown, and joined it is the text again", () => {
  const all = lines(100);
  all[50] = "src/a.ts: error TS2304";
  all[52] = "1 test failed";
  const parts = outlineOf(all.join("\n"));
  assert.deepEqual(parts.map(({ lines: count, isFolded }) => [count, isFolded]), [[5, false], [45, true], [3, false], [33, true], [14, false]]);
  assert.equal(parts.map(({ text }) => text).join("\n"), all.join("\n"));
  assert.equal(parts[2].text, "src/a.ts: error TS2304\nline 51\n1 test failed");
});

test("a text of nothing but errors is folded all the same", () => {
  const parts = outlineOf(Array(500).fill("error").join("\n"));
  assert.deepEqual(parts.map(({ lines: count, isFolded }) => [count, isFolded]), [[13, false], [473, true], [14, false]]);
});
