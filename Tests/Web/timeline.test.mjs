import assert from "node:assert/strict";
import { test } from "node:test";
import { Timeline } from "../../web/timeline.js";

const event = (kind, head = {}, body) => ({ kind, at: 1, head, body });
const keys = (timeline) => timeline.rows.map(({ key }) => key);

test("a tool call is one row, from its start to its end", () => {
  const timeline = new Timeline(1, [event("tool.started", { call: "c" }), event("message"), event("tool.finished", { call: "c", ok: true })]);
  assert.deepEqual(keys(timeline), ["t::c", "e:2"]);
  assert.equal(timeline.rows[0].end.head.ok, true);
  assert.equal(timeline.rows[0].version, 1);
});

test("what a call prints belongs to its row until it has ended", () => {
  const timeline = new Timeline(1, [event("tool.started", { call: "c" })]);
  assert.equal(timeline.printed("c", "one\n"), "t::c");
  assert.equal(timeline.printed("c", "two\n"), "t::c");
  assert.deepEqual([timeline.rows[0].output, timeline.rows[0].version], ["two\n", 2]);
  assert.equal(timeline.printed("d", "of a call that is not here\n"), null);
  timeline.append(2, event("tool.finished", { call: "c", ok: true }));
  assert.equal(timeline.printed("c", "late\n"), null);
});

test("a call that its agent never finished ends with the run, whatever goes on after it", () => {
  for (const end of [event("session.ended"), event("session.started", { resumed: true }), event("status.changed", { status: "failed" })]) {
    const timeline = new Timeline(1, [event("tool.started", { call: "c" }), event("tool.started", { call: "d" }), event("tool.finished", { call: "d", ok: true })]);
    const [{ version }] = timeline.rows;
    timeline.append(4, end);
    assert.deepEqual([timeline.rows[0].isCut, timeline.rows[1].isCut], [true, undefined], end.kind);
    assert.ok(timeline.rows[0].version > version, "it is drawn again");
    timeline.append(5, event("tool.finished", { call: "c", ok: true }));
    assert.equal(timeline.rows[0].end.head.ok, true, "an end that is told after all is shown");
  }
});

test("the first end of an approval counts: a report after it changes nothing", () => {
  const timeline = new Timeline(1, ["requested", "decided", "delivered", "applied"].map((stage) => event(`approval.${stage}`, { approval: "a" })));
  const [{ version }] = timeline.rows;
  assert.equal(timeline.append(5, event("approval.stale", { approval: "a", reason: "unknownApproval" })), null);
  assert.equal(timeline.append(6, event("approval.cancelled", { approval: "a", reason: "deniedLocally" })), null);
  assert.deepEqual([timeline.rows.length, timeline.rows[0].end.kind, timeline.rows[0].version], [1, "approval.applied", version]);
});

test("an end without its start is a row of its own until the start is loaded", () => {
  assert.deepEqual(keys(new Timeline(5, [event("tool.finished", { call: "c" })])), ["t::c"]);
});

test("a call's id that is used again starts another row", () => {
  const round = [event("tool.started", { call: "c" }), event("tool.finished", { call: "c" })];
  const timeline = new Timeline(1, [...round, ...round]);
  assert.deepEqual(keys(timeline), ["t::c", "t::c:3"]);
  assert.ok(timeline.rows.every(({ end }) => end));
});

test("calls of different subagents are different", () => {
  assert.equal(new Timeline(1, [event("tool.started", { call: "c" }), event("tool.started", { call: "c", agent: "a" })]).rows.length, 2);
});

test("an approval is one row, whatever becomes of it", () => {
  const timeline = new Timeline(1, ["requested", "decided", "delivered", "applied"].map((stage) => event(`approval.${stage}`, { approval: "a" })));
  assert.deepEqual(keys(timeline), ["a:a"]);
  assert.equal(timeline.rows[0].end.kind, "approval.applied");
});

test("usage, to-do lists and status are no rows; the newest list is kept; a failure with a reason is one", () => {
  const timeline = new Timeline(1, [event("usage"), event("todo.changed", { total: 1 }), event("todo.changed", { total: 2 }), event("status.changed", { status: "idle" }), event("status.changed", { status: "failed", reason: "broke" })]);
  assert.deepEqual(keys(timeline), ["e:5"]);
  assert.equal(timeline.todo.head.total, 2);
});

test("an unknown kind is a row, also one that looks like an approval", () => {
  assert.deepEqual(keys(new Timeline(1, [event("hologram.projected"), event("approval.pondered", { approval: "x" })])), ["e:1", "e:2"]);
});

test("a denied call is marked, whether its end is told before the denial or after", () => {
  const request = event("approval.requested", { approval: "a", call: "c" });
  const denial = [event("approval.decided", { approval: "a", decision: { decision: "deny", by: { name: "Ada" } } }), event("approval.applied", { approval: "a", outcome: "denied" })];
  const [start, end] = [event("tool.started", { call: "c" }), event("tool.finished", { call: "c", ok: false })];
  for (const events of [[start, request, ...denial, end], [start, request, end, ...denial]]) {
    const [call, asked] = new Timeline(1, events).rows;
    assert.equal(call.denied, true);
    assert.equal(call.end, end);
    assert.ok(call.version >= 2);
    assert.equal(asked.decision.by.name, "Ada");
  }
  assert.equal(new Timeline(1, [start, request, event("approval.cancelled", { approval: "a", reason: "allowedLocally" })]).rows[0].denied, undefined);
});

test("what a rule answered names the rule, and no call waits for it", () => {
  const rule = { name: "tests", digest: "ab", decision: "allow" };
  const [call, asked] = new Timeline(1, [event("tool.started", { call: "c" }), event("approval.requested", { approval: "a", call: "c", rule })]).rows;
  assert.equal(call.waitsFor, undefined);
  assert.equal(asked.decision.decision, "allow");
  assert.equal(asked.decision.by.name, "the rule tests");
});

const started = (agent, more = {}) => event("subagent.started", { agent, ...more });

test("what a subagent does is a thread under the call that started it", () => {
  const timeline = new Timeline(1, [
    event("tool.started", { call: "c", tool: "Agent" }), started("a", { name: "look for bugs", call: "c" }), event("message", { role: "user", agent: "a" }),
    event("tool.started", { call: "d", agent: "a" }), event("file.changed", { path: "x", call: "d" }), event("tool.finished", { call: "d", agent: "a", ok: true }),
  ]);
  assert.deepEqual(keys(timeline), ["t::c"]);
  const [host] = timeline.rows;
  assert.deepEqual([host.subagent.name, host.subagent.state, host.subagent.calls, host.subagent.rows.map(({ key }) => key)], ["look for bugs", "running", 1, ["e:3", "t:a:d", "e:5"]]);
  const before = host.version;
  timeline.append(7, event("subagent.finished", { agent: "a" }, { text: "None." }));
  assert.deepEqual([host.subagent.state, host.subagent.end.body.text, host.version], ["finished", "None.", before + 1]);
});

test("a thread whose call is not told, or not loaded, is a row of its own, and one that a thread starts stands in it", () => {
  const lonely = new Timeline(9, [event("tool.finished", { call: "d", agent: "b" }), started("c", { name: "second" })]);
  assert.deepEqual(keys(lonely), ["g:b", "g:c"]);
  assert.deepEqual(lonely.rows.map(({ subagent }) => [subagent.name, subagent.rows.length]), [["Subagent", 1], ["second", 0]]);
  const nested = new Timeline(1, [started("a"), event("tool.started", { call: "c", agent: "a" }), started("b", { call: "c" })]);
  assert.deepEqual(keys(nested), ["g:a"]);
  const version = nested.rows[0].version;
  nested.append(4, event("message", { role: "assistant", agent: "b" }));
  assert.equal(nested.rows[0].subagent.rows[0].subagent.rows.length, 1);
  assert.ok(nested.rows[0].version > version, "what stands around it is drawn again");
});

test("one call starts one thread, and a subagent that goes on is the same thread", () => {
  const timeline = new Timeline(1, [event("tool.started", { call: "c" }), started("a", { call: "c" }), started("b", { call: "c" }), event("subagent.finished", { agent: "a" }), started("a")]);
  assert.deepEqual(keys(timeline), ["t::c", "g:b"]);
  assert.equal(timeline.rows[0].subagent.state, "running");
});

test("what a subagent asks stands in no thread", () => {
  assert.deepEqual(keys(new Timeline(1, [started("a"), event("approval.requested", { approval: "x", agent: "a" })])), ["g:a", "a:x"]);
});

test("where the session ends or begins again, no subagent is at work", () => {
  for (const kind of ["session.ended", "session.started"]) assert.equal(new Timeline(1, [started("a"), event(kind)]).rows[0].subagent.state, "stopped");
});

test("a call that is asked about waits, and runs from when that is over", () => {
  const timeline = new Timeline(1, [event("tool.started", { call: "c" }), event("approval.requested", { approval: "a", call: "c" })]);
  const [call] = timeline.rows;
  assert.equal(call.waitsFor, "a");
  timeline.append(3, event("approval.decided", { approval: "a", decision: { decision: "allow", by: { name: "Ada" } } }));
  assert.equal(call.waitsFor, "a", "its host does not know yet");
  timeline.append(4, { ...event("approval.delivered", { approval: "a" }), at: 9 });
  assert.deepEqual([call.waitsFor, call.since], [undefined, 9]);
});
