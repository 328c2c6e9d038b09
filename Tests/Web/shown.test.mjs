import assert from "node:assert/strict";
import { test } from "node:test";
import { SourceNumber } from "../../web/numbers.js";
import { consentOf, shownApproval, shownEvent } from "../../web/shown.js";

const host = "NM51C4WEnAhCZkiLr_gfoA";
const digest = "ab".repeat(32);
const event = (more = {}) => ({ kind: "approval.requested", at: 7, head: { approval: "a1", kind: "tool", tool: "Bash", title: "ls", digest }, body: { input: { command: "ls" } }, ...more });
const parts = (more = {}) => ({ salt: "AAAAAAAAAAAAAAAAAAAAAA", host, session: "s1", event: event(), ...more });
/** An approval as the relay sends it: with a head of its own for lists. */
const sent = (shown, head = {}) => ({ approval: "a1", session: "s1", stage: "pending", seq: 1, requestedAt: 0,
  request: { kind: "approval.requested", at: 9, head: { ...event().head, title: "harmless", ...head }, body: { shown } } });

test("of a signed approval only what its host showed is read", () => {
  const text = JSON.stringify(parts());
  const approval = shownApproval(sent(text));
  assert.deepEqual(approval.request, event());
  assert.deepEqual(consentOf(approval.request), { host, text });
  assert.deepEqual([approval.approval, approval.stage], ["a1", "pending"]);
});

test("the same approval gives the same request, and one without a signature stays as it is", () => {
  const approval = sent(JSON.stringify(parts()));
  assert.equal(shownApproval(approval).request, shownApproval(approval).request);
  const open = { ...approval, request: event() };
  assert.equal(shownApproval(open), open);
  assert.equal(consentOf(open.request), undefined);
});

test("numbers in it keep their digits, as in any other", () => {
  const text = JSON.stringify(parts()).replace('"ls"}', '"ls","count":9007199254740993}');
  const { input } = shownEvent(sent(text).request, "s1", "a1").body;
  assert.ok(input.count instanceof SourceNumber);
  assert.equal(String(input.count), "9007199254740993");
});

const without = (name) => Object.fromEntries(Object.entries(parts()).filter(([field]) => field !== name));
const broken = {
  "no text": 7, "no JSON": "{", "a list": "[]", "nothing": "null", "another field": JSON.stringify(parts({ more: 1 })),
  ...Object.fromEntries(Object.keys(parts()).map((name) => [`no ${name}`, JSON.stringify(without(name))])),
  "a short salt": JSON.stringify(parts({ salt: "AAAA" })), "another name for a host": JSON.stringify(parts({ host: "laptop" })),
  "another session": JSON.stringify(parts({ session: "s2" })), "another approval": JSON.stringify(parts({ event: event({ head: { ...event().head, approval: "a2" } }) })),
  "another kind of event": JSON.stringify(parts({ event: event({ kind: "message" }) })), "no time": JSON.stringify(parts({ event: event({ at: "7" }) })),
  "no head": JSON.stringify(parts({ event: event({ head: undefined }) })), "a body that is none": JSON.stringify(parts({ event: event({ body: [] }) })),
  "another digest": JSON.stringify(parts({ event: event({ head: { ...event().head, digest: "cd".repeat(32) } }) })),
};
for (const [name, shown] of Object.entries(broken)) {
  test(`${name} is not shown as a request, and can only be denied`, () => {
    const { request } = shownApproval(sent(shown));
    assert.match(consentOf(request).problem, /^What its host sent cannot be read: .+\.$/);
    assert.deepEqual([request.body, request.head.cut, request.head.digest, request.head.title], [undefined, true, digest, ""]);
  });
}

test("beside the text the relay may say nothing", () => {
  const { request } = shownApproval({ ...sent(""), request: { ...sent("").request, body: { shown: JSON.stringify(parts()), input: { command: "rm" } } } });
  assert.match(consentOf(request).problem, /in another form/);
});
