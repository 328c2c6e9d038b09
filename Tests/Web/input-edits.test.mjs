import assert from "node:assert/strict";
import { test } from "node:test";
import { changesBy, editableIn, editBytesMax, editOf, isTooLong } from "../../web/input-edits.js";

const asking = (input, editable = ["command"], head = {}) => ({ approval: "a", session: "s", seq: 1, stage: "pending", requestedAt: 0, request: { kind: "approval.requested", at: 0, head: { kind: "tool", tool: "Bash", editable, ...head }, body: { input } } });

test("what its host offers for editing are texts of an input that is whole", () => {
  assert.deepEqual(editableIn(asking({ command: "ls", timeout: 5 })), [{ name: "command", text: "ls" }]);
  assert.deepEqual(editableIn(asking({ url: "https://a", prompt: "" }, ["url", "prompt"])), [{ name: "url", text: "https://a" }, { name: "prompt", text: "" }]);
  for (const odd of [{ command: 5 }, { command: null }, { other: "ls" }, { command: "a\r\nb" }]) assert.deepEqual(editableIn(asking(odd)), [], JSON.stringify(odd));
  assert.deepEqual(editableIn(asking({ command: "ls" }, undefined, { editable: "command" })), []);
  assert.deepEqual(editableIn(asking({ command: "ls" }, ["toString", "__proto__", 7])), []);
  assert.deepEqual(editableIn(asking({ command: "ls" }, ["command"], { cut: true })), []);
  assert.deepEqual(editableIn(asking({ command: "ls" }, ["command"], { kind: "question" })), []);
  assert.deepEqual(editableIn(asking(null)), []);
});

test("an edit has the changed texts alone, and is none if nothing is changed", () => {
  const fields = [{ name: "url", text: "https://a" }, { name: "prompt", text: "p" }];
  assert.equal(editOf(fields, ["https://a", "p"]), "");
  assert.equal(editOf(fields, ["https://a", ""]), '{"prompt":""}');
  assert.equal(editOf(fields, ["https://b", "\u0000\n"]), '{"url":"https://b","prompt":"\\u0000\\n"}');
  assert.equal(editOf([{ name: "__proto__", text: "a" }], ["b"]), '{"__proto__":"b"}');
});

test("an edit is measured in bytes, as it is sent", () => {
  const filled = (letter, count) => editOf([{ name: "c", text: "" }], [letter.repeat(count)]);
  assert.equal(isTooLong(filled("a", editBytesMax - 8)), false);
  assert.equal(isTooLong(filled("a", editBytesMax - 7)), true);
  assert.equal(isTooLong(filled("ö", editBytesMax / 2)), true);
});

test("the change is from what was asked to what is allowed, and what cannot be read changes nothing", () => {
  const asked = asking({ command: "cd a\nrm -rf build" });
  const [change] = changesBy(asked, '{"command":"cd a\\nrm -rf bin"}');
  assert.equal(change.name, "command");
  assert.deepEqual(change.lines, [{ sign: " ", text: "cd a" }, { sign: "-", text: "rm -rf build" }, { sign: "+", text: "rm -rf bin" }]);
  assert.deepEqual(changesBy(asking({ command: "ls" }), '{"command":""}')[0].lines.map(({ sign, text }) => sign + text), ["-ls"]);
  assert.deepEqual(changesBy(asking({ command: "ls" }), '{"command":"ls\\n"}')[0].lines.map(({ sign }) => sign), [" ", "@"]);
  for (const text of ["", "null", "{", "7"]) assert.deepEqual(changesBy(asked, text), [], text);
});
