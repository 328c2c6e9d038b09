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
    assert.equal(call.version, 2);
    assert.equal(asked.decision.by.name, "Ada");
  }
  assert.equal(new Timeline(1, [start, request, event("approval.cancelled", { approval: "a", reason: "allowedLocally" })]).rows[0].denied, undefined);
});
