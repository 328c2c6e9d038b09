/** Words about a budget for the views that only show it. Pure. */

import { money } from "./format.js";
import { t } from "./language.js";

/**
 * The colour of a cost, from its budget's level in percent.
 * @param {{level: number}|undefined} budget @returns {"near"|"over"|null}
 */
export const strain = (budget) => (!budget?.level ? null : budget.level >= 100 ? "over" : "near");

/** @type {Record<string, string>} Words for agents that cannot be made to ask about every tool once a budget is spent. */
const reachWords = {
  most: t`all tools need approval but those that the agent’s own rules trust`,
  unchanged: t`this agent cannot be held and asks as before; prompts are refused`,
};

/** @param {NonNullable<import("./wire").Summary["budget"]>} budget */
const reachOf = (budget) => (budget.held ? t`every tool needs approval` : reachWords[budget.hold ?? ""] ?? "");

/**
 * A sentence about a session's budget, from the session's summary.
 * @param {import("./wire").Summary["budget"]} budget
 */
export function strainWords(budget) {
  if (!budget) return "";
  const reach = reachOf(budget);
  const held = reach && `; ${reach}`;
  if (!budget.level) return `${money(budget.microUSD)}${held}`;
  return t`${budget.level} % of ${money(budget.microUSD)} crossed` + held;
}

/**
 * A sentence that a spent budget holds the session; empty if none does.
 * @param {Pick<import("./wire").Summary, "budget">|undefined} summary
 */
export function heldWords(summary) {
  const budget = summary?.budget;
  const words = budget && reachOf(budget);
  return budget && words ? t`The budget of ${money(budget.microUSD)} is spent: ${words}.` : "";
}

const owners = /** @type {Record<string, string>} */ ({
  session: t`the budget of this session`, everySession: t`the budget of this session`, day: t`the budget of the day`, workspace: t`the budget of everything`,
});

/**
 * A sentence for the event that a cost crossed a budget's level. A newer relay may omit fields or use unknown scopes.
 * @param {import("./wire").Fields} head
 */
export function crossingWords({ level, scope, limitMicroUSD, costMicroUSD }) {
  const budget = `${owners[scope] ?? t`the budget`}${typeof limitMicroUSD === "number" ? ` (${money(limitMicroUSD)})` : ""}`;
  return typeof costMicroUSD === "number" ? t`${Number(level)} % of ${budget} crossed: ${money(costMicroUSD)} spent` : t`${Number(level)} % of ${budget} crossed`;
}
