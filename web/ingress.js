/**
 * The entrance for all messages of the relay. Sealed content is opened here, by a module that loads when the first sealed message arrives, so that all other
 * code sees events, summaries and approvals in the open.
 *
 * Messages without sealed content pass directly, except in a browser that has keys of a host: there the opener examines every message, in case the relay left something out.
 * While a message is being opened, later ones wait, so that the order is kept.
 */

import { stored } from "./stored.js";

/** @typedef {import("./wire").Message} Message */
/** @typedef {{concerns: (message: any) => boolean, open: (messages: any[]) => Promise<any[]>, followed: (session: string) => void}} Opener */

/** Marks of sealed content in JSON text; quotes inside a JSON string are escaped, so strings cannot match. */
const sealedMarks = /"seal(?:s":true|ed":")/;

/** The storage key that marks a browser with keys of a host that seals. */
export const sealsHere = "heliograph.seals";

const seals = () => stored(() => localStorage, sealsHere);

/** @type {WeakMap<object, object>} */
const origins = new WeakMap();
/** @type {WeakMap<object, {before?: string, after?: string}>} */
const notices = new WeakMap();

/**
 * @template T
 * @param {T} value An opened or a plain message. @returns {T} The message as the relay sent it: only that form is kept on this device.
 */
export const asSent = (value) => /** @type {any} */ (origins.get(/** @type {any} */ (value)) ?? value);

/** @template {object} T @param {T} opened @param {object} sent @returns {T} */
export const openedFrom = (opened, sent) => {
  origins.set(opened, sent);
  return opened;
};

/**
 * Notices that the page shows before and after an event, such as that events are missing there.
 * @param {import("./wire").Event} event
 */
export const noticesOf = (event) => notices.get(event) ?? {};

/** @param {import("./wire").Event} event @param {{before?: string, after?: string}} words */
export const notice = (event, words) => notices.set(event, { ...notices.get(event), ...words });

export class Ingress {
  /** @type {Opener|null} */ opener = null;
  /** @type {Promise<void>|null} Resolves when all messages that are being opened, or wait behind one, were delivered. */ #last = null;
  /** @type {() => Promise<unknown>} */ #load;

  /**
   * Loads the opener; resolves in any case.
   * @param {() => Promise<unknown>} load
   */
  constructor(load) {
    this.#load = load;
  }

  /**
   * @param {any[]} messages @param {(opened: any[]) => void} deliver @param {string} [text] Theirs, as JSON.
   */
  through(messages, deliver, text = JSON.stringify(messages)) {
    const { opener } = this;
    if (!this.#last && !(opener ? messages.some((one) => opener.concerns(one)) : seals() || sealedMarks.test(text))) return deliver(messages);
    const turn = (this.#last ?? Promise.resolve()).then(async () => {
      if (!this.opener) await this.#load();
      // Without the opener the page shows placeholders, which cannot be allowed. Unmarked messages could be forged, so they become placeholders, too.
      if (this.opener) deliver(await this.opener.open(messages));
      else if (!seals()) deliver(messages);
    }).catch(reportError).finally(() => {
      if (this.#last === turn) this.#last = null;
    });
    this.#last = turn;
    return undefined;
  }
}
