/** Steering commands of this page until the relay has answered. Their outcome comes from the session's events alone. */

import { CommandError } from "./link.js";

/** @typedef {import("./wire").Command} Command */
/** @typedef {{sending: boolean, error?: CommandError}} Attempt */

export class Sender {
  /** @type {import("./link.js").Link} */ #link;
  /** @type {Pick<import("./trust.js").Trust, "signed">} */ #signer;
  /** @type {() => void} */ #changed;
  /** @type {Map<string, Attempt>} The last attempt by session and action. */ #attempts = new Map();

  /**
   * @param {import("./link.js").Link} link @param {() => void} changed
   * @param {Pick<import("./trust.js").Trust, "signed">} signer Signs commands for hosts that require it.
   */
  constructor(link, changed, signer) {
    [this.#link, this.#changed, this.#signer] = [link, changed, signer];
  }

  freshID() {
    return this.#link.freshID();
  }

  /**
   * The last attempt of an action. `deed` is the command's type; for `withdraw` also the withdrawn prompt's id.
   * @param {string} session @param {string} deed
   */
  attempt(session, deed) {
    return this.#attempts.get(`${session} ${deed}`);
  }

  /** Forgets failed attempts, because the person goes on and has read them. */
  forgetFailures() {
    for (const [key, { sending }] of this.#attempts) if (!sending) this.#attempts.delete(key);
  }

  /**
   * Sends a command unless the same one is in progress, so that a double tap has one effect. After a broken link it is not repeated automatically, because it may be obsolete by then.
   * @param {string} session @param {string} deed @param {Command} command @param {string} [id]
   * @returns {Promise<CommandError|null|undefined>} Null once the relay has the command; undefined if it was already in progress.
   */
  async send(session, deed, command, id = this.freshID()) {
    const key = `${session} ${deed}`;
    if (this.#attempts.get(key)?.sending) return undefined;
    this.#set(key, { sending: true });
    try {
      await this.#link.command(await this.#signer.signed(command, id), { id });
      this.#set(key, { sending: false });
      return null;
    } catch (error) {
      const reason = /** @type {CommandError} */ (error);
      this.#set(key, { sending: false, error: reason });
      return reason;
    }
  }

  /** @param {string} key @param {Attempt} attempt */
  #set(key, attempt) {
    this.#attempts.set(key, attempt);
    this.#changed();
  }
}
