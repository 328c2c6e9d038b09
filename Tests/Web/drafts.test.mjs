import assert from "node:assert/strict";
import { test } from "node:test";
import { Drafts } from "../../web/drafts.js";

function storage() {
  const kept = new Map();
  return { kept, getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
}
const blocked = () => { throw new DOMException("denied", "SecurityError"); };

test("a draft outlives the page, with the command that it is and the id that it was sent under", () => {
  const kept = storage();
  new Drafts(() => kept).keep("s", { text: "/compact now", command: "/compact", id: "i1" });
  assert.deepEqual(new Drafts(() => kept).of("s"), { text: "/compact now", command: "/compact", id: "i1" });
  assert.deepEqual(new Drafts(() => kept).of("t"), { text: "" });
});

test("an empty text is no draft, and nothing of it stays", () => {
  const kept = storage();
  const drafts = new Drafts(() => kept);
  drafts.keep("s", { text: "one" });
  drafts.keep("s", { text: "" });
  assert.equal(kept.kept.get("heliograph.drafts"), "[]");
});

test("what another tab wrote to another session stays", () => {
  const kept = storage();
  const [here, there] = [new Drafts(() => kept), new Drafts(() => kept)];
  here.keep("s", { text: "here" });
  there.keep("t", { text: "there" });
  here.keep("s", { text: "here again" });
  assert.deepEqual([new Drafts(() => kept).of("s").text, new Drafts(() => kept).of("t").text], ["here again", "there"]);
});

test("there are twenty at most, and a bounded number of characters: what was not touched for longest goes", () => {
  const kept = storage();
  const drafts = new Drafts(() => kept);
  for (let number = 0; number < 25; number += 1) drafts.keep(`s${number}`, { text: `text ${number}` });
  assert.deepEqual([drafts.of("s4").text, drafts.of("s5").text, drafts.of("s24").text], ["", "text 5", "text 24"]);
  for (let number = 0; number < 12; number += 1) drafts.keep(`long${number}`, { text: "x".repeat(30_000) });
  assert.equal(drafts.of("long1").text, "");
  assert.equal(drafts.of("long11").text.length, 30_000);
  assert.ok(kept.kept.get("heliograph.drafts").length < 310_000);
});

test("where site data is blocked or is not ours, drafts last for the visit", () => {
  const drafts = new Drafts(blocked);
  drafts.keep("s", { text: "one" });
  assert.equal(drafts.of("s").text, "one");
  for (const odd of ["nonsense", "{}", '[["s", {"text": 1}], ["t"], [1, {"text": "x"}], ["u", {"text": "x", "id": {}}]]']) {
    const kept = storage();
    kept.setItem("heliograph.drafts", odd);
    assert.deepEqual(["s", "t", "u"].map((session) => new Drafts(() => kept).of(session).text), ["", "", ""]);
  }
});
