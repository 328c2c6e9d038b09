import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOfDay } from "../../web/format.js";
import { awayWords, placeOf, sayingOf, statusOf } from "../../web/session-words.js";

const summary = (more = {}) => ({ session: "s1", project: "webshop", status: "running", approvals: 0, questions: 0, host: { id: "h1", name: "laptop", connected: true }, ...more });
const away = { id: "h1", name: "Ada's laptop", connected: false };

test("a host that is away is said in words, and since when nothing was heard", () => {
  assert.equal(placeOf(summary()), "webshop · laptop");
  assert.equal(placeOf(summary({ project: undefined, host: away })), "Ada's laptop is offline");
  assert.equal(awayWords(summary({ host: away, lastActivityAt: 1_000 }), 61_000), `Ada's laptop is offline, last news at ${timeOfDay(1_000)}`);
  assert.equal(awayWords(summary({ host: away, lastActivityAt: 0 }), 3 * 86_400_000), "Ada's laptop is offline, last news 3 d ago");
});

test("a row says what its session does, and not its status twice", () => {
  assert.equal(sayingOf(summary({ operation: "npm test", statusReason: "x" })), "npm test");
  assert.equal(sayingOf(summary({ status: "failed", error: "no credit", operation: "npm test" })), "no credit");
  assert.equal(sayingOf(summary({ status: "completed", statusReason: "completed" })), "");
  assert.equal(sayingOf(summary({ status: "completed", statusReason: "logged out" })), "logged out");
});

test("what waits at the terminal alone does not need a person here", () => {
  assert.deepEqual([{ approvals: 1 }, {}].map((more) => statusOf(summary({ status: "waitingApproval", ...more }))), ["Needs you", "Waiting"]);
});
