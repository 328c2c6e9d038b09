import assert from "node:assert/strict";
import { test } from "node:test";
import { Templates, templatesMax } from "../../web/templates.js";

function place() {
  const kept = new Map();
  return { kept, storage: () => ({ getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) }) };
}

test("templates are kept, the last first, each once, and removed", () => {
  const { storage } = place();
  const templates = new Templates(storage);
  templates.add(" run the tests ");
  templates.add("ship it");
  templates.add("ship it");
  assert.deepEqual(new Templates(storage).all, ["ship it", "run the tests"]);
  assert.deepEqual(["", "ship it ", "other"].map((text) => templates.obstacle(text)), ["Write it first.", "It is one already.", ""]);
  templates.remove("ship it");
  assert.deepEqual(new Templates(storage).all, ["run the tests"]);
});

test("they are bounded, and what is none is not read", () => {
  const { kept, storage } = place();
  const templates = new Templates(storage);
  for (let n = 0; n < templatesMax + 5; n += 1) templates.add(`t${n}`);
  assert.equal(templates.all.length, templatesMax);
  assert.match(templates.obstacle("one more"), /no room/);
  kept.set("heliograph.templates", "[1,\"a\",null]");
  assert.deepEqual(new Templates(storage).all, ["a"]);
  const blocked = new Templates(() => { throw new Error("blocked"); });
  blocked.add("for this visit");
  assert.deepEqual(blocked.all, ["for this visit"]);
});
