/**
 * Reports to the relay whether a person looks at this page, and at which session, so that it need not notify them elsewhere.
 *
 * Reported on every change and repeated while it holds, because the last report of a closed page must expire soon.
 */

import { keyOf } from "./store.js";

/**
 * @typedef {{foreground: boolean, session: string|undefined, device?: string}} Look `session`: the session on screen; `device`: this browser's id for
 * pushes.
 */

/** Half of the time after which the relay drops a report, so that losing one does no harm. */
const repeatMs = 15_000;

export class Presence {
  /** @type {Pick<import("./link.js").Environment, "setTimer"|"clearTimer">} */ #timers;
  /** @type {Pick<import("./link.js").Link, "command"|"isLive">} */ #link;
  /** @type {() => Look} */ #look;
  /** @type {string|null} The last report on this link. */ #said = null;
  /** @type {any} */ #timer = null;
  /** False after a relay that is older than this page refused the report. */ #understood = true;
  /** @type {Set<string>} Approvals reported as seen, by `keyOf`. */ #seen = new Set();

  /**
   * @param {Pick<import("./link.js").Environment, "setTimer"|"clearTimer">} timers
   * @param {Pick<import("./link.js").Link, "command"|"isLive">} link
   * @param {() => Look} look
   */
  constructor(timers, link, look) {
    this.#timers = timers;
    this.#link = link;
    this.#look = look;
  }

  /** Called for a new link, perhaps to another relay, which has no report yet. */
  linkChanged() {
    if (!this.#link.isLive) {
      this.#said = null;
      this.#understood = true;
      this.#timers.clearTimer(this.#timer);
    } else if (this.#said === null) {
      this.changed();
    }
  }

  /** Called when the visibility or the shown session may have changed. */
  changed() {
    if (!this.#link.isLive || !this.#understood) return;
    if (JSON.stringify(this.#look()) !== this.#said) this.#say();
  }

  /**
   * Reports that a whole approval has been on screen.
   * @param {{session: string, approval: string}} approval
   */
  seen({ session, approval }) {
    const key = keyOf({ session, approval });
    if (!this.#understood || this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#tell({ type: "seen", session, approval }, { again: true });
  }

  #say() {
    const look = this.#look();
    const { foreground, session, device } = look;
    this.#said = JSON.stringify(look);
    this.#timers.clearTimer(this.#timer);
    // Only presence is repeated: without a report a person counts as away.
    if (foreground) this.#timer = this.#timers.setTimer(() => this.#link.isLive && this.#understood && this.#say(), repeatMs);
    this.#tell({ type: "presence", foreground, ...(session && { session }), ...(device && { device }) });
  }

  /** @param {import("./wire").Command} command @param {{again?: boolean}} [options] */
  #tell(command, options) {
    this.#link.command(command, options).catch(({ code }) => {
      if (code === "unsupported" || code === "unknownType") this.#understood = false;
    });
  }
}
