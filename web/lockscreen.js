/**
 * Computes the Lock Screen and the Dynamic Island of a phone from the pushes that APNs accepted. Pure.
 *
 * The rules are those of `APNsSimulator/Device`; one table of cases tests both (`Tests/Web/Fixtures/lockscreen.json`).
 * Unknown facts are ignored: whether the phone was reachable, its push budget, and dismissed notifications.
 * A device is one app, so no other app's Live Activity shares the island.
 */

import { t } from "./language.js";

/** @typedef {import("./wire").Push} Push */
/** @typedef {import("./wire").Fields} Fields */

/**
 * @typedef {object} Card
 * @property {number} id           The number of the push that started the card; the relay knows no other name of it.
 * @property {string|undefined} session Undefined for a card about all sessions.
 * @property {string|undefined} type The `attributes-type`; undefined if the start was not seen.
 * @property {Fields} attributes
 * @property {Fields} contentState
 * @property {number} startedAt    Milliseconds since 1970, as are all times here but `timestamp`.
 * @property {number} timestamp    Seconds since 1970, of the newest applied content.
 * @property {number} updatedAt
 * @property {number} [staleAt]
 * @property {number} relevance
 * @property {Alert|undefined} alert The alert that lit up the screen within the last `alertMs`.
 * @property {number} [endedAt]
 * @property {number} [dismissAt]
 * @property {boolean} isStale
 * @property {boolean} isEnded
 */

/** @typedef {{title: string, body: string, hasSound: boolean, at: number}} Alert */

/**
 * @typedef {object} Notification
 * @property {number} push
 * @property {string} title
 * @property {string} subtitle
 * @property {string} body
 * @property {string|undefined} thread  Notifications with the same thread form a stack.
 * @property {string|undefined} collapse
 * @property {string|undefined} category
 * @property {boolean} isTimeSensitive
 * @property {boolean} rang
 * @property {number} at
 */

/**
 * @typedef {object} Screen
 * @property {Card[]} cards             The cards from top to bottom.
 * @property {{top: Notification, count: number}[]} stacks Stacks of notifications below the cards, newest first.
 * @property {{form: "empty"}|{form: "compact"|"expanded", card: Card}} island
 * @property {Map<number, string>} ignored The reason why an accepted push has no effect on the phone, by push number.
 */

/** Time for which an alert keeps the island expanded. */
export const alertMs = 5000;
/** iOS ends a Live Activity after this time. */
const activeMsMax = 8 * 3_600_000;
/** iOS removes an ended Live Activity from the Lock Screen after this time. */
const endedMsMax = 4 * 3_600_000;
/** Timestamps further ahead are ignored. */
const futureSecondsMax = 8 * 3600;
/** Live Activities that iOS allows an app at the same time. */
const cardsMax = 5;

/**
 * @param {Push[]} pushes The pushes of one device, in any order.
 * @param {number} now The relay's time, in milliseconds.
 * @returns {Screen}
 */
export function lockScreen(pushes, now) {
  /** @type {Card[]} */
  let cards = [];
  /** @type {Notification[]} Notifications, newest last. */
  let notifications = [];
  /** @type {Screen["ignored"]} */
  const ignored = new Map();
  for (const push of arrived(pushes)) {
    const at = arrival(push);
    cards = live(cards, at);
    const aps = push.payload?.aps;
    let reason = "";
    if (!isObject(aps)) reason = t`it has no aps`;
    else if (push.purpose !== "alert") reason = applyToCard(cards, push, aps, at);
    else {
      const shown = notification(push, aps, at);
      if (typeof shown === "string") reason = shown;
      else notifications = [...notifications.filter(({ collapse }) => !collapse || collapse !== shown.collapse), shown];
    }
    if (reason) ignored.set(push.push, reason);
  }
  cards = live(cards, now).map((card) => ({
    ...card,
    isStale: card.staleAt !== undefined && card.staleAt <= now,
    isEnded: card.endedAt !== undefined,
    alert: card.alert && now - card.alert.at < alertMs ? card.alert : undefined,
  }));
  // The most relevant card first; with equal relevance, the most recently updated one.
  cards.sort((a, b) => b.relevance - a.relevance || b.updatedAt - a.updatedAt || b.id - a.id);
  return { cards, stacks: stacks(notifications), island: island(cards.filter(({ isEnded }) => !isEnded)), ignored };
}

/**
 * The pushes that APNs accepted, in that order.
 * @param {Push[]} pushes @returns {Push[]}
 */
const arrived = (pushes) =>
  pushes.filter(({ outcome, purpose }) => outcome?.result === "accepted" && purpose !== "channel")
    .sort((a, b) => arrival(a) - arrival(b) || a.push - b.push);

/** @param {Push} push */
const arrival = ({ answeredAt, plannedAt }) => answeredAt ?? plannedAt;

/**
 * @param {Card[]} cards The device's cards; the push may add or change one.
 * @param {Push} push @param {Fields} aps @param {number} at
 * @returns {string} The reason why the push had no effect, or an empty text.
 */
function applyToCard(cards, push, aps, at) {
  if (!isWhole(aps.timestamp)) return t`its timestamp is no whole number`;
  if (aps.timestamp > at / 1000 + futureSecondsMax) return t`its timestamp is too far ahead`;
  const state = aps["content-state"];
  if (state !== undefined && !isObject(state)) return t`its content-state is no object`;
  if (hasNull(state)) return t`there is a null in its content-state`;
  switch (aps.event) {
    case "start":
      return start(cards, push, aps, at);
    case "update":
    case "end":
      return change(cards, push, aps, at);
    default:
      return t`its event is none of start, update, end`;
  }
}

/** @param {Card[]} cards @param {Push} push @param {Fields} aps @param {number} at */
function start(cards, push, aps, at) {
  const { title, body } = textOf(aps.alert);
  if (!title && !body) return t`a start needs an alert`;
  if (typeof aps["attributes-type"] !== "string" || !isObject(aps.attributes)) return t`a start needs attributes and their type`;
  if (!aps["content-state"]) return t`it has no content-state`;
  if (cards.filter(({ endedAt }) => endedAt === undefined).length >= cardsMax) return t`there are ${cardsMax} cards already`;
  const card = begin(push, aps, at);
  cards.push(card);
  apply(card, aps, at);
  return "";
}

/** @param {Card[]} cards @param {Push} push @param {Fields} aps @param {number} at */
function change(cards, push, aps, at) {
  const isEnd = aps.event === "end";
  const own = cards.filter(({ session }) => session === push.session);
  let card = own.filter(({ endedAt }) => endedAt === undefined).at(-1);
  if (!card) {
    if (own.length) return t`its card has ended`;
    if (!aps["content-state"]) return t`there is no such card`;
    // The app started this card itself, or its start is older than the pushes that the relay sends.
    card = begin(push, aps, at);
    cards.push(card);
  }
  const isNewer = aps.timestamp > card.timestamp;
  // A late end still ends the card, but its content is outdated.
  if (!isEnd && !isNewer) return aps.timestamp === card.timestamp ? t`it is as old as what is shown` : t`it is ${card.timestamp - aps.timestamp} s older than what is shown`;
  if (!isEnd && !aps["content-state"]) return t`it has no content-state`;
  if (isNewer) apply(card, aps, at);
  if (isEnd) end(card, isWhole(aps["dismissal-date"]) ? Math.min(aps["dismissal-date"] * 1000, at + endedMsMax) : at + endedMsMax, at);
  return "";
}

/** @param {Push} push @param {Fields} aps @param {number} at @returns {Card} */
const begin = (push, aps, at) => ({
  id: push.push, session: push.session, type: aps["attributes-type"], attributes: aps.attributes ?? {}, contentState: {},
  startedAt: at, timestamp: 0, updatedAt: at, relevance: 0, alert: undefined, isStale: false, isEnded: false,
});

/** @param {Card} card @param {Fields} aps @param {number} at */
function apply(card, aps, at) {
  card.timestamp = aps.timestamp;
  card.updatedAt = at;
  card.staleAt = isWhole(aps["stale-date"]) ? aps["stale-date"] * 1000 : undefined;
  if (aps["content-state"]) card.contentState = aps["content-state"];
  if (typeof aps["relevance-score"] === "number") card.relevance = aps["relevance-score"];
  if (isObject(aps.alert)) card.alert = { ...textOf(aps.alert), hasSound: aps.alert.sound !== undefined, at };
}

/** @param {Card} card @param {number} dismissAt @param {number} at */
function end(card, dismissAt, at) {
  card.endedAt = at;
  card.dismissAt = Math.max(dismissAt, at);
}

/**
 * Ends and removes cards whose eight and four hours have passed.
 * @param {Card[]} cards @param {number} now
 */
function live(cards, now) {
  for (const card of cards) {
    const latest = card.startedAt + activeMsMax;
    if (card.endedAt === undefined && latest <= now) end(card, latest + endedMsMax, latest);
  }
  return cards.filter(({ dismissAt }) => dismissAt === undefined || dismissAt > now);
}

/**
 * The island's form for the cards that have not ended, most relevant first.
 * @param {Card[]} cards @returns {Screen["island"]}
 */
function island(cards) {
  if (!cards.length) return { form: "empty" };
  const alerting = cards.find(({ alert }) => alert);
  return alerting ? { form: "expanded", card: alerting } : { form: "compact", card: cards[0] };
}

/**
 * The notification of a push, or the reason why there is none.
 * @param {Push} push @param {Fields} aps @param {number} at @returns {Notification|string}
 */
function notification(push, aps, at) {
  const text = textOf(aps.alert);
  if (!text.title && !text.body) return t`there is nothing to show`;
  const level = aps["interruption-level"] ?? "active";
  if (!["passive", "active", "time-sensitive", "critical"].includes(level)) return t`its interruption-level is unknown`;
  return {
    ...text, push: push.push, thread: asString(aps["thread-id"]), collapse: push.collapse, category: asString(aps.category),
    isTimeSensitive: level === "time-sensitive", rang: level !== "passive" && aps.sound !== undefined, at,
  };
}

/**
 * Stacks notifications by thread. `notifications` has the newest last.
 * @param {Notification[]} notifications @returns {Screen["stacks"]}
 */
function stacks(notifications) {
  /** @type {Map<string, {top: Notification, count: number}>} */
  const threads = new Map();
  for (const top of notifications) threads.set(top.thread ?? "", { top, count: (threads.get(top.thread ?? "")?.count ?? 0) + 1 });
  return [...threads.values()].sort((a, b) => b.top.at - a.top.at || (a.top.title < b.top.title ? 1 : -1));
}

/** @param {unknown} alert APNs allows a string or an object. */
function textOf(alert) {
  if (typeof alert === "string") return { title: "", subtitle: "", body: alert };
  const fields = isObject(alert) ? alert : {};
  return { title: asString(fields.title) ?? "", subtitle: asString(fields.subtitle) ?? "", body: asString(fields.body) ?? "" };
}

/** @param {unknown} value @returns {value is Fields} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @param {unknown} value @returns {value is number} */
const isWhole = (value) => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0;

/** @param {unknown} value @returns {string|undefined} */
const asString = (value) => (typeof value === "string" ? value : undefined);

/** @param {unknown} value @returns {boolean} */
const hasNull = (value) => value === null || (typeof value === "object" && Object.values(value ?? {}).some(hasNull));
