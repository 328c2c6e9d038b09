import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict, isWhole, obstacle, outcome, steps, modeAfter, waysToAllow } from "../../web/approvals.js";
import { language } from "../../web/language.js";
import { sentencesIn } from "./sentences.mjs";

const tool = (head = {}, body = { input: { command: "ls" } }) => ({ approval: "a", session: "s", seq: 1, stage: "pending", requestedAt: 0, request: { kind: "approval.requested", at: 0, head: { kind: "tool", tool: "Bash", ...head }, body } });
const ready = { live: true, seen: true };
const decided = (stage, more = {}) => ({ ...tool(), stage, decision: { decision: "allow", by: { client: "c1", name: "Ada's laptop" }, at: 0, command: "x" }, ...more });

test("what is whole, live and seen can be allowed", () => assert.equal(obstacle(tool(), ready), null));

test("cut, or without its input, is not whole", () => {
  assert.equal(isWhole(tool({ cut: true })), false);
  assert.equal(isWhole(tool({}, null)), false);
  assert.equal(isWhole({ ...tool(), request: { ...tool().request, body: {} } }), false);
  assert.match(obstacle(tool({ cut: true }), ready), /not whole: it was cut, or is in a form not known here/i);
  assert.match(obstacle(tool({ cut: true, redacted: true }), ready), /not whole: parts are hidden.*denied here, allowed only at the terminal/i);
  assert.equal(obstacle(tool({ redacted: true }), ready), null);
});

test("a question is whole with its questions", () => {
  assert.equal(isWhole(tool({ kind: "question" }, { questions: [{ id: "q0" }] })), true);
  for (const questions of [undefined, [], "text"]) assert.equal(isWhole(tool({ kind: "question" }, { questions })), false);
});

test("unseen or without a link it must wait", () => {
  assert.match(obstacle(tool(), { live: true, seen: false }), /scroll/i);
  assert.match(obstacle(tool(), { live: false, seen: true }), /connection/i);
});

test("the outcome names who decided, you for this client", () => {
  assert.equal(outcome(decided("decided"), { now: 0, client: "c1" }).title, "Allowed by you");
  assert.equal(outcome(decided("decided"), { now: 0, client: "c2" }).title, "Allowed by Ada's laptop");
  assert.match(outcome(decided("decided"), { now: 0, host: { name: "box", connected: false } }).detail, /box is offline/);
});

test("a rule that decided is named in the page's language, a client as it is called", () => {
  const by = (client, name) => ({ ...decided("decided"), decision: { ...decided("decided").decision, by: { client, name } } });
  const before = { ...language };
  try {
    Object.assign(language, { tag: "de", sentences: sentencesIn("de") });
    assert.equal(outcome(by("rule", "the rule tests"), { now: 0 }).title, "Erlaubt von der Regel tests");
    assert.equal(outcome(by("c2", "the rule tests"), { now: 0 }).title, "Erlaubt von the rule tests");
  } finally {
    Object.assign(language, before);
  }
});

test("a delivery that stays unconfirmed says that the terminal may have answered", () => {
  const delivered = decided("delivered", { deliveredAt: 0 });
  assert.doesNotMatch(outcome(delivered, { now: 5_000 }).detail, /terminal/);
  assert.match(outcome(delivered, { now: 25_000 }).detail, /may already be answered at the terminal/);
});

test("every end has its words", () => {
  assert.equal(outcome(decided("applied", { outcome: "ran" }), { now: 0 }).tone, "allowed");
  assert.equal(outcome(decided("applied", { outcome: "denied" }), { now: 0 }).tone, "denied");
  for (const stage of ["expired", "cancelled", "stale"]) assert.equal(outcome(decided(stage), { now: 0 }).tone, "void");
  assert.match(outcome({ ...tool(), stage: "cancelled", reason: "deniedLocally" }, { now: 0 }).detail, /denied at the terminal/);
});

test("the steps show how far it came", () => {
  const done = (approval) => steps(approval).filter((step) => step.done).map(({ label }) => label);
  assert.deepEqual(done(tool()), ["Asked"]);
  assert.deepEqual(done(decided("delivered")), ["Asked", "Decided", "Delivered"]);
  assert.deepEqual(done(decided("stale")), ["Asked", "Decided"]);
});

test("a conflict names the winner", () => assert.equal(conflict(decided("decided").decision, "c2"), "Ada's laptop already allowed this."));

test("a plan can be allowed in the modes that are offered and known, the least freedom first", () => {
  const ways = (modes) => waysToAllow({ request: { head: { modes } } });
  assert.deepEqual(ways(undefined), [{ label: "Allow" }]);
  assert.deepEqual(ways(["bypassPermissions", 7, "constructor"]), [{ label: "Allow" }]);
  assert.deepEqual(ways(["acceptEdits", "default"]).map(({ mode }) => mode), ["default", "acceptEdits"]);
  assert.equal(modeAfter({ mode: "acceptEdits" }), "It edits without asking.");
  assert.equal(modeAfter({ mode: "toString" }), "");
  assert.equal(modeAfter(undefined), "");
});
