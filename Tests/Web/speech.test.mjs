import assert from "node:assert/strict";
import { test } from "node:test";
import { heard, isSwitchedOn, recognizer, switchOn, withSpoken } from "../../web/speech.js";

test("it is off until it was switched on, and stays as it was left", () => {
  const kept = {};
  const shelf = () => ({ getItem: (place) => kept[place] ?? null, setItem: (place, value) => (kept[place] = value) });
  assert.equal(isSwitchedOn(shelf), false);
  switchOn(shelf, true);
  assert.equal(isSwitchedOn(shelf), true);
  switchOn(shelf, false);
  assert.equal(isSwitchedOn(shelf), false);
  assert.equal(isSwitchedOn(() => { throw new Error("blocked"); }), false);
  assert.equal(recognizer(), undefined, "nothing here recognises speech");
});

test("what is final and what may change are told apart, from the first that is new", () => {
  const said = (transcript, isFinal) => Object.assign([{ transcript }], { isFinal });
  const results = [said("run the", true), said(" tests ", true), said(" and the", false), said("lint", false)];
  assert.deepEqual(heard({ resultIndex: 1, results }), { final: "tests", interim: "and the lint" });
  assert.deepEqual(heard({ resultIndex: 2, results }), { final: "", interim: "and the lint" });
  assert.deepEqual(heard({ resultIndex: 0, results: [said("", true)] }), { final: "", interim: "" });
});

test("what is said stands at the caret, apart from its neighbours", () => {
  assert.deepEqual(withSpoken("", 0, "run it"), { text: "run it", caret: 6 });
  assert.deepEqual(withSpoken("first", 5, "then"), { text: "first then", caret: 10 });
  assert.deepEqual(withSpoken("a \nb", 3, "x"), { text: "a \nx b", caret: 5 });
  assert.deepEqual(withSpoken("ab", 1, "x"), { text: "a x b", caret: 4 });
});
