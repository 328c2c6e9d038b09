import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, emptyState, keyOf, linkLost, pending, position, takeHistory } from "../../web/store.js";

const welcome = (epoch = "e1") => ({ type: "welcome", version: 1, software: "t", epoch, client: { id: "c", name: "n" }, workspace: { id: "w", name: "W" }, heartbeat: { pingSeconds: 20, hangUpSeconds: 45 }, limits: {} });
const summary = (session, seq, more = {}) => ({ session, seq, status: "running", approvals: 0, questions: 0, ...more });
const approval = (id, seq, stage = "pending", more = {}) => ({ approval: id, session: "s", seq, stage, requestedAt: seq, request: { kind: "approval.requested", at: seq, head: { approval: id } }, ...more });
const message = (text, more = {}) => ({ kind: "message", at: 1, head: { role: "assistant", ...more }, body: { text } });
const events = (first, ...list) => ({ type: "events", session: "s", epoch: "e1", first, events: list });
const opened = (first = 1, list = [message("one")]) => {
  const state = emptyState();
  apply(state, welcome());
  apply(state, { type: "snapshot", sessions: [summary("s", 1)], approvals: [] });
  apply(state, { type: "snapshot", session: "s", epoch: "e1", first, seq: first + list.length - 1, events: list, summary: summary("s", 1), approvals: [] });
  return state;
};
const texts = (state) => state.logs.get("s").events.map(({ body }) => body?.text);

test("a workspace snapshot replaces what is held, and keeps what is newer", () => {
  const state = emptyState();
  apply(state, welcome());
  apply(state, { type: "summary", summary: summary("s", 9) });
  apply(state, { type: "snapshot", sessions: [summary("s", 3), summary("t", 1)], approvals: [approval("a", 2)] });
  assert.deepEqual([...state.sessions.values()].map(({ seq }) => seq), [9, 1]);
  apply(state, { type: "snapshot", sessions: [summary("t", 1)], approvals: [] });
  assert.deepEqual([[...state.sessions.keys()], state.approvals.size], [["t"], 0]);
});

test("a snapshot in pages is all there is at its end only, and what is held meanwhile stays", () => {
  const state = emptyState();
  apply(state, welcome());
  apply(state, { type: "snapshot", sessions: [], approvals: [], more: true });
  assert.equal(state.loaded, false);
  apply(state, { type: "summary", summary: summary("s", 1) });
  apply(state, { type: "summary", summary: summary("t", 1) });
  apply(state, { type: "approval", approval: approval("a", 2) });
  apply(state, { type: "approval", approval: approval("b", 2) });
  assert.ok(!state.loaded && apply(state, { type: "snapshotEnd" }).all && state.loaded);
  // After a lost link, sessions in no page of the new snapshot are removed with its last page.
  apply(state, welcome());
  apply(state, { type: "snapshot", sessions: [summary("t", 1)], approvals: [], more: true });
  assert.deepEqual([[...state.sessions.keys()], pending(state).length], [["s", "t"], 2]);
  apply(state, { type: "approval", approval: approval("b", 2) });
  apply(state, { type: "snapshotEnd" });
  assert.deepEqual([[...state.sessions.keys()], pending(state).map(keyOf), state.loaded], [["t"], ["s/b"], true]);
  // A snapshot with another epoch counts as loaded only once it is complete.
  apply(state, welcome("e2"));
  apply(state, { type: "snapshot", sessions: [], approvals: [], more: true });
  assert.equal(state.loaded, false);
});

test("another epoch is another numbering: nothing old outlives it", () => {
  const state = emptyState();
  apply(state, welcome("e1"));
  apply(state, { type: "snapshot", sessions: [summary("s", 90)], approvals: [approval("a", 90, "applied")] });
  apply(state, welcome("e2"));
  apply(state, { type: "snapshot", sessions: [summary("s", 2)], approvals: [approval("a", 2)] });
  assert.deepEqual([state.sessions.get("s").seq, state.approvals.get("s/a").stage], [2, "pending"]);
});

test("an older approval does not bring back one that was settled", () => {
  const state = opened();
  apply(state, { type: "approval", approval: approval("a", 5, "applied") });
  const changes = apply(state, { type: "approval", approval: approval("a", 4, "pending") });
  assert.equal(state.approvals.get("s/a").stage, "applied");
  assert.equal(changes.approvals.size, 0);
  assert.equal(pending(state).length, 0);
});

test("the same id in another session is another approval", () => {
  const state = opened();
  apply(state, { type: "snapshot", sessions: [], approvals: [approval("a", 1), approval("a", 1, "pending", { session: "t" })] });
  const changes = apply(state, { type: "approval", approval: approval("a", 2, "applied") });
  assert.deepEqual([...changes.approvals], ["s/a"]);
  assert.deepEqual(pending(state).map(keyOf), ["t/a"]);
});

test("a summary with the same number is taken: a host that leaves makes no event", () => {
  const state = opened();
  apply(state, { type: "summary", summary: summary("s", 1, { host: { connected: false } }) });
  assert.equal(state.sessions.get("s").host.connected, false);
});

test("events continue the log, and what is there already is skipped", () => {
  const state = opened();
  apply(state, events(2, message("two")));
  apply(state, events(1, message("one"), message("two"), message("three")));
  assert.deepEqual(texts(state), ["one", "two", "three"]);
  assert.deepEqual(position(state, "s"), { epoch: "e1", seq: 3 });
});

test("a hole is never hidden: the log is dropped and asked for anew", () => {
  const state = opened();
  const changes = apply(state, events(3, message("three")));
  assert.deepEqual([...changes.resubscribe], ["s"]);
  assert.equal(position(state, "s"), undefined);
});

test("deltas grow a message until its event comes", () => {
  const state = opened();
  apply(state, { type: "deltas", session: "s", message: "m1", text: "Hel" });
  apply(state, { type: "deltas", session: "s", message: "m1", text: "lo" });
  assert.equal(state.logs.get("s").unfinished.get("m1").text, "Hello");
  apply(state, events(2, message("Hello", { message: "m1" })));
  assert.equal(state.logs.get("s").unfinished.size, 0);
});

test("a half-written message does not outlive the link", () => {
  const state = opened();
  apply(state, { type: "deltas", session: "s", message: "m1", text: "Hel" });
  assert.deepEqual([...linkLost(state).logs], ["s"]);
  assert.equal(state.logs.get("s").unfinished.size, 0);
});

test("older events come in front, and only where they fit", () => {
  const state = opened(3, [message("three")]);
  takeHistory(state, "s", { first: 1, events: [message("one")] });
  assert.deepEqual(texts(state), ["three"]);
  takeHistory(state, "s", { first: 1, events: [message("one"), message("two")] });
  assert.deepEqual(texts(state), ["one", "two", "three"]);
  assert.equal(state.logs.get("s").whole, true);
});

test("a log that grows without end is bounded", () => {
  const state = opened();
  for (let first = 2; first < 7002; first += 200) apply(state, events(first, ...Array.from({ length: 200 }, (_, n) => message(`e${first + n}`))));
  const log = state.logs.get("s");
  assert.ok(log.events.length <= 6000);
  assert.equal(log.first + log.events.length - 1, log.seq);
  assert.equal(log.seq, 7001);
  assert.equal(log.whole, false);
});

test("a reader who goes far back loses the newest, and what comes then only counts", () => {
  const state = opened(10_000, [message("e10000")]);
  const page = (first, count = 500) => ({ first, events: Array.from({ length: count }, (_, n) => message(`e${first + n}`)) });
  for (let first = 9_500; first >= 500; first -= 500) takeHistory(state, "s", page(first));
  const log = state.logs.get("s");
  assert.deepEqual([log.events.length, log.first, log.last, log.seq], [6_000, 500, 6_499, 10_000]);
  apply(state, events(10_001, message("e10001")));
  assert.deepEqual([log.events.length, log.last, log.seq], [6_000, 6_499, 10_001]);
  assert.deepEqual(position(state, "s"), { epoch: "e1", seq: 10_001 });
  // Paging forward again drops the oldest events; at the end the log is followed again.
  for (let first = 6_500; first < 10_000; first += 500) takeHistory(state, "s", page(first));
  takeHistory(state, "s", page(10_000, 400));
  assert.deepEqual([log.events.length, log.last, log.seq, log.whole], [6_000, 10_001, 10_001, false]);
  apply(state, events(10_002, message("e10002")));
  assert.equal(log.events.at(-1).body.text, "e10002");
});

test("a jump puts the beginning in place of what was held, and a page that fits nowhere changes nothing", () => {
  const state = opened(5_000, [message("e5000")]);
  const page = { first: 1, events: [message("one"), message("two")] };
  takeHistory(state, "s", page);
  assert.deepEqual(texts(state), ["e5000"]);
  takeHistory(state, "s", page, { jump: true });
  const log = state.logs.get("s");
  assert.deepEqual([texts(state), log.whole, log.last, log.seq], [["one", "two"], true, 2, 5_000]);
});

test("only the last few sessions' logs are held", () => {
  const state = opened();
  for (const session of ["a", "b", "c", "d"]) {
    apply(state, { type: "snapshot", session, epoch: "e1", first: 1, seq: 1, events: [message("x")], summary: summary(session, 1), approvals: [] });
  }
  assert.deepEqual([...state.logs.keys()], ["a", "b", "c", "d"]);
});

test("a removed session goes, with its log and its approvals", () => {
  const state = opened();
  apply(state, { type: "approval", approval: approval("a", 1, "applied") });
  const changes = apply(state, { type: "removed", session: "s" });
  assert.deepEqual([state.sessions.size, state.logs.size, state.approvals.size, changes.all], [0, 0, 0, true]);
});

test("what the relay no longer keeps is not asked for", () => {
  const state = opened(50);
  apply(state, { type: "snapshot", session: "s", epoch: "e1", first: 50, seq: 50, events: [message("fifty")], summary: summary("s", 50, { first: 50 }), approvals: [] });
  assert.equal(state.logs.get("s").whole, true);
  apply(state, { type: "snapshot", session: "s", epoch: "e1", first: 50, seq: 50, events: [message("fifty")], summary: summary("s", 50, { first: 49 }), approvals: [] });
  assert.equal(state.logs.get("s").whole, false);
  takeHistory(state, "s", { first: 49, events: [message("forty-nine")] });
  assert.equal(state.logs.get("s").whole, true);
});

test("sessions that the snapshot left out are counted, and are known as such when they come", () => {
  const state = emptyState();
  apply(state, welcome());
  apply(state, { type: "snapshot", sessions: [summary("s", 3, { startedAt: 40, lastActivityAt: 50 })], approvals: [], older: 3, more: true });
  // Sessions of the snapshot itself are not counted.
  apply(state, { type: "summary", summary: summary("t", 3, { startedAt: 1, lastActivityAt: 49 }) });
  apply(state, { type: "snapshotEnd" });
  assert.deepEqual([state.older, [...state.belated]], [3, []]);
  apply(state, { type: "summary", summary: summary("old", 9, { startedAt: 2, lastActivityAt: 60 }) });
  apply(state, { type: "summary", summary: summary("old", 10, { startedAt: 2, lastActivityAt: 61 }) });
  apply(state, { type: "summary", summary: summary("new", 1, { startedAt: 51, lastActivityAt: 51 }) });
  assert.deepEqual([state.older, [...state.belated]], [2, ["old"]]);
  // Retention removed one that never came, and one that did.
  apply(state, { type: "removed", session: "never" });
  apply(state, { type: "removed", session: "old" });
  assert.equal(state.older, 1);
  apply(state, { type: "snapshot", sessions: [summary("s", 3, { startedAt: 40, lastActivityAt: 50 })], approvals: [], older: 2 });
  assert.deepEqual([state.older, [...state.belated], [...state.sessions.keys()]], [2, [], ["s"]]);
  apply(state, welcome("e2"));
  assert.equal(state.older, 0);
});
