/**
 * An app's Live Activity reduced to what a drawn preview needs. Pure.
 *
 * Cards of the profile `heliograph` are drawn as `LiveActivityKit` draws them. For other apps the relay knows the fields but not the look, so
 * the preview lists the fields by name.
 */

import { costOf, count, countdown, duration, timeOfDay } from "./format.js";
import { plural, t } from "./language.js";

/** @typedef {import("./lockscreen.js").Card} Card */
/** @typedef {import("./wire").Fields} Fields */
/** @typedef {"work"|"wait"|"approval"|"question"|"money"|"done"|"failed"|"idle"|"offline"|"card"} Symbol */
/** @typedef {"blue"|"orange"|"purple"|"green"|"red"|"gray"} Tint */

/**
 * @typedef {object} Face
 * @property {Symbol} symbol
 * @property {Tint} tint
 * @property {string} title
 * @property {string} status
 * @property {string} detail
 * @property {string} place       Project and machine; empty where unknown.
 * @property {{completed: number, total: number, text: string}} [progress]
 * @property {number} [since]     The start of a running timer; milliseconds since 1970.
 * @property {number} [stoppedAt] The end of the timer; milliseconds since 1970.
 * @property {string} cost        Empty where unknown.
 * @property {"near"|"over"|null} budget The state of the budget.
 * @property {string} short       The text of the compact Dynamic Island if no timer runs.
 * @property {boolean} needsPerson
 * @property {[name: string, value: string][]} facts For other apps: all the fields.
 */

/** @type {Record<string, [symbol: Symbol, tint: Tint]>} Symbol and tint by the session's phase. */
const looks = {
  starting: ["wait", "gray"],
  working: ["work", "blue"],
  approval: ["approval", "orange"],
  question: ["question", "purple"],
  budget: ["money", "orange"],
  idle: ["idle", "gray"],
  failed: ["failed", "red"],
  done: ["done", "green"],
  stale: ["offline", "gray"],
};

/** The level in percent at which a budget is spent. Only crossed levels appear on a card. */
const budgetLevelSpent = 100;

/** Seconds between 1970 and 2001, which is where Swift's dates begin. */
const reference2001 = 978_307_200;

/**
 * @param {Card} card @param {string} profile @param {string} title The session's title, for cards without one.
 * @returns {Face}
 */
export const faceOf = (card, profile, title) => (profile === "heliograph" ? ownFace(card, title) : foreignFace(card, title));

/** @param {Card} card @param {string} title @returns {Face} */
function ownFace({ attributes, contentState: state, isStale }, title) {
  const phase = phaseOf(state, isStale);
  const [symbol, usual] = looks[phase];
  const [approvals, questions, level] = [number(state.approvals), number(state.questions), number(state.budgetLevel)];
  const progress = stepsOf(state.progress, (completed, total) => `${completed}/${total}`);
  const waiting = approvals + questions;
  const ended = date(state.updatedAt);
  const budget = level >= budgetLevelSpent ? "over" : level > 0 ? "near" : null;
  return {
    symbol, tint: phase === "budget" && budget === "over" ? "red" : usual, title: text(attributes.title) || title, status: wordsOf(phase, state), detail: detailOf(phase, state),
    place: [text(attributes.project), text(attributes.host)].filter(Boolean).join(" · "), progress,
    since: date(state.startedAt), stoppedAt: phase === "done" || phase === "failed" ? ended : undefined,
    cost: costOf({ costMicroUSD: amount(state.costMicroUSD), estimateMicroUSD: amount(state.estimateMicroUSD) }),
    budget, short: waiting ? String(waiting) : progress?.text ?? "", needsPerson: phase === "approval" || phase === "question", facts: [],
  };
}

/** @param {Fields} state @param {boolean} isStale */
function phaseOf(state, isStale) {
  if (state.status === "completed") return "done";
  if (state.status === "failed") return "failed";
  // A session that waits for a person keeps that status, however old its last event.
  if (typeof state.approval === "object" && state.approval) return state.approval.isQuestion ? "question" : "approval";
  if (number(state.approvals) > 0 || state.status === "waitingApproval") return "approval";
  if (number(state.questions) > 0 || state.status === "waitingAnswer") return "question";
  if (isStale || state.status === "stale") return "stale";
  if (number(state.budgetLevel) > 0) return "budget";
  return state.status === "starting" || state.status === "idle" ? state.status : "working";
}

/** @param {string} phase @param {Fields} state @returns {string} */
function wordsOf(phase, state) {
  switch (phase) {
    case "working":
      return number(state.sessions) > 1 ? plural(state.sessions, "session") : t`Working`;
    case "approval":
      return number(state.approvals) > 1 ? t`${state.approvals} approvals needed` : t`Approval needed`;
    case "question":
      return number(state.questions) > 1 ? t`${state.questions} questions` : t`Question`;
    case "budget":
      return t`${state.budgetLevel} % of budget`;
    default:
      return { starting: t`Starting`, idle: t`Idle`, failed: t`Failed`, done: t`Done`, stale: t`Out of touch` }[phase] ?? phase;
  }
}

/** @param {string} phase @param {Fields} state */
function detailOf(phase, state) {
  switch (phase) {
    case "approval":
      return text(state.approval?.summary) || text(state.approval?.tool);
    case "question":
      return text(state.approval?.summary) || text(state.operation);
    case "failed":
      return text(state.error);
    case "stale":
      return "";
    default:
      return text(state.error) || text(state.operation) || text(state.progress?.current);
  }
}

/** @param {Card} card @param {string} title @returns {Face} */
function foreignFace({ attributes, contentState }, title) {
  const facts = flatten(contentState);
  const named = Object.entries(attributes).find(([key, value]) => /title|name$/i.test(key) && typeof value === "string");
  const status = text(contentState.status);
  const share = contentState.progress;
  const nested = Object.values(contentState).map((value) => stepsOf(value, (completed, total) => t`${completed} of ${total}`)).find(Boolean);
  const steps = typeof share === "number" ? { completed: Math.min(1, Math.max(0, share)), total: 1, text: `${Math.round(100 * share)} %` } : nested;
  return {
    symbol: "card", tint: "gray", title: named ? text(named[1]) : title, status: status ? words(status) : "", detail: "", place: "",
    progress: steps, cost: "", budget: null, short: steps?.text ?? facts[0]?.[1] ?? "", needsPerson: false,
    facts: facts.filter(([name]) => name !== "Status"),
  };
}

/**
 * The running time, or the final time, of a card's timer.
 * @param {Face} face @param {number} now Milliseconds since 1970.
 */
export function elapsed({ since, stoppedAt }, now) {
  if (since === undefined) return "";
  return stoppedAt === undefined ? countdown(now - since) : duration(stoppedAt - since);
}

/** @param {any} steps @param {(completed: number, total: number) => string} words @returns {Face["progress"]} */
function stepsOf(steps, words) {
  const [completed, total] = [number(steps?.completed), number(steps?.total)];
  return total > 0 ? { completed, total, text: words(completed, total) } : undefined;
}

/**
 * All fields with readable names, including nested ones.
 * @param {Fields} fields @param {string} [prefix] @returns {[string, string][]}
 */
function flatten(fields, prefix = "") {
  return Object.entries(fields).flatMap(([key, value]) => {
    const name = words(`${prefix} ${key}`);
    if (typeof value === "object" && value !== null) return flatten(value, name);
    return /** @type {[string, string][]} */ ([[name, plainly(key, value)]]);
  });
}

/** @param {string} key @param {unknown} value */
function plainly(key, value) {
  if (typeof value !== "number") return String(value);
  // A number in the range of the years 1989 to 2096 under a name that suggests a time: seconds since 2001 or 1970, depending on its size.
  if (/(at|date|time|updated?|delivery)$/i.test(key) && value > 6e8 && value < 4e9) {
    return timeOfDay((value < 1.2e9 ? value + reference2001 : value) * 1000);
  }
  return Number.isInteger(value) ? count(value) : String(Math.round(value * 1000) / 1000);
}

/** @param {string} name `currentOperation`, as `Current operation`. */
function words(name) {
  const plain = name.trim().replace(/([a-z0-9])([A-Z])/g, (_, before, after) => `${before} ${after.toLowerCase()}`).toLowerCase();
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}

/** @param {unknown} seconds Since 2001. @returns {number|undefined} Milliseconds since 1970. */
const date = (seconds) => (typeof seconds === "number" ? (seconds + reference2001) * 1000 : undefined);

/** @param {unknown} value */
const text = (value) => (typeof value === "string" ? value : "");

/** @param {unknown} value */
const amount = (value) => (typeof value === "number" ? value : undefined);

/** @param {unknown} value */
const number = (value) => (typeof value === "number" ? value : 0);
