import assert from "node:assert/strict";
import { test } from "node:test";
import { matching } from "../../web/matching.js";
import { Keyboard, shortcuts } from "../../web/shortcuts.js";

const nothingKept = () => ({ getItem: () => null, setItem: () => undefined });
const key = (name, more = {}) => ({ key: name, ctrlKey: false, metaKey: false, altKey: false, repeat: false, ...more });

test("a key is an action, two are one if they come soon, and each action has its own", () => {
  const keyboard = new Keyboard(nothingKept);
  assert.deepEqual(["j", "k", "a", "d", "/", "?", "x", "Enter"].map((name, at) => keyboard.pressed(key(name), false, at * 5_000)),
    ["next", "previous", "allow", "deny", "search", "help", null, null]);
  assert.deepEqual([keyboard.pressed(key("g"), false, 50_000), keyboard.pressed(key("i"), false, 51_000)], [null, "inbox"]);
  assert.deepEqual([keyboard.pressed(key("g"), false, 60_000), keyboard.pressed(key("i"), false, 62_000)], [null, null]);
  // The key after a complete sequence does not belong to it.
  assert.deepEqual(["g", "s", "s"].map((name) => keyboard.pressed(key(name), false, 70_000)), [null, "sessions", null]);
  assert.equal(new Set(shortcuts.map(({ keys }) => keys)).size, shortcuts.length);
});

test("who writes is left alone, and so are the browser's own keys; the palette opens all the same", () => {
  const keyboard = new Keyboard(nothingKept);
  assert.equal(keyboard.pressed(key("a"), true, 0), null);
  for (const more of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) assert.equal(keyboard.pressed(key("a", more), false, 0), null);
  assert.equal(keyboard.pressed(key("k", { ctrlKey: true }), true, 0), "palette");
  assert.equal(keyboard.pressed(key("K", { metaKey: true }), true, 0), "palette");
});

test("single letters are switched off for good, and the palette opens all the same", () => {
  const kept = new Map();
  const storage = () => ({ getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) });
  const keyboard = new Keyboard(storage);
  keyboard.letters = false;
  for (const one of [keyboard, new Keyboard(storage)]) {
    assert.deepEqual(["j", "a", "d", "/", "?"].map((name) => one.pressed(key(name), false, 0)), [null, null, null, null, null]);
    assert.equal(one.pressed(key("k", { ctrlKey: true }), false, 0), "palette");
  }
  new Keyboard(storage).letters = true;
  assert.equal(new Keyboard(storage).pressed(key("a"), false, 0), "allow");
  // If storage is blocked, the setting lasts for this visit.
  const blocked = new Keyboard(() => { throw new Error("blocked"); });
  blocked.letters = false;
  assert.equal(blocked.pressed(key("a"), false, 0), null);
});

test("a key that is held down decides nothing", () => {
  const keyboard = new Keyboard(nothingKept);
  assert.deepEqual(["a", "d", "j"].map((name, at) => keyboard.pressed(key(name, { repeat: true }), false, at * 5_000)), [null, null, "next"]);
});

test("what begins with the words comes first, and every word has to be somewhere", () => {
  const all = [{ words: "Fix the login", also: "webshop" }, { words: "Login tests", also: "api" }, { words: "Budgets" }];
  const found = (text) => matching(all, text).map(({ words }) => words);
  assert.deepEqual(found("login"), ["Login tests", "Fix the login"]);
  assert.deepEqual(found("login WEB"), ["Fix the login"]);
  assert.deepEqual(found(""), ["Fix the login", "Login tests", "Budgets"]);
  assert.deepEqual(found("none"), []);
  assert.equal(matching(Array.from({ length: 50 }, () => ({ words: "x" })), "x").length, 12);
});
