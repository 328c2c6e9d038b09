import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenIn, isFarReaching, offersOf, openerWords, scopeWords, verdictOf } from "../../web/offers.js";

const rule = { id: "s0", label: "Allow from now on", rule: "Bash(npm test *)", scope: "local", effect: "allow" };
const asking = (offers, head = {}) => ({ approval: "a", session: "s", seq: 1, stage: "pending", requestedAt: 0, request: { kind: "approval.requested", at: 0, head: { kind: "tool", tool: "Bash", offers, ...head }, body: { input: { command: "npm test" } } } });

test("what is offered is what the agent offers, in its order", () => {
  const never = { id: "n", label: "Never", scope: "agent", effect: "deny" };
  assert.deepEqual(offersOf(asking([rule, never])), [rule, never]);
  for (const none of [undefined, null, "text", []]) assert.deepEqual(offersOf(asking(none)), []);
});

test("what is not known whole is not offered: another place, another effect, parts that are no text, two of one name", () => {
  const odd = [{ scope: "galaxy" }, { scope: "toString" }, { effect: "ask" }, { rule: 7 }, { mode: {} }, { label: "" }, { id: 7 }];
  for (const part of odd) assert.deepEqual(offersOf(asking([{ ...rule, ...part }])), [], JSON.stringify(part));
  assert.deepEqual(offersOf(asking([rule, { ...rule, rule: "Bash(*)" }])), []);
  assert.deepEqual(offersOf(asking([null, "text", rule])), [rule]);
});

test("with what is not whole, and with a question, nothing is offered", () => {
  assert.deepEqual(offersOf(asking([rule], { cut: true })), []);
  assert.deepEqual(offersOf({ ...asking([rule]), request: { ...asking([rule]).request, body: {} } }), []);
  assert.deepEqual(offersOf(asking([rule], { kind: "question" })), []);
});

test("what holds for others, everywhere, for who knows how long, or changes the mode is asked about twice", () => {
  const far = (part) => isFarReaching({ ...rule, ...part });
  for (const scope of ["once", "session", "local"]) assert.equal(far({ scope }), false, scope);
  for (const scope of ["project", "user", "agent"]) assert.equal(far({ scope }), true, scope);
  assert.equal(far({ scope: "session", mode: "acceptEdits" }), true);
});

test("each says where it is written", () => {
  const places = ["once", "session", "local", "project", "user", "agent"].map((scope) => scopeWords({ ...rule, scope }));
  assert.equal(new Set(places).size, 6);
  assert.match(scopeWords({ ...rule, scope: "project" }), /everyone/);
});

test("a choice is sent as its effect and its id, and nothing else", () => {
  assert.deepEqual(verdictOf(rule), { decision: "allow", offer: "s0" });
  assert.deepEqual(verdictOf({ ...rule, effect: "deny" }), { decision: "deny", offer: "s0" });
});

test("the button says what it opens", () => {
  assert.equal(openerWords([rule]), "Always allow …");
  assert.equal(openerWords([rule, { ...rule, effect: "deny" }]), "More answers …");
  assert.equal(openerWords([rule, { ...rule, scope: "once" }]), "More answers …");
});

test("once decided it says what was chosen", () => {
  const decided = (offer) => ({ ...asking([rule]), decision: { decision: "allow", offer, by: { client: "c", name: "n" }, at: 0, command: "x" } });
  assert.equal(chosenIn(decided(undefined)), "");
  assert.match(chosenIn(decided("s0")), /“Allow from now on”: Bash\(npm test \*\)\. Written for you alone/);
  assert.equal(chosenIn(decided("other")), " By the agent's option other.");
  assert.equal(chosenIn(asking([rule])), "");
});
