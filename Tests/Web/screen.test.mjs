import assert from "node:assert/strict";
import { test } from "node:test";
import { HeldScreen, lookOf } from "../../web/screen.js";
import { bytesOfKey, bytesOfText } from "../../web/screen-keys.js";

const whole = { of: "t.1", whole: true, rows: 3, columns: 10, cursor: { row: 0, column: 2 }, lines: [{ row: 0, runs: [{ text: "$ " }, { text: "vim", style: "1" }] }, { row: 2, runs: [{ text: "end" }] }] };

test("a screen is what came whole, and then the rows that changed", () => {
  const screen = new HeldScreen();
  assert.deepEqual(screen.take(whole), [0, 1, 2]);
  assert.equal(screen.text, "$ vim\n\nend");
  assert.deepEqual(screen.take({ of: "t.2", base: "t.1", rows: 3, columns: 10, wrapsPaste: true, lines: [{ row: 1, runs: [{ text: "new" }] }] }), [1]);
  assert.deepEqual([screen.of, screen.text, screen.cursor, screen.wrapsPaste, screen.applicationKeys], ["t.2", "$ vim\nnew\nend", null, true, false]);
});

test("another size begins anew, and what does not fit is left out", () => {
  const screen = new HeldScreen();
  screen.take(whole);
  screen.take({ of: "t.2", base: "t.1", rows: 2, columns: 10, lines: [{ row: 1, runs: [{ text: "x" }] }, { row: 7, runs: [{ text: "y" }] }] });
  assert.deepEqual([screen.rows, screen.text], [2, "\nx"]);
  screen.take({ of: "t.3", whole: true, rows: 1e9, columns: -4, lines: [] });
  assert.deepEqual([screen.rows, screen.columns], [1000, 0]);
});

test("rows that changed since another drawing are not laid over this one, and all of it is asked for", () => {
  const screen = new HeldScreen();
  screen.take(whole);
  // The relay asked its host for the changes since screen t.9.
  const mixed = { of: "t.12", base: "t.9", rows: 3, columns: 10, lines: [{ row: 2, runs: [{ text: "1. Yes" }] }] };
  assert.equal(screen.take(mixed), null);
  assert.deepEqual([screen.text, screen.of, screen.after], ["$ vim\n\nend", "t.1", ""]);
  for (const base of [undefined, ""]) assert.equal(new HeldScreen().take({ ...mixed, base }), null);
  screen.take({ ...mixed, whole: true });
  assert.deepEqual([screen.text, screen.after], ["\n\n1. Yes", "t.12"]);
});

test("a style is marks and two colours; what is not known of it is left out", () => {
  assert.deepEqual(lookOf("1;4;31"), { marks: ["bold", "underlined"], ink: "1" });
  assert.deepEqual(lookOf("97;100"), { marks: [], ink: "15", paper: "8" });
  assert.deepEqual(lookOf("38;5;208;48;2;1;2;3"), { marks: [], ink: "rgb(255 135 0)", paper: "rgb(1 2 3)" });
  assert.deepEqual(lookOf("38;5;9;48;5;232"), { marks: [], ink: "9", paper: "rgb(8 8 8)" });
  for (const odd of ["", "x", "38", "38;5", "38;5;999", "38;2;1;2", "48;2;300;0;0", "38;5;1;5;red;url(x)"]) assert.doesNotMatch(JSON.stringify(lookOf(odd)), /url|NaN|999|300/, odd);
});

const typed = (key, more = {}, application = false) => {
  const bytes = bytesOfKey({ key, ...more }, application);
  return bytes && Buffer.from(bytes).toString("latin1");
};

test("keys are what a terminal's keyboard sends", () => {
  const ctrl = { ctrlKey: true };
  const expected = [
    ["a", {}, "a"], ["Enter", {}, "\r"], ["Escape", {}, "\x1b"], ["Backspace", {}, "\x7f"], ["Tab", { shiftKey: true }, "\x1b[Z"], ["c", ctrl, "\x03"], ["C", ctrl, "\x03"],
    [" ", ctrl, "\0"], ["[", ctrl, "\x1b"], ["x", { altKey: true }, "\x1bx"], ["ArrowUp", {}, "\x1b[A"], ["ArrowUp", ctrl, "\x1b[1;5A"], ["PageDown", {}, "\x1b[6~"],
  ];
  for (const [key, more, bytes] of expected) assert.equal(typed(key, more), bytes, key);
  assert.equal(typed("ArrowUp", {}, true), "\x1bOA");
  assert.deepEqual([...bytesOfKey({ key: "ä" }, false)], [0xc3, 0xa4]);
  for (const key of ["Shift", "Control", "Dead", "Unidentified", "AudioVolumeUp"]) assert.equal(typed(key), null, key);
  assert.equal(typed("ö", ctrl), null);
});

test("text is typed with its lines, and nothing in it is another key or ends a paste early", () => {
  const text = (words, wraps) => Buffer.from(bytesOfText(words, wraps)).toString();
  assert.equal(text("a\nb\r\nc\td", false), "a\rb\rc\td");
  assert.equal(text("x\x1b[201~\x03y\u009b", true), "\x1b[200~x[201~y\x1b[201~");
});
