/**
 * Tells the relay whether a person looks at this page, and at what: it then need not ring them elsewhere.
 *
 * Said on every change, and again while it is so: what a page that died said last must not hold for long.
 */

import { keyOf } from "./store.js";

/** @typedef {{foreground: boolean, session: string|undefined, device?: string}} Look `session`: the one on the screen; `device`: as which pushes come to it. */

/** Half of what the relay lets it hold, so that one that is lost does no harm. */
const repeatMs = 15_000;

export class Presence {
  /** @type {Pick<import("./link.js").Environment, "setTimer"|"clearTimer">} */ #timers;
  /** @type {Pick<import("./link.js").Link, "command"|"isLive">} */ #link;
  /** @type {() => Look} */ #look;
  /** @type {string|null} What was said last on this link. */ #said = null;
  /** @type {any} */ #timer = null;
  /** A relay that is older than this page knows nothing of it. */ #understood = true;
  /** @type {Set<string>} Approvals that were told as seen, by `keyOf`. */ #seen = new Set();

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

  /** Another link, perhaps to another relay: it has been told nothing. */
  linkChanged() {
    if (!this.#link.isLive) {
      this.#said = null;
      this.#understood = true;
      this.#timers.clearTimer(this.#timer);
    } else if (this.#said === null) {
      this.changed();
    }
  }

  /** Something that `look` sees may have changed. */
  changed() {
    if (!this.#link.isLive || !this.#understood) return;
    if (JSON.stringify(this.#look()) !== this.#said) this.#say();
  }

  /**
   * The whole approval was on the screen.
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
    // Somebody who is away stays away without saying so again.
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
