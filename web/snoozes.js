/** The sessions that are put off until later on this device. Whoever puts one off knows what it asks: a new question brings it back. Pure but for its storage. */

import { keep, stored } from "./stored.js";

/** Sessions that are put off at most; with more, those put off first are back. */
const snoozesMax = 200;
const place = "heliograph.snoozed";

/** @typedef {{until: number, asked: string[]}} Snooze `asked`: the approvals that waited then. */

export class Snoozes {
  /** @type {Map<string, Snooze>} */ #sessions = new Map();
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;
  /** @type {() => number} */ #now;
  #running = 0;

  /**
   * @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws where site data is blocked: then it holds for this visit.
   * @param {() => number} now
   */
  constructor(storage, now) {
    [this.#storage, this.#now] = [storage, now];
    this.#read();
    this.due();
  }

  /** @param {string} session Until when, as it was put off; nothing where it was not. */
  until(session) {
    return this.#sessions.get(session)?.until;
  }

  /**
   * @param {string} session @param {() => string[]} asks The approvals that wait in it.
   * @returns {boolean} Whether it is put off still.
   */
  has(session, asks) {
    const one = this.#sessions.get(session);
    return one !== undefined && this.#now() < one.until && asks().every((approval) => one.asked.includes(approval));
  }

  /** @param {string} session @param {Snooze|null} snooze Nothing: it is back. */
  set(session, snooze) {
    this.#read();
    this.#sessions.delete(session);
    if (snooze) this.#sessions.set(session, snooze);
    this.#sessions = new Map([...this.#sessions].filter(([, { until }]) => until > this.#now()).slice(-snoozesMax));
    this.due();
    keep(this.#storage, place, [...this.#sessions]);
  }

  /** Whether one has come back since this was asked last. */
  due() {
    const running = [...this.#sessions.values()].filter(({ until }) => this.#now() < until).length;
    const isDue = running < this.#running;
    this.#running = running;
    return isDue;
  }

  /** Again, as another tab may have changed it. */
  #read() {
    const kept = stored(this.#storage, place);
    if (Array.isArray(kept)) this.#sessions = new Map(kept.filter(isSnoozed));
  }
}

/** @param {unknown} entry @returns {entry is [string, Snooze]} */
const isSnoozed = (entry) => Array.isArray(entry) && typeof entry[0] === "string" && typeof entry[1]?.until === "number" && Array.isArray(entry[1].asked);
