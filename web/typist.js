/**
 * Sends keys to a session's terminal: one message at a time, so that keys arrive in order, and keys pressed meanwhile go
 * into the next one. Nothing is sent again, because nobody would know whether it had been typed.
 */

import { base64urlOf } from "./consent.js";

/** @typedef {import("./link.js").CommandError} CommandError */

/** Bytes of a message: the relay accepts 4,096, and sealing needs some of them. */
const bytesMax = 4000;
/** Maximum number of waiting bytes: more than a person types; a pasted file is refused. */
const waitingMax = 64 << 10;

export class Typist {
  /** @type {Pick<import("./link.js").Link, "command"|"freshID">} */ #link;
  /** @type {Pick<import("./trust.js").Trust, "signed">} */ #signer;
  /** @type {(error: CommandError, session: string) => void} */ #told;
  /** @type {number[]} */ #waiting = [];
  /** The screen that was shown when the first waiting key was pressed. It is signed, so that a relay that delays keys cannot choose the dialog that they answer. */ #seen = "";
  /** The session of the waiting keys. */ #session = "";
  #isSending = false;

  /**
   * @param {Pick<import("./link.js").Link, "command"|"freshID">} link @param {Pick<import("./trust.js").Trust, "signed">} signer
   * @param {(error: CommandError, session: string) => void} told
   */
  constructor(link, signer, told) {
    [this.#link, this.#signer, this.#told] = [link, signer, told];
  }

  /**
   * @param {string} session @param {Uint8Array} bytes @param {string} seen The id of the shown screen.
   * @returns {boolean} False if too many bytes wait.
   */
  type(session, bytes, seen) {
    if (this.#waiting.length + bytes.length > waitingMax) return false;
    if (!this.#waiting.length) this.#seen = seen;
    this.#session = session;
    this.#waiting.push(...bytes);
    if (!this.#isSending) this.#send();
    return true;
  }

  /** Discards waiting keys. */
  forget() {
    this.#waiting = [];
  }

  async #send() {
    this.#isSending = true;
    let session = "";
    try {
      while (this.#waiting.length) {
        session = this.#session;
        const keys = base64urlOf(Uint8Array.from(this.#waiting.splice(0, bytesMax)));
        const id = this.#link.freshID();
        await this.#link.command(await this.#signer.signed({ type: "keys", session, keys, seen: this.#seen }, id), { id });
      }
    } catch (error) {
      if (session === this.#session) this.forget();
      this.#told(/** @type {CommandError} */ (error), session);
    } finally {
      this.#isSending = false;
      if (this.#waiting.length) this.#send();
    }
  }
}
