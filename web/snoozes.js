/**
 * Sessions that are snoozed on this device. A person who snoozes a session has seen its requests, so only a new request ends the snooze early. Pure
 * but for its storage.
 */

import { keep, stored } from "./stored.js";

/** Maximum number of snoozed sessions; beyond that the oldest snoozes end. */
const snoozesMax = 200;
const place = "heliograph.snoozed";

/** @typedef {{until: number, asked: string[]}} Snooze `asked`: the approvals that waited when it began. */

export class Snoozes {
  /** @type {Map<string, Snooze>} */ #sessions = new Map();
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;
  /** @type {() => number} */ #now;
  #running = 0;

  /**
   * @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws if site data is blocked; snoozes then last for this visit only.
   * @param {() => number} now
   */
  constructor(storage, now) {
    [this.#storage, this.#now] = [storage, now];
    this.#read();
    this.due();
  }

  /**
   * The end of a session's snooze; undefined if it is not snoozed.
   * @param {string} session
   */
  until(session) {
    return this.#sessions.get(session)?.until;
  }

  /**
   * @param {string} session @param {() => string[]} asks The session's waiting approvals.
   * @returns {boolean} True if the session is still snoozed.
   */
  has(session, asks) {
    const one = this.#sessions.get(session);
    return one !== undefined && this.#now() < one.until && asks().every((approval) => one.asked.includes(approval));
  }

  /** @param {string} session @param {Snooze|null} snooze Null ends the snooze. */
  set(session, snooze) {
    this.#read();
    this.#sessions.delete(session);
    if (snooze) this.#sessions.set(session, snooze);
    this.#sessions = new Map([...this.#sessions].filter(([, { until }]) => until > this.#now()).slice(-snoozesMax));
    this.due();
    keep(this.#storage, place, [...this.#sessions]);
  }

  /** True if a snooze has ended since the last call. */
  due() {
    const running = [...this.#sessions.values()].filter(({ until }) => this.#now() < until).length;
    const isDue = running < this.#running;
    this.#running = running;
    return isDue;
  }

  /** Reads the snoozes again, because another tab may have changed them. */
  #read() {
    const kept = stored(this.#storage, place);
    if (Array.isArray(kept)) this.#sessions = new Map(kept.filter(isSnoozed));
  }
}

/** @param {unknown} entry @returns {entry is [string, Snooze]} */
const isSnoozed = (entry) => Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1]?.until === "number" && Array.isArray(entry[1].asked);
