/**
 * What this page sends to steer sessions, until the relay has answered. What becomes of it then are events of the session, never said from here.
 */

import { CommandError } from "./link.js";

/** @typedef {import("./wire").Command} Command */
/** @typedef {{sending: boolean, error?: CommandError}} Attempt */

export class Sender {
  /** @type {import("./link.js").Link} */ #link;
  /** @type {Pick<import("./trust.js").Trust, "signed">} */ #signer;
  /** @type {() => void} */ #changed;
  /** @type {Map<string, Attempt>} The last one, by session and what is done. */ #attempts = new Map();

  /**
   * @param {import("./link.js").Link} link @param {() => void} changed
   * @param {Pick<import("./trust.js").Trust, "signed">} signer Signs for hosts that want it.
   */
  constructor(link, changed, signer) {
    [this.#link, this.#changed, this.#signer] = [link, changed, signer];
  }

  freshID() {
    return this.#link.freshID();
  }

  /** @param {string} session @param {string} deed The command's type; of `withdraw` also whose. */
  attempt(session, deed) {
    return this.#attempts.get(`${session} ${deed}`);
  }

  /** Somebody goes on: what failed before has been read. */
  forgetFailures() {
    for (const [key, { sending }] of this.#attempts) if (!sending) this.#attempts.delete(key);
  }

  /**
   * Sends it, unless the same is under way: a double tap has one effect. It is not sent again by itself when the link breaks: later it
   * might not be meant any more.
   * @param {string} session @param {string} deed @param {Command} command @param {string} [id]
   * @returns {Promise<CommandError|null|undefined>} Null: the relay has it. Nothing: it was under way already.
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
