import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { elapsed, faceOf } from "../../web/faces.js";
import { lockScreen } from "../../web/lockscreen.js";

/** The simulator's device is tested with the same table: `APNsSimulatorTests/Device/LockScreenTableTests.swift`. */
const cases = JSON.parse(readFileSync(new URL("Fixtures/lockscreen.json", import.meta.url), "utf8"));
/** The time at which each case begins, in seconds since 1970. */
const beginning = 1_800_000_000;
const since2001 = 978_307_200;

const pushOf = ({ at, purpose, session, collapse, aps }, index) => ({
  push: index, device: "d1", purpose, session, collapse, priority: 10, plannedAt: 0, answeredAt: (beginning + at) * 1000,
  outcome: { result: "accepted" }, payload: { aps },
});
const titleOf = ({ attributes }) => attributes.projectName;
const rows = ({ cards, stacks }) => [
  ...cards.map((card) => `${titleOf(card)}: ${card.contentState.currentOperation}${card.isStale ? ", stale" : ""}${card.isEnded ? ", ended" : ""}`),
  ...stacks.map(({ top, count }) => `${count} × ${top.title || top.body}`),
];

for (const { name, pushes, now, screen, island, ignored } of cases) {
  test(`as on the simulator's device: ${name}`, () => {
    const sent = pushes.map(pushOf);
    const shown = lockScreen(sent, beginning * 1000 + now);
    assert.deepEqual(rows(shown), screen);
    assert.equal(shown.island.form === "empty" ? "empty" : `${shown.island.form} ${titleOf(shown.island.card)}`, island);
    assert.deepEqual([...shown.ignored.keys()], ignored);
    // The result does not depend on the order in which the relay sends the pushes.
    assert.deepEqual(rows(lockScreen([...sent].reverse(), beginning * 1000 + now)), screen);
  });
}

test("what APNs did not take is not on the screen", () => {
  const [start] = cases.find(({ name }) => name.startsWith("then the island")).pushes.map(pushOf);
  for (const outcome of [undefined, { result: "refused" }, { result: "unknown" }, { result: "notSent" }]) {
    assert.deepEqual(rows(lockScreen([{ ...start, outcome }], beginning * 1000)), []);
  }
});

test("a card whose start is not told is shown from its update, once it comes", () => {
  const aps = { event: "update", timestamp: beginning, "content-state": { currentOperation: "on" } };
  const { cards } = lockScreen([pushOf({ at: 0, purpose: "update", session: "s1", aps }, 7)], beginning * 1000);
  assert.deepEqual([cards.length, cards[0].session, cards[0].attributes], [1, "s1", {}]);
});

const own = (state, more = {}) => faceOf({
  attributes: { session: "s1", title: "Fix the login", project: "shop", agent: "claude", host: "laptop" }, isStale: false,
  contentState: { status: "running", approvals: 0, questions: 0, operations: 1, messages: 1, startedAt: 816_869_666, updatedAt: 816_870_896, ...state }, ...more,
}, "heliograph", "from the list");

test("a card of ours says what it is about as LiveActivityKit does", () => {
  const approval = { id: "a", tool: "Bash", summary: "npm test", isQuestion: false };
  const table = [
    [{}, "work", "Working", ""],
    [{ operation: "Editing a.ts", progress: { completed: 1, total: 2, current: "Test it" } }, "work", "Working", "Editing a.ts"],
    [{ progress: { completed: 1, total: 2, current: "Test it" } }, "work", "Working", "Test it"],
    [{ status: "waitingApproval", approvals: 1, approval }, "approval", "Approval needed", "npm test"],
    [{ status: "waitingApproval", approvals: 2, approval: { ...approval, summary: "" } }, "approval", "2 approvals needed", "Bash"],
    [{ status: "waitingAnswer", questions: 1, approval: { ...approval, isQuestion: true, summary: "Which?" } }, "question", "Question", "Which?"],
    [{ questions: 2, operation: "x" }, "question", "2 questions", "x"],
    [{ budgetLevel: 0, sessions: 3 }, "work", "3 sessions", ""],
    [{ budgetLevel: 50, sessions: 3 }, "money", "50 % of budget", ""],
    [{ budgetLevel: 80 }, "money", "80 % of budget", ""],
    [{ status: "starting" }, "wait", "Starting", ""],
    [{ status: "idle", operation: "x" }, "idle", "Idle", "x"],
    [{ status: "stale", operation: "x" }, "offline", "Out of touch", ""],
    [{ status: "failed", error: "no credit", operation: "x", approvals: 1 }, "failed", "Failed", "no credit"],
    [{ status: "completed", operation: "x", budgetLevel: 100 }, "done", "Done", "x"],
  ];
  for (const [state, ...told] of table) {
    const { symbol, status, detail } = own(state);
    assert.deepEqual([symbol, status, detail], told);
  }
  for (const [budgetLevel, tint, budget] of [[0, "blue", null], [50, "orange", "near"], [99, "orange", "near"], [100, "red", "over"]]) {
    const face = own({ budgetLevel });
    assert.deepEqual([face.tint, face.budget], [tint, budget]);
  }
  assert.equal(own({}, { isStale: true }).status, "Out of touch");
  assert.equal(own({ approvals: 1 }, { isStale: true }).status, "Approval needed");
});

test("a card of ours: progress, money near its budget, where it runs", () => {
  assert.equal(own({ costMicroUSD: 0, estimateMicroUSD: 2_000_000 }).cost, "~$2.00 guessed");
  assert.equal(own({ costMicroUSD: 410_000, estimateMicroUSD: 2_000_000 }).cost, "$0.41 + ~$2.00 guessed");
  const face = own({ progress: { completed: 3, total: 7 }, costMicroUSD: 4_100_000, budgetLevel: 80 });
  assert.deepEqual([face.progress.text, face.short, face.cost, face.budget, face.place], ["3/7", "3/7", "$4.10", "near", "shop · laptop"]);
  assert.deepEqual([own({ budgetLevel: 100 }).budget, own({ approvals: 1, questions: 1 }).short, own({}).needsPerson], ["over", "2", false]);
});

test("time counts on while it works, and is told when it is over", () => {
  const later = (816_870_896 + since2001 + 60) * 1000;
  assert.equal(elapsed(own({}), later), "21:30");
  assert.equal(elapsed(own({ status: "completed" }), later), "20 min");
});

test("a card without its start has the session's title", () => {
  assert.equal(own({}, { attributes: {} }).title, "from the list");
});

test("a card of another app shows its fields by name", () => {
  const face = faceOf({
    attributes: { sessionID: "s", restaurantName: "Roma" },
    contentState: { status: "awaitingApproval", todoProgress: { completed: 3, total: 7 }, approvalRequest: { toolName: "Bash" }, currentCost: 0.4132 },
  }, "delivery", "t");
  assert.deepEqual([face.title, face.status, face.progress.text], ["Roma", "Awaiting approval", "3 of 7"]);
  assert.deepEqual(face.facts, [["Todo progress completed", "3"], ["Todo progress total", "7"], ["Approval request tool name", "Bash"], ["Current cost", "0.413"]]);
  assert.equal(faceOf({ attributes: {}, contentState: { progress: 0.4286 } }, "opencode", "t").short, "43 %");
});

test("a state of the wrong shape is drawn as far as it goes", () => {
  const face = faceOf({ attributes: { title: 7 }, contentState: { status: 3, progress: "x", approval: "y", startedAt: "z" } }, "heliograph", "t");
  assert.deepEqual([face.title, face.symbol, face.progress, face.since], ["t", "work", undefined, undefined]);
});
