import assert from "node:assert/strict";
import { test } from "node:test";
import { Kept } from "../../web/kept.js";
import { apply, emptyState, pending, position, restore } from "../../web/store.js";

let now = 1;

function shelf() {
  const leaves = new Map();
  return {
    leaves, get: async (name) => leaves.get(name), put: async (name, leaf) => void leaves.set(name, leaf), drop: async (name) => void leaves.delete(name),
    names: async () => [...leaves.keys()], forget: async () => leaves.clear(),
  };
}

const welcome = { type: "welcome", version: 1, software: "r", epoch: "e1", client: { id: "c1", name: "phone" }, workspace: { id: "w", name: "w" }, may: ["watch", "decide"] };
const summary = (session, more = {}) => ({ session, seq: 3, title: session, host: { id: "h", name: "laptop", connected: true }, status: "running", approvals: 0, questions: 0, lastActivityAt: 1, ...more });
const approval = (id, stage = "pending") => ({ session: "s1", approval: id, seq: 3, stage, requestedAt: 1, request: { head: { kind: "tool" } } });
const events = (count, from = 1) => Array.from({ length: count }, (_, n) => ({ kind: "message", at: n, head: { role: "assistant" }, body: { text: `event ${from + n}` } }));

function live() {
  const state = emptyState();
  apply(state, welcome);
  apply(state, { type: "snapshot", sessions: [summary("s1"), summary("s2")], approvals: [approval("a1"), approval("a2", "applied")] });
  return state;
}

test("what was shown comes back without a connection, as not confirmed, and gives way to what the relay says", async () => {
  const [state, kept] = [live(), new Kept(shelf(), () => now)];
  apply(state, { type: "snapshot", session: "s1", epoch: "e1", first: 1, seq: 3, events: [...events(2), { kind: "tool.started", at: 1, head: {}, body: { input: { big: 1 } } }], summary: summary("s1"), approvals: [] });
  now = 500;
  await kept.keep(state);
  const then = emptyState();
  assert.equal(restore(then, await kept.workspace()).all, true);
  assert.deepEqual([[...then.sessions.keys()], pending(then).map((one) => one.approval), then.loaded, then.keptAt], [["s1", "s2"], ["a1"], false, 500]);
  apply(then, await kept.log("s1"));
  assert.deepEqual([position(then, "s1"), then.logs.get("s1").events.length], [{ epoch: "e1", seq: 3 }, 3]);
  assert.equal(await kept.log("s2"), undefined);
  // The relay now has one session less, and a new one.
  apply(then, welcome);
  apply(then, { type: "snapshot", sessions: [summary("s1", { seq: 9 }), summary("s3")], approvals: [] });
  assert.deepEqual([[...then.sessions.keys()], pending(then), then.loaded, then.keptAt], [["s1", "s3"], [], true, 0]);
  assert.equal(restore(then, await kept.workspace()).all, false, "it is too late for what was kept");
  now = 500 + 7 * 86_400_000;
  assert.deepEqual([await kept.workspace(), await kept.log("s1")], [undefined, undefined], "after a week it is not shown");
});

test("numbers that a double would change come back as they were", async () => {
  const { parsedMessage, jsonText } = await import("../../web/numbers.js");
  const [state, kept] = [live(), new Kept(shelf(), () => now)];
  const message = parsedMessage('{"type":"snapshot","session":"s1","epoch":"e1","first":1,"seq":1,"approvals":[],"events":[{"kind":"tool.started","at":1,"head":{},"body":{"input":{"n":12345678901234567890}}}]}');
  apply(state, { ...message, summary: summary("s1") });
  await kept.keep(state);
  assert.match(jsonText((await kept.log("s1")).events[0].body.input), /12345678901234567890/);
});

test("it is bounded: events, bytes, sessions; and goes when somebody logs out", async () => {
  const place = shelf();
  const [state, kept] = [live(), new Kept(place, () => now)];
  for (let number = 0; number < 20; number += 1) {
    apply(state, { type: "snapshot", session: `n${number}`, epoch: "e1", first: 1, seq: 900, events: events(900), summary: summary(`n${number}`), approvals: [] });
    now = number;
    await kept.keep(state);
  }
  assert.equal((await kept.log("n19")).events.length, 300);
  assert.equal((await kept.log("n19")).first, 601);
  assert.equal(place.leaves.size, 13);
  assert.equal(await kept.log("n0"), undefined);
  const large = events(100).map((event) => ({ ...event, body: { text: "x".repeat(30_000) } }));
  apply(state, { type: "snapshot", session: "large", epoch: "e1", first: 1, seq: 100, events: large, summary: summary("large"), approvals: [] });
  now = 30;
  await kept.keep(state);
  assert.equal((await kept.log("large")).events.length, 25);
  await kept.forget();
  assert.equal(place.leaves.size, 0);
});

test("what was being kept when somebody logs out goes, too", async () => {
  const place = shelf();
  let gone;
  const kept = new Kept({ ...place, put: async (name, leaf) => { await place.put(name, leaf); if (name === "log s1") gone = kept.forget(); } }, () => now);
  const state = live();
  for (const session of ["s1", "s2"]) apply(state, { type: "snapshot", session, epoch: "e1", first: 1, seq: 3, events: events(3), summary: summary(session), approvals: [] });
  await kept.keep(state);
  await gone;
  assert.equal(place.leaves.size, 0);
});

test("before the relay has said everything nothing is kept, and what is no message of ours is not shown", async () => {
  const place = shelf();
  const kept = new Kept(place, () => now);
  const state = emptyState();
  apply(state, welcome);
  await kept.keep(state);
  assert.equal(place.leaves.size, 0);
  place.leaves.set("workspace", { at: 1, text: "no JSON" });
  assert.equal(await kept.workspace(), undefined);
  assert.equal(await new Kept({ ...place, get: async () => { throw new Error("blocked"); } }, () => now).workspace(), undefined);
});
