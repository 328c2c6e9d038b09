import assert from "node:assert/strict";
import { test } from "node:test";
import { Decisions } from "../../web/decisions.js";

const approval = { session: "s1", approval: "a1", request: { head: { digest: "d" } } };

test("the same decision is sent again byte for byte, though it is sealed and signed anew each time", async () => {
  const sent = [];
  let ids = 0;
  const link = { freshID: () => `c${(ids += 1)}`, command: async (message, { id }) => { sent.push({ ...message, id }); throw new Error("lost"); } };
  const decisions = new Decisions(link, () => undefined);
  let made = 0;
  decisions.signer = { signedDecision: async (_, verdict) => ({ verdict: { ...verdict, message: `sealed.${(made += 1)}` }, signature: `${made}` }) };
  const verdict = { decision: "deny", message: "no" };
  await decisions.decide(approval, verdict);
  await decisions.decide(approval, { ...verdict });
  assert.deepEqual(sent[0], { type: "decide", session: "s1", approval: "a1", digest: "d", decision: "deny", message: "sealed.1", signature: "1", id: "c1" });
  assert.deepEqual(sent[1], sent[0]);
  await decisions.decide(approval, { decision: "deny", message: "never" });
  assert.deepEqual([sent[2].message, sent[2].id], ["sealed.2", "c2"]);
});
