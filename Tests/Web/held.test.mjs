import assert from "node:assert/strict";
import { test } from "node:test";
import { Held } from "../../web/held.js";
import { nextAt } from "../../web/later-times.js";

const minute = 60_000;

/** A fake browser with tabs that records sent prompts in order and answers each as told. */
function browser() {
  const kept = new Map();
  const around = { now: 1_000_000, standing: { isBusy: false, obstacle: "" }, sent: [], answers: [], isTaken: false, made: 0 };
  const make = () => new Held({
    storage: () => ({ getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) }),
    now: () => around.now,
    freshID: () => `id${(around.made += 1)}`,
    standing: () => around.standing,
    send: async (one) => {
      around.sent.push(`${one.id} ${one.text}`);
      return around.answers.shift() ?? null;
    },
    alone: async (run) => (around.isTaken ? undefined : run()),
  }, () => undefined);
  return { around, make, kept };
}
const texts = (held, session = "s1") => held.of(session).map(({ text }) => text);

test("a prompt is sent when its time has come, once, and waits no more", async () => {
  const { around, make } = browser();
  const held = make();
  held.hold({ session: "s1", text: "go on", at: around.now + minute });
  await held.tick();
  assert.deepEqual([around.sent, texts(held)], [[], ["go on"]]);
  around.now += minute;
  await held.tick();
  await held.tick();
  assert.deepEqual([around.sent, texts(held)], [["id1 go on"], []]);
});

test("one for an idle agent waits while it works, and the next one until it has worked again", async () => {
  const { around, make } = browser();
  const held = make();
  around.standing.isBusy = true;
  held.hold({ session: "s1", text: "one" });
  held.hold({ session: "s1", text: "two" });
  await held.tick();
  assert.deepEqual(around.sent, []);
  around.standing.isBusy = false;
  await held.tick();
  // Another tab waits, too, because the host has not reported yet that its agent works.
  await held.tick();
  await make().tick();
  assert.deepEqual(around.sent, ["id1 one"]);
  around.standing.isBusy = true;
  await held.tick();
  around.standing.isBusy = false;
  await held.tick();
  assert.deepEqual(around.sent, ["id1 one", "id2 two"]);
});

test("nothing is sent while something is in the way", async () => {
  const { around, make } = browser();
  const held = make();
  held.hold({ session: "s1", text: "go on", at: around.now });
  around.standing.obstacle = "laptop is offline.";
  await held.tick();
  assert.deepEqual([around.sent, held.stage(held.of("s1")[0])], [[], "due"]);
});

test("what was due long before the page was open waits for a person", async () => {
  const { around, make } = browser();
  make().hold({ session: "s1", text: "at ten", at: around.now + minute });
  make().hold({ session: "s2", text: "when idle" });
  around.now += 13 * 60 * minute;
  const held = make();
  await held.tick();
  assert.deepEqual([around.sent, ["s1", "s2"].map((session) => held.stage(held.of(session)[0]))], [[], ["missed", "missed"]]);
  await held.sendNow(held.of("s1")[0].id);
  assert.deepEqual([around.sent, texts(held)], [["id1 at ten"], []]);
});

test("where nobody knows whether it arrived, it goes again under the same id", async () => {
  const { around, make } = browser();
  const held = make();
  held.hold({ session: "s1", text: "go on", at: around.now });
  around.answers = [{ isKnown: false, words: "" }];
  await held.tick();
  await held.tick();
  assert.deepEqual(around.sent, ["id1 go on", "id1 go on"]);
});

test("what was refused is not sent again by itself, and then under another id", async () => {
  const { around, make } = browser();
  const held = make();
  held.hold({ session: "s1", text: "go on", at: around.now });
  around.answers = [{ isKnown: true, words: "Not sent: no." }];
  await held.tick();
  await held.tick();
  const [one] = held.of("s1");
  assert.deepEqual([around.sent.length, held.stage(one), one.problem], [1, "failed", "Not sent: no."]);
  await held.sendNow(one.id);
  assert.deepEqual(around.sent, ["id1 go on", "id2 go on"]);
});

test("it is taken back, but not while it is under way", async () => {
  const { around, make } = browser();
  const held = make();
  held.hold({ session: "s1", text: "go on", at: around.now });
  const sending = held.tick();
  assert.equal(held.takeBack("id1"), undefined);
  await sending;
  held.hold({ session: "s1", text: "wait", command: true });
  assert.deepEqual([held.takeBack("id2")?.text, texts(held)], ["wait", []]);
});

test("tabs share them: what one is sending, or has sent, the other does not send", async () => {
  const { around, make } = browser();
  const [one, other] = [make(), make()];
  one.hold({ session: "s1", text: "go on", at: around.now });
  other.changedElsewhere();
  around.isTaken = true;
  await other.tick();
  assert.deepEqual(around.sent, []);
  around.isTaken = false;
  await one.tick();
  await other.tick();
  assert.deepEqual([around.sent, texts(other)], [["id1 go on"], []]);
});

test("they are bounded, and what is no prompt is not read", () => {
  const { make, kept } = browser();
  const held = make();
  for (let n = 0; n < 25; n += 1) held.hold({ session: "s1", text: `${n}` });
  assert.equal(held.of("s1").length, 20);
  assert.match(held.obstacle("x"), /20 prompts/);
  assert.match(new Held(/** @type {any} */ ({ storage: () => { throw new Error("blocked"); } }), () => undefined).obstacle("x".repeat(40_000)), /too long/);
  for (const text of ["no JSON", "null", "{\"prompts\":[1,{\"id\":\"a\"},null]}"]) {
    kept.set("heliograph.held", text);
    assert.deepEqual(make().of("s1"), []);
  }
});

test("a clock shows a time today, or tomorrow", () => {
  const noon = new Date(2026, 10, 29, 12).getTime();
  assert.equal(nextAt("12:30", noon), noon + 30 * minute);
  assert.equal(nextAt("11:30", noon), noon + (23 * 60 + 30) * minute);
  assert.deepEqual(["", "x"].map((text) => nextAt(text, noon)), [null, null]);
});
