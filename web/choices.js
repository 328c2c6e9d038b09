/** A device's notification settings: their words, and the conversion of a form's values into the wire's. Pure. */

import { t } from "./language.js";

/** @typedef {import("./wire").DeviceShown} Device */
/** @typedef {Omit<Extract<import("./wire").Command, {type: "deviceChoices"}>, "type"|"device">} Choices */

/** @typedef {Device["kinds"][number]} Kind */
/** @typedef {NonNullable<Device["mutedProjects"]>[number]} HostProject */

/** The kinds of notifications in the order of the form. */
export const kinds = /** @type {Record<Kind, string>} */ ({
  approval: t`approvals`, question: t`questions`, error: t`errors`, finished: t`finished runs`, budget: t`budgets`,
});

/** The amount of text in a push by the wire's value, with its meaning for an app (which can decide), a browser, an ntfy topic and a receiver. */
const texts = /** @type {Record<string, {name: string, app: string, web: string, ntfy: string, receiver: string}>} */ ({
  full: {
    name: t`The whole command or question, as far as it fits`,
    app: t`Anyone who sees the Lock Screen can read it.`, web: t`Anyone who sees the Lock Screen can read it. Its push service cannot.`,
    ntfy: t`Its server can read it, and so can anyone who sees the Lock Screen or knows the topic.`,
    receiver: t`What the relay's operator has set up can read it, and whoever that shows it to.`,
  },
  summary: {
    name: t`A summary`,
    app: t`Its alerts offer Deny, never Allow: for that, let the app show all of it.`, web: t`It offers Deny, never Allow.`, ntfy: t`It offers Deny, never Allow.`,
    receiver: t`It offers Deny, never Allow.`,
  },
  generic: {
    name: t`That an agent needs something, not what`,
    app: t`Its alerts offer Deny, never Allow.`, web: t`It offers Deny, never Allow.`, ntfy: t`It offers Deny, never Allow.`,
    receiver: t`It offers Deny, never Allow.`,
  },
  sealed: {
    name: t`Only this device can read it; cards show counts`, app: t`Chosen in its app, and only there.`, web: "", ntfy: "", receiver: "",
  },
});

/**
 * The kind of a device: the key of its words in `texts`.
 * @param {Pick<Device, "web"|"ntfy"|"receiver">} device
 */
export const reachOf = ({ web, ntfy, receiver }) => web ? "web" : ntfy ? "ntfy" : receiver ? "receiver" : "app";

/**
 * The text amounts that a device may choose from, with their meaning on that device.
 * @param {Device} device
 * @returns {{text: Device["text"], name: string, meaning: string}[]}
 */
export function textsFor({ text: chosen, ...device }) {
  // `sealed` is offered only if chosen already, because only the app knows whether it has a key for sealed content.
  const words = ["full", "summary", "generic", ...(chosen === "sealed" ? ["sealed"] : [])];
  return words.map((text) => ({ text: /** @type {Device["text"]} */ (text), name: texts[text].name, meaning: texts[text][reachOf(device)] }));
}

/**
 * A sentence about the amount of text in a device's pushes.
 * @param {Device} device
 */
export function textOf({ text = "summary", ...device }) {
  const words = texts[text];
  return words ? [words.name, words[reachOf(device)]].filter(Boolean).join(". ").replace(/\.$/, "") : String(text);
}

/**
 * Minutes since midnight.
 * @param {number} minute
 */
export const clock = (minute) => `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

/**
 * Minutes since midnight of a time such as `07:05`, perhaps with seconds.
 * @param {string} time @returns {number|null}
 */
export function minuteOf(time) {
  const [, hours, minutes] = time.match(/^([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d)?$/) ?? [];
  return hours === undefined ? null : Number(hours) * 60 + Number(minutes);
}

/** The intervals of a digest to choose from, in minutes; the form adds one that was chosen elsewhere. */
export const intervals = [15, 30, 60, 120, 240];

/** @param {number} minutes */
export const intervalWords = (minutes) => {
  if (minutes % 60) return t`${minutes} minutes`;
  return minutes === 60 ? t`1 hour` : t`${minutes / 60} hours`;
};

/**
 * Describes when a device gets its digest.
 * @param {Pick<Device, "gather"|"countsRules">} device
 */
export function gatherWords({ gather, countsRules }) {
  if (!gather) return t`Nothing`;
  const when = gather.when === "interval" ? t`${gather.minutes === 60 ? t`an hour` : intervalWords(gather.minutes ?? 0)} after the first`
    : t`once a day, at ${clock(gather.at ?? 0)}, ${gather.timeZone}`;
  return countsRules ? t`Errors, finished runs, budgets and what rules answered: ${when}` : t`Errors, finished runs and budgets: ${when}`;
}

/** Names of the weekdays; the wire counts them from 1, Monday. */
export const weekdays = [t`Monday`, t`Tuesday`, t`Wednesday`, t`Thursday`, t`Friday`, t`Saturday`, t`Sunday`];

/**
 * Describes when a device gets the weekly cost report.
 * @param {Device["weekly"]} weekly
 */
export const weeklyWords = (weekly) => (weekly ? t`${weekdays[weekly.weekday - 1] ?? t`Once a week`} at ${clock(weekly.at)}, ${weekly.timeZone}` : t`No`);

/** Projects that the form offers besides the muted ones: those of the most recent sessions. */
const projectsMax = 6;

/**
 * The projects to mute: the muted ones, then the most recent. The relay does not know those of sealed sessions, so they are not offered.
 * @param {Iterable<import("./wire").Summary>} sessions @param {HostProject[]} muted
 * @returns {{projects: (HostProject & {words: string, isMuted: boolean})[], sealed: string[]}} `sealed`: the names of hosts with sealed sessions.
 */
export function projectsIn(sessions, muted) {
  const all = [...sessions].sort((a, b) => b.lastActivityAt - a.lastActivityAt);
  const names = new Map(all.map(({ host }) => [host.id, host.name]));
  const known = all.flatMap(({ host, project, line }) => (project && !line ? [{ host: host.id, project }] : []));
  const keyed = (/** @type {HostProject[]} */ list) => new Map(list.map((one) => [`${one.host} ${one.project}`, one]));
  const isMuted = keyed(muted);
  const others = [...keyed(known)].filter(([key]) => !isMuted.has(key)).slice(0, projectsMax);
  return {
    projects: [...isMuted, ...others].map(([key, one]) => ({ ...one, words: `${one.project} · ${names.get(one.host) ?? one.host}`, isMuted: isMuted.has(key) })),
    sealed: [...new Set(all.filter(({ line }) => line).map(({ host }) => host.name))],
  };
}

/**
 * The values of the settings form.
 * @typedef {object} Draft
 * @property {Kind[]} kinds
 * @property {Device["text"]} text
 * @property {string[]} muted
 * @property {HostProject[]} mutedProjects
 * @property {boolean} countsRules Has an effect only with a digest.
 * @property {boolean} hidesCost
 * @property {{from: string, to: string, timeZone: string, exceptRisks: boolean}|null} quiet Times as `22:00`.
 * @property {{minutes: number}|{at: string, timeZone: string}|null} gather The time as `18:00`.
 * @property {{weekday: number, at: string, timeZone: string}|null} weekly The time as `09:00`.
 * @property {boolean} allows
 */

/**
 * @param {Draft} draft
 * @returns {{choices: Choices}|{problem: string}}
 */
export function read({ quiet, gather, weekly, allows, countsRules, hidesCost, kinds: chosen, text, muted, mutedProjects }) {
  /** @type {Choices} */
  const choices = { text, kinds: chosen, muted };
  if (mutedProjects.length) choices.mutedProjects = mutedProjects;
  if (hidesCost) choices.hidesCost = true;
  if (gather && countsRules) choices.countsRules = true;
  // Only a text that shows the whole request can allow from the Lock Screen.
  if (allows && text === "full") choices.allowOnLockScreen = true;
  if (gather && "minutes" in gather) choices.gather = { when: "interval", minutes: gather.minutes };
  else if (gather) {
    const at = minuteOf(gather.at);
    if (at === null) return { problem: t`Say when to sum up the day, such as 18:00.` };
    choices.gather = { when: "daily", at, timeZone: gather.timeZone };
  }
  if (weekly) {
    const at = minuteOf(weekly.at);
    if (at === null) return { problem: t`Say when to tell what the week has cost, such as 09:00.` };
    choices.weekly = { weekday: weekly.weekday, at, timeZone: weekly.timeZone };
  }
  if (!quiet) return { choices };
  const [from, to] = [minuteOf(quiet.from), minuteOf(quiet.to)];
  if (from === null || to === null) return { problem: t`Say from when to when it is quiet, such as 22:00 to 07:00.` };
  if (from === to) return { problem: t`Quiet hours cannot end when they begin: choose another end.` };
  return { choices: { ...choices, quiet: { from, to, timeZone: quiet.timeZone, ...(quiet.exceptRisks ? { exceptRisks: true } : {}) } } };
}
