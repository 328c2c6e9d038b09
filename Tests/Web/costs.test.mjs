process.env.TZ = "Europe/Berlin";

import assert from "node:assert/strict";
import test from "node:test";
import { barsOf, budgetDayEnd, cacheShare, Costs, forecast, measureOf, monthBudget, placesMax, plus, spanOf } from "../../web/costs.js";

const at = (/** @type {string} */ text) => Date.parse(text);

test("days are those of the browser's time zone, also where clocks are set back", () => {
  const { days, until } = spanOf("week", at("2026-10-27T10:00:00+01:00"));
  assert.deepEqual(days.map((day) => new Date(day).toISOString().slice(0, 16)), [
    "2026-10-20T22:00", "2026-10-21T22:00", "2026-10-22T22:00", "2026-10-23T22:00", "2026-10-24T22:00", "2026-10-25T23:00", "2026-10-26T23:00",
  ]);
  assert.equal(new Date(until).toISOString(), "2026-10-27T23:00:00.000Z");
  assert.equal(spanOf("month", at("2026-10-27T10:00:00+01:00")).days.length, 27);
  assert.ok(spanOf("year", at("2026-12-31T23:59:59+01:00")).days.length <= 366);
});

test("a bar for each day, stacked in the order of the models, and what is unknown stays unknown", () => {
  const now = at("2026-11-03T12:00:00+01:00");
  const report = /** @type {any} */ ({ total: { costMicroUSD: 5 }, days: [
    { day: 1, models: [{ model: 0, costMicroUSD: 5, tokens: { input: 1 } }, { model: 2, estimateMicroUSD: 2 }, { tokens: { output: 9 } }] },
  ] });
  const bars = barsOf(report, spanOf("month", now));
  assert.deepEqual(bars.map(({ label, size }) => [label, size]), [["1 Nov", 0], ["2 Nov", 7], ["3 Nov", 0]]);
  assert.deepEqual(bars[1].parts.map(({ place, size }) => ({ place, size })), [{ place: 0, size: 5 }, { place: 2, size: 2 }, { place: placesMax, size: 0 }]);
  assert.deepEqual(bars[1].sum.tokens, { input: 1, output: 9, cacheRead: 0, cacheWrite: 0 });
  assert.equal(plus({ tokens: {} }, { estimateMicroUSD: 3 }).costMicroUSD, undefined);
});

test("a year is shown by month", () => {
  const span = spanOf("year", at("2026-11-03T12:00:00+01:00"));
  const report = /** @type {any} */ ({ total: { costMicroUSD: 18 }, days: [{ day: 0, models: [{ model: 0, costMicroUSD: 5 }] }, { day: 30, models: [{ model: 0, costMicroUSD: 6 }] }, { day: 31, models: [{ model: 0, costMicroUSD: 7 }] }] });
  const bars = barsOf(report, span);
  assert.deepEqual(bars.map(({ label }) => label).slice(0, 2), ["Dec 2025", "Jan 2026"]);
  assert.equal(bars.length, 12);
  assert.deepEqual(bars[0].parts.map(({ size, sum }) => [size, sum.costMicroUSD]), [[11, 11]]);
  assert.equal(bars[1].size, 7);
});

test("where nothing has a price, bars are of tokens; beside a price they stay named", () => {
  const unpriced = { tokens: { input: 9 }, unpricedTokens: 9 };
  const report = /** @type {any} */ ({ total: unpriced, days: [{ day: 1, models: [{ model: 0, ...unpriced }] }] });
  const bar = barsOf(report, spanOf("month", at("2026-11-03T12:00:00+01:00")))[1];
  assert.deepEqual([bar.size, bar.parts[0].size, bar.sum.unpricedTokens], [9, 9, 9]);
  assert.equal(measureOf({ costMicroUSD: 1, unpricedTokens: 9 })({ costMicroUSD: 1, unpricedTokens: 9 }), 1);
  assert.equal(plus({ costMicroUSD: 1 }, unpriced).unpricedTokens, 9);
});

test("the share of a cache, and of nothing none", () => {
  assert.equal(cacheShare({ tokens: { input: 1, cacheRead: 6, cacheWrite: 1, output: 100 } }), 0.75);
  assert.equal(cacheShare({}), null);
});

test("when the day's budget is spent, if it does not last the day", () => {
  const now = at("2026-11-03T12:00:00Z");
  const day = /** @type {any} */ ({ scope: "day", microUSD: 10, spentMicroUSD: 4 });
  assert.equal(forecast([day], 3, now), at("2026-11-03T14:00:00Z"));
  assert.equal(forecast([day], 0.5, now), null);
  assert.equal(budgetDayEnd(now), at("2026-11-04T00:00:00Z"));
  assert.equal(forecast([{ ...day, spentMicroUSD: 10 }], 3, now), null);
  assert.equal(forecast([{ ...day, scope: "workspace" }], 3, now), null);
  assert.equal(forecast([day], 0, now), null);
});

test("the day's budget for a whole month, beside this month alone", () => {
  const now = at("2026-02-28T23:30:00+01:00");
  const budgets = /** @type {any} */ ([{ scope: "workspace", microUSD: 1 }, { scope: "day", microUSD: 10 }]);
  assert.equal(monthBudget(budgets, spanOf("month", now), now), 280);
  assert.deepEqual(["week", "thirty", "year"].map((range) => monthBudget(budgets, spanOf(range, now), now)), [null, null, null]);
  assert.equal(monthBudget(budgets.slice(0, 1), spanOf("month", now), now), null);
});

test("an answer to what was asked before is not shown", async () => {
  /** @type {((reply: any) => void)[]} */
  const waiting = [];
  const link = { isLive: true, command: () => new Promise((resolve) => waiting.push(resolve)) };
  const costs = new Costs(/** @type {any} */ (link), () => at("2026-11-03T12:00:00Z"), () => undefined);
  const [first, second] = [costs.load("week"), costs.load("year")];
  waiting[1]({ costs: { of: "year" } });
  waiting[0]({ costs: { of: "week" } });
  await Promise.all([first, second]);
  assert.deepEqual(costs.report, { of: "year" });
  assert.equal(costs.span?.byMonth, true);
});
