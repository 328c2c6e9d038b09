import assert from "node:assert/strict";
import { test } from "node:test";
import { undoOf } from "../../web/undoing.js";

const may = ["watch", "decide", "steer"];
const summary = (more = {}) => ({ status: "idle", host: { name: "laptop", connected: true }, steering: { actions: ["prompt"] }, ...more });
const approval = (more = {}, head = {}) => ({
  session: "s1", approval: "a1", stage: "applied", decision: { decision: "deny", by: { client: "me", name: "Ada" }, at: 1 }, ...more,
  request: { kind: "approval.requested", at: 1, head: { tool: "Bash", title: "git push", ...head } },
});

test("after a denial the agent can be told to ask again, once it has the denial", () => {
  assert.match(undoOf(approval(), summary(), may, true).prompt, /“git push”/);
  assert.ok(undoOf(approval({ stage: "delivered" }), summary(), may, true));
  for (const stage of ["pending", "decided", "stale", "expired", "cancelled"]) assert.equal(undoOf(approval({ stage }), summary(), may, true), null, stage);
});

test("what was allowed has no way back, nor has a session that takes no prompt now", () => {
  assert.equal(undoOf(approval({ decision: { decision: "allow", by: { client: "me" }, at: 1 } }), summary(), may, true), null);
  assert.equal(undoOf(approval({ decision: { decision: "deny", by: { client: "rule" }, at: 1 } }), summary(), may, true), null);
  for (const one of [undefined, summary({ endedAt: 1 }), summary({ steering: { actions: [] } }), summary({ host: { name: "laptop", connected: false } })]) {
    assert.equal(undoOf(approval(), one, may, true), null);
  }
  assert.equal(undoOf(approval(), summary(), may, false), null);
  assert.equal(undoOf(approval(), summary(), ["watch", "decide"], true), null);
});

test("what a rule allowed leads to the rule, for who may take it back", () => {
  const ruled = approval({ decision: { decision: "allow", by: { client: "rule" }, at: 1 } }, { rule: { decision: "allow", name: "echoes, makes" } });
  assert.deepEqual(undoOf(ruled, summary(), may, false), { rule: "#/rules/s1/echoes" });
  assert.equal(undoOf(ruled, summary(), ["watch", "decide"], true), null);
});

test("an agent's long title, or one from the right, cannot change the sentence around it", () => {
  const { prompt } = undoOf(approval({}, { title: `\u202Epwd\n${"x".repeat(5000)}` }), summary(), may, true);
  assert.ok(prompt.length < 400 && !/[\u202E\n]/.test(prompt), prompt);
});
