/**
 * What an app draws of one card, reduced to what a picture of it needs. Pure.
 *
 * Cards of the profile `heliograph` are drawn as `LiveActivityKit` draws them. Of other apps the relay knows the fields and not the look:
 * theirs are shown by name.
 */

import { count, countdown, money, plural, timeOfDay } from "./format.js";

/** @typedef {import("./lockscreen.js").Card} Card */
/** @typedef {import("./wire").Fields} Fields */
/** @typedef {"work"|"approval"|"question"|"done"|"failed"|"idle"|"card"} Symbol */
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
 * @property {number} [since]     Counts up from there without a push; milliseconds since 1970.
 * @property {number} [stoppedAt] Counts no further than this.
 * @property {string} cost        Empty where unknown.
 * @property {"near"|"over"|null} budget How far the money goes.
 * @property {string} short       What the compact island has room for, where no time is counted.
 * @property {boolean} needsPerson
 * @property {[name: string, value: string][]} facts For other apps: all the fields.
 */

/** @type {Record<string, [symbol: Symbol, tint: Tint, words: string]>} */
const looks = {
  starting: ["work", "blue", "Starting"],
  running: ["work", "blue", "Running"],
  waitingApproval: ["approval", "orange", "Approval needed"],
  waitingAnswer: ["question", "purple", "Question"],
  idle: ["idle", "gray", "Idle"],
  completed: ["done", "green", "Completed"],
  failed: ["failed", "red", "Failed"],
  stale: ["idle", "gray", "No contact"],
};

/** Seconds between 1970 and 2001, which is where Swift's dates begin. */
const reference2001 = 978_307_200;

/**
 * @param {Card} card @param {string} profile @param {string} title Of the session, where the card does not say.
 * @returns {Face}
 */
export const faceOf = (card, profile, title) => (profile === "heliograph" ? ownFace(card, title) : foreignFace(card, title));

/** @param {Card} card @param {string} title @returns {Face} */
function ownFace({ attributes, contentState: state, endedAt }, title) {
  const [symbol, tint, words] = looks[text(state.status)] ?? ["card", "gray", text(state.status)];
  const { approval, progress } = state;
  const waiting = number(state.approvals) + number(state.questions);
  const sessions = number(state.sessions);
  const level = number(state.budgetLevel);
  const updatedAt = date(state.updatedAt);
  const rests = endedAt !== undefined || ["idle", "completed", "failed"].includes(state.status);
  return {
    symbol, tint, title: text(attributes.title) || title,
    status: sessions > 1 ? `${words} · ${plural(sessions, "session")}` : words,
    detail: approval ? [text(approval.tool), text(approval.summary)].filter(Boolean).join(": ")
      : text(state.error) || text(state.operation) || text(progress?.current),
    place: [text(attributes.project), text(attributes.host)].filter(Boolean).join(" · "),
    progress: stepsOf(progress),
    since: date(state.startedAt), stoppedAt: rests ? updatedAt : undefined,
    cost: typeof state.costMicroUSD === "number" ? money(state.costMicroUSD) : "",
    budget: level >= 100 ? "over" : level > 0 ? "near" : null,
    short: waiting ? String(waiting) : progress?.total ? `${progress.completed}/${progress.total}` : "",
    needsPerson: waiting > 0, facts: [],
  };
}

/** @param {Card} card @param {string} title @returns {Face} */
function foreignFace({ attributes, contentState }, title) {
  const facts = flatten(contentState);
  const named = Object.entries(attributes).find(([key, value]) => /title|name$/i.test(key) && typeof value === "string");
  const status = text(contentState.status);
  const share = contentState.progress;
  const nested = Object.values(contentState).map(stepsOf).find(Boolean);
  const steps = typeof share === "number" ? { completed: Math.min(1, Math.max(0, share)), total: 1, text: `${Math.round(100 * share)} %` } : nested;
  return {
    symbol: "card", tint: "gray", title: named ? text(named[1]) : title, status: status ? words(status) : "", detail: "", place: "",
    progress: steps, cost: "", budget: null, short: steps?.text ?? facts[0]?.[1] ?? "", needsPerson: false,
    facts: facts.filter(([name]) => name !== "Status"),
  };
}

/**
 * How long it has taken, or took.
 * @param {Face} face @param {number} now Milliseconds since 1970.
 */
export const elapsed = ({ since, stoppedAt }, now) => (since === undefined ? "" : countdown((stoppedAt ?? now) - since));

/** @param {any} steps @returns {Face["progress"]} */
const stepsOf = (steps) =>
  number(steps?.total) > 0 ? { completed: number(steps.completed), total: number(steps.total), text: `${number(steps.completed)} of ${number(steps.total)}` }
    : undefined;

/**
 * Fields by names that people read, nested ones too.
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
  // A number of seconds that is a moment of these years, under a name that says so: since 2001 or since 1970, by its size.
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
const number = (value) => (typeof value === "number" ? value : 0);
