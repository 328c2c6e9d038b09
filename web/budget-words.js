/** How a budget reads where it is not set. Pure. */

import { money } from "./format.js";
import { t } from "./language.js";

/** @param {{level: number}|undefined} budget @returns {"near"|"over"|null} How the cost is coloured. */
export const strain = (budget) => (!budget?.level ? null : budget.level >= 100 ? "over" : "near");

/** @type {Record<string, string>} Where a spent budget cannot have every tool asked about. */
const reachWords = {
  most: t`all tools need approval but those that the agent’s own rules trust`,
  unchanged: t`this agent cannot be held and asks as before; prompts are refused`,
};

/** @param {NonNullable<import("./wire").Summary["budget"]>} budget */
const reachOf = (budget) => (budget.held ? t`every tool needs approval` : reachWords[budget.hold ?? ""] ?? "");

/**
 * A session's budget, from its summary, as a sentence.
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
 * Where a spent budget holds a session, a sentence that says so to everybody who looks.
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
 * The event that a level was crossed, as a sentence. What a newer relay says of it may be missing or of other words.
 * @param {import("./wire").Fields} head
 */
export function crossingWords({ level, scope, limitMicroUSD, costMicroUSD }) {
  const budget = `${owners[scope] ?? t`the budget`}${typeof limitMicroUSD === "number" ? ` (${money(limitMicroUSD)})` : ""}`;
  return typeof costMicroUSD === "number" ? t`${Number(level)} % of ${budget} crossed: ${money(costMicroUSD)} spent` : t`${Number(level)} % of ${budget} crossed`;
}
