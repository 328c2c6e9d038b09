/**
 * Types at a session's terminal: one message after the other, so that keys arrive in their order, and what is pressed while one is under way goes
 * in the next. Nothing is sent again: whether it was typed, nobody would know.
 */

import { base64urlOf } from "./consent.js";

/** @typedef {import("./link.js").CommandError} CommandError */

/** Of one message: the relay takes 4,096, and sealing a few of them. */
const bytesMax = 4000;
/** Of what waits: a pasted file is not typed. */
const waitingMax = 64 << 10;

export class Typist {
  /** @type {Pick<import("./link.js").Link, "command"|"freshID">} */ #link;
  /** @type {Pick<import("./trust.js").Trust, "signed">} */ #signer;
  /** @type {(error: CommandError|null) => void} */ #told;
  /** @type {number[]} */ #waiting = [];
  /** The drawing at which the first of what waits was pressed: signed, so that a relay that holds keys back does not choose their dialog. */ #seen = "";
  #isSending = false;

  /**
   * @param {Pick<import("./link.js").Link, "command"|"freshID">} link @param {Pick<import("./trust.js").Trust, "signed">} signer
   * @param {(error: CommandError|null) => void} told Null: all of it was typed.
   */
  constructor(link, signer, told) {
    [this.#link, this.#signer, this.#told] = [link, signer, told];
  }

  /**
   * @param {string} session @param {Uint8Array} bytes @param {string} seen `of` of what the screen shows.
   * @returns {boolean} False if that is too much at once.
   */
  type(session, bytes, seen) {
    if (this.#waiting.length + bytes.length > waitingMax) return false;
    if (!this.#waiting.length) this.#seen = seen;
    this.#waiting.push(...bytes);
    if (!this.#isSending) this.#send(session);
    return true;
  }

  /** Discards waiting keys. */
  forget() {
    this.#waiting = [];
  }

  /** @param {string} session */
  async #send(session) {
    this.#isSending = true;
    try {
      while (this.#waiting.length) {
        const keys = base64urlOf(Uint8Array.from(this.#waiting.splice(0, bytesMax)));
        const id = this.#link.freshID();
        await this.#link.command(await this.#signer.signed({ type: "keys", session, keys, seen: this.#seen }, id), { id });
      }
      this.#told(null);
    } catch (error) {
      this.forget();
      this.#told(/** @type {CommandError} */ (error));
    } finally {
      this.#isSending = false;
    }
  }
}
