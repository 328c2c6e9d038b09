/** Reads cost reports from the relay, and words for them. */

import { explain } from "./devices.js";
import { language, t } from "./language.js";

/** @typedef {import("./wire").CostReport} CostReport */
/** @typedef {{costMicroUSD?: number, estimateMicroUSD?: number, tokens?: Partial<import("./wire").Tokens>, unpricedTokens?: number}} Sum */
/** @typedef {{days: number[], until: number, byMonth: boolean}} Span */
/** @typedef {{label: string, begin: number, size: number, sum: Sum, parts: {place: number, size: number, sum: Sum}[]}} Bar `size`: micro-dollars, or tokens. */

/** @type {Record<string, string>} The time ranges of the costs view; the first is the default. */
export const ranges = { month: t`This month`, week: t`7 days`, thirty: t`30 days`, year: t`12 months` };

const dayMs = 86_400_000;
/** The number of models with a colour of their own in a bar; equals the relay's `CostReport.modelsOfDayMax`. */
export const placesMax = 8;

/**
 * The days of a range, in this browser's time zone.
 * @param {string} range @param {number} now @returns {Span}
 */
export function spanOf(range, now) {
  const today = new Date(now);
  const [year, month, day] = [today.getFullYear(), today.getMonth(), today.getDate()];
  const begin = {
    month: new Date(year, month, 1), week: new Date(year, month, day - 6), thirty: new Date(year, month, day - 29), year: new Date(year, month - 11, 1),
  }[range] ?? new Date(year, month, 1);
  const days = [];
  for (let next = begin; next.getTime() <= now; next = new Date(next.getFullYear(), next.getMonth(), next.getDate() + 1)) days.push(next.getTime());
  return { days, until: new Date(year, month, day + 1).getTime(), byMonth: range === "year" };
}

/**
 * The cost with the estimates for models without a reported price.
 * @param {Sum} sum
 */
const allOf = ({ costMicroUSD = 0, estimateMicroUSD = 0 }) => costMicroUSD + estimateMicroUSD;

/**
 * The measure of a bar's length: dollars, or tokens if nothing has a price.
 * @param {Sum} total @returns {(sum: Sum) => number}
 */
export const measureOf = (total) => (allOf(total) || !total.unpricedTokens ? allOf : ({ unpricedTokens = 0 }) => unpricedTokens);

/**
 * Adds two sums. A cost that is unknown in both stays unknown.
 * @param {Sum} one @param {Sum} other @returns {Sum}
 */
export function plus(one, other) {
  /** @type {Partial<import("./wire").Tokens>[]} */
  const [a, b] = [one.tokens ?? {}, other.tokens ?? {}];
  const known = one.costMicroUSD !== undefined || other.costMicroUSD !== undefined;
  return {
    ...(known && { costMicroUSD: (one.costMicroUSD ?? 0) + (other.costMicroUSD ?? 0) }),
    estimateMicroUSD: (one.estimateMicroUSD ?? 0) + (other.estimateMicroUSD ?? 0),
    unpricedTokens: (one.unpricedTokens ?? 0) + (other.unpricedTokens ?? 0),
    tokens: {
      input: (a.input ?? 0) + (b.input ?? 0), output: (a.output ?? 0) + (b.output ?? 0),
      cacheRead: (a.cacheRead ?? 0) + (b.cacheRead ?? 0), cacheWrite: (a.cacheWrite ?? 0) + (b.cacheWrite ?? 0),
    },
  };
}

/**
 * The sum of one day; zero if nothing was used.
 * @param {CostReport} report @param {number} day @returns {Sum}
 */
export const sumOf = (report, day) =>
  (report.days.find((one) => one.day === day)?.models ?? []).reduce((sum, share) => plus(sum, share), /** @type {Sum} */ ({ costMicroUSD: 0 }));

/**
 * One bar for each day of the span, or each month of a long span, including those without usage.
 * @param {CostReport} report @param {Span} span @returns {Bar[]}
 */
export function barsOf(report, { days, byMonth }) {
  const measure = measureOf(report.total);
  /** @type {Map<string, Bar>} */
  const bars = new Map();
  const named = byMonth ? { month: "short", year: "numeric" } : { day: "numeric", month: "short" };
  const words = new Intl.DateTimeFormat(language.tag, /** @type {Intl.DateTimeFormatOptions} */ (named));
  const places = days.map((begin) => {
    const label = words.format(begin);
    if (!bars.has(label)) bars.set(label, { label, begin, size: 0, sum: {}, parts: [] });
    return label;
  });
  for (const { day, models } of report.days) {
    const bar = bars.get(places[day] ?? "");
    if (!bar) continue;
    for (const share of models) {
      const [place, size] = [share.model ?? placesMax, measure(share)];
      bar.size += size;
      bar.sum = plus(bar.sum, share);
      const part = bar.parts.find((one) => one.place === place);
      if (part) Object.assign(part, { size: part.size + size, sum: plus(part.sum, share) });
      else bar.parts.push({ place, size, sum: share });
    }
    bar.parts.sort((a, b) => a.place - b.place);
  }
  return [...bars.values()];
}

/**
 * The share of input tokens that were read from a cache, 0 to 1; null if no cache is reported.
 * @param {Sum} sum
 */
export function cacheShare({ tokens = {} }) {
  const read = tokens.cacheRead ?? 0;
  const all = read + (tokens.input ?? 0) + (tokens.cacheWrite ?? 0);
  return read + (tokens.cacheWrite ?? 0) ? read / all : null;
}

/**
 * The time at which the day's budget is spent at the rate of the last hour; null without such a budget, if it is already spent, or if it lasts the day.
 * @param {import("./wire").BudgetReport[]} budgets @param {number} lastHourMicroUSD @param {number} now
 */
export function forecast(budgets, lastHourMicroUSD, now) {
  const budget = budgets.find(({ scope }) => scope === "day");
  const left = budget ? budget.microUSD - budget.spentMicroUSD : 0;
  if (left <= 0 || lastHourMicroUSD <= 0) return null;
  const at = now + (left / lastHourMicroUSD) * 3_600_000;
  return at < budgetDayEnd(now) ? at : null;
}

/**
 * The day's budget for all days of this month, in micro-dollars; null without such a budget, or if the span is not this month.
 * @param {import("./wire").BudgetReport[]} budgets @param {Span} span @param {number} now
 */
export function monthBudget(budgets, span, now) {
  const budget = budgets.find(({ scope }) => scope === "day");
  const [today, begin] = [new Date(now), spanOf("month", now).days[0]];
  if (!budget || span.days[0] !== begin || span.byMonth) return null;
  return budget.microUSD * new Date(today.getFullYear(), today.getMonth() + 1, 0).getDate();
}

/**
 * The end of the budgets' day, which is midnight UTC, not local midnight.
 * @param {number} now
 */
export const budgetDayEnd = (now) => (Math.floor(now / dayMs) + 1) * dayMs;

export class Costs {
  /** The reason why there is no cost report, as a sentence. */
  problem = "";
  /** @type {CostReport|null} */ report = null;
  /** @type {Span|null} The days that the report covers. */ span = null;

  /** @type {Pick<import("./link.js").Link, "command"|"isLive">} */ #link;
  /** @type {() => void} */ #changed;
  /** @type {() => number} */ #now;
  #range = "";
  #asked = 0;

  /**
   * @param {Pick<import("./link.js").Link, "command"|"isLive">} link @param {() => number} now @param {() => void} changed
   */
  constructor(link, now, changed) {
    this.#link = link;
    this.#now = now;
    this.#changed = changed;
  }

  /**
   * Asks the relay for the report, because the costs view is on screen.
   * @param {string} [range]
   */
  async load(range = this.#range) {
    this.#range = range;
    if (!range || !this.#link.isLive) return;
    const [span, asked] = [spanOf(range, this.#now()), this.#asked += 1];
    try {
      const reply = await this.#link.command({ type: "costs", days: span.days, until: span.until });
      // A person may have chosen another range while the relay answered.
      if (asked !== this.#asked) return;
      this.report = /** @type {CostReport} */ (reply.costs);
      this.span = span;
      this.problem = "";
    } catch (error) {
      if (asked !== this.#asked) return;
      this.problem = explain(/** @type {import("./link.js").CommandError} */ (error));
    }
    this.#changed();
  }

  /** Asks again once the link is live. */
  again() {
    return this.load();
  }
}
