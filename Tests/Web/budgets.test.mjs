import assert from "node:assert/strict";
import { test } from "node:test";
import { crossingWords, heldWords, strain, strainWords } from "../../web/budget-words.js";
import { Budgets, parse, pickable } from "../../web/budgets.js";
import { emptyState } from "../../web/store.js";

const form = (more = {}) => ({ scope: "day", session: "", dollars: "5", levels: "50, 80, 100", hold: false, ...more });

test("what a person types becomes a budget", () => {
  assert.deepEqual(parse(form()).budget, { scope: "day", microUSD: 5_000_000, levels: [50, 80, 100], hold: false });
  assert.deepEqual(parse(form({ scope: "session", session: "s1", dollars: " 2,50 ", levels: "100 %", hold: true })).budget,
    { scope: "session", session: "s1", microUSD: 2_500_000, levels: [100], hold: true });
  assert.equal(parse(form({ dollars: "0.07" })).budget.microUSD, 70_000);
});

test("what is no budget is explained", () => {
  for (const dollars of ["", "0", "-1", "five", "1e99", "0.0000001"]) assert.match(parse(form({ dollars })).problem, /how many dollars/, dollars);
  for (const levels of ["", "80, 50", "50, 50", "0", "1001", "12.5", "x", "1 2 3 4 5 6 7 8 9 10 11"]) assert.match(parse(form({ levels })).problem, /percentages/, levels);
  assert.match(parse(form({ scope: "session" })).problem, /session/);
});

test("an amount that two countries read differently is refused, not guessed", () => {
  for (const dollars of ["1,000", "1.000", "$1,000", "10,000.50", "1 000", "1,000,000"]) assert.match(parse(form({ dollars })).problem, /without separators/, dollars);
  assert.deepEqual(["1000", "$12", "0,500", "2.5", "1000.50"].map((dollars) => parse(form({ dollars })).budget.microUSD), [1_000_000_000, 12_000_000, 500_000, 2_500_000, 1_000_500_000]);
  for (const dollars of ["1e3", "0x10", "1,2,3"]) assert.match(parse(form({ dollars })).problem, /how many dollars/, dollars);
});

test("sessions to choose from say where they are, no two alike, and are found by words", () => {
  const one = (session, title, project = "shop", host = "laptop") => ({ session, title, project, host: { id: host, name: host, connected: true } });
  const sessions = [one("s1", "Fix the login"), one("s2", "Fix the login"), one("s3", "Docs", "site", "server"), one("s4", "", "site")];
  assert.deepEqual(pickable(sessions).map(([, words]) => words),
    ["Fix the login · shop · laptop · s1", "Fix the login · shop · laptop · s2", "Docs · site · server", "site · laptop"]);
  assert.deepEqual(pickable(sessions, "SITE lap").map(([session]) => session), ["s4"]);
  assert.deepEqual(pickable(sessions, "nothing", "s3").map(([session]) => session), ["s3"], "what is chosen stays");
});

test("that a spent budget holds a session is a sentence", () => {
  assert.equal(heldWords({ budget: { level: 100, microUSD: 5_000_000, held: true } }), "The budget of $5.00 is spent: every tool needs approval.");
  assert.match(heldWords({ budget: { level: 100, microUSD: 5_000_000, hold: "most" } }), /^The budget of \$5.00 is spent: all tools need approval but those/);
  assert.match(heldWords({ budget: { level: 100, microUSD: 5_000_000, hold: "unchanged" } }), /cannot be held and asks as before; prompts are refused\.$/);
  assert.equal(heldWords({ budget: { level: 100, microUSD: 5_000_000, hold: "of a newer relay" } }), "");
  assert.deepEqual([heldWords({ budget: { level: 100, microUSD: 5_000_000 } }), heldWords({}), heldWords(undefined)], ["", "", ""]);
});

test("a session near its budget is coloured, and says why", () => {
  assert.deepEqual([undefined, { level: 0 }, { level: 50 }, { level: 100 }, { level: 150 }].map(strain), [null, null, "near", "over", "over"]);
  assert.equal(strainWords({ level: 80, microUSD: 5_000_000 }), "80 % of $5.00 crossed");
  assert.equal(strainWords({ level: 100, microUSD: 5_000_000, held: true }), "100 % of $5.00 crossed; every tool needs approval");
  assert.match(strainWords({ level: 100, microUSD: 5_000_000, hold: "unchanged" }), /crossed; this agent cannot be held/);
  assert.deepEqual([strainWords({ level: 0, microUSD: 5_000_000 }), strainWords(undefined)], ["$5.00", ""]);
});

test("a crossing is a sentence, also where little is known of it", () => {
  assert.equal(crossingWords({ level: 80, scope: "day", limitMicroUSD: 5_000_000, costMicroUSD: 4_010_000 }), "80 % of the budget of the day ($5.00) crossed: $4.01 spent");
  assert.equal(crossingWords({ level: 100, scope: "decade" }), "100 % of the budget crossed");
});

test("a budget is taken away by one of nothing, and the list is asked for again", async () => {
  const sent = [];
  const state = emptyState();
  const link = { isLive: true, command: async (message) => { sent.push(message); return { budgets: [] }; } };
  const known = { scope: "session", session: "s1", microUSD: 5, levels: [100], hold: true, spentMicroUSD: 3, crossed: 0 };
  await new Budgets(link, state, () => undefined).remove(known);
  assert.deepEqual(sent, [
    { type: "budget", budget: { scope: "session", session: "s1", microUSD: 0, levels: [100], hold: true } }, { type: "budgets" }]);
  assert.deepEqual(state.budgets, []);
});
