import assert from "node:assert/strict";
import { test } from "node:test";
import { forgottenRows, messagesIn } from "../../web/forgotten.js";
import { Timeline } from "../../web/timeline.js";

const event = (kind, head = {}, body) => ({ kind, at: 1, head, body });
const user = (text) => event("message", { role: "user", summary: text.slice(0, 200) }, { text });
const agent = (text) => event("message", { role: "assistant", summary: text }, { text });
const rewound = (text) => event("rewound", { to: 0 }, text === undefined ? {} : { text });

/** The numbers of the events that each rewind takes back. */
function forgotten(...events) {
  const found = [...forgottenRows(new Timeline(1, events).rows)];
  return Object.fromEntries(found.map(([rewinding, rows]) => [rewinding.seq, rows.map(({ seq }) => seq)]));
}

test("what follows the kept prompt and its answer is forgotten, up to the rewinding", () => {
  const events = [user("one"), agent("A"), user("two"), agent("B"), rewound("one"), user("three"), agent("C")];
  assert.deepEqual(forgotten(...events), { 5: [3, 4] });
  const [rows] = forgottenRows(new Timeline(1, events).rows).values();
  assert.equal(messagesIn(rows), 2);
});

test("without a prompt that is kept all is forgotten, and a session's start stays", () => {
  assert.deepEqual(forgotten(event("session.started"), user("one"), agent("A"), rewound(), user("two")), { 4: [2, 3] });
});

test("a prompt that is not here takes back nothing: it may be further ahead", () => {
  assert.deepEqual(forgotten(user("two"), agent("B"), rewound("one"), user("three")), {});
});

test("the newest of equal prompts is meant, of those that still count", () => {
  assert.deepEqual(forgotten(user("go"), agent("A"), user("go"), agent("B"), user("on"), rewound("go")), { 6: [5] });
  assert.deepEqual(forgotten(user("one"), user("go"), user("two"), rewound("one"), user("three"), rewound("one")), { 4: [2, 3], 6: [5] });
});

test("a rewinding can be taken back with what followed it", () => {
  assert.deepEqual(forgotten(user("one"), user("two"), user("x"), rewound("two"), user("y"), rewound("one")), { 4: [3], 6: [2, 4, 5] });
});

test("a prompt is known by its first line, also where that was cut or is a line among others", () => {
  const long = "w ".repeat(3000).trim();
  assert.deepEqual(forgotten(user(long), agent("A"), user("two"), rewound(`${long.slice(0, 500)}… ⟨cut⟩`)), { 4: [3] });
  assert.deepEqual(forgotten(user("\n  first\tline \nsecond"), user("two"), rewound("firstline")), { 3: [2] });
});

test("what waits, what goes on and what is no part of the conversation stays in sight", () => {
  const events = [
    user("one"), user("two"), event("tool.started", { call: "runs" }), event("tool.started", { call: "done" }), event("tool.finished", { call: "done", ok: true }),
    event("approval.requested", { approval: "open" }), event("approval.requested", { approval: "over" }), event("approval.applied", { approval: "over" }),
    event("budget.crossed"), event("subagent.started", { agent: "g" }), event("message", { role: "user", agent: "g" }), rewound("one"),
  ];
  assert.deepEqual(forgotten(...events), { 12: [2, 4, 7] });
});
