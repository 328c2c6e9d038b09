/**
 * Where what the relay says enters the page. What hosts have sealed is opened here, by a part of the page that comes when the first of it does: all behind this
 * sees events, summaries and approvals as every host sends them.
 *
 * Messages with nothing sealed go straight through, but in a browser that has keys of a host: there the opener sees all, whatever the relay leaves out.
 * Behind one that is being opened all wait in their order: nothing overtakes.
 */

import { stored } from "./stored.js";

/** @typedef {import("./wire").Message} Message */
/** @typedef {{concerns: (message: any) => boolean, open: (messages: any[]) => Promise<any[]>, followed: (session: string) => void}} Opener */

/** In a text of JSON; within a string of it quotes look otherwise. */
const sealedMarks = /"seal(?:s":true|ed":")/;

/** Where a browser remembers that it has keys of a host that seals. */
export const sealsHere = "heliograph.seals";

const seals = () => stored(() => localStorage, sealsHere);

/** @type {WeakMap<object, object>} */
const origins = new WeakMap();
/** @type {WeakMap<object, {before?: string, after?: string}>} */
const notices = new WeakMap();

/**
 * @template T
 * @param {T} value What was opened, or nothing of it. @returns {T} As the relay sent it: only that is kept on this device.
 */
export const asSent = (value) => /** @type {any} */ (origins.get(/** @type {any} */ (value)) ?? value);

/** @template {object} T @param {T} opened @param {object} sent @returns {T} */
export const openedFrom = (opened, sent) => {
  origins.set(opened, sent);
  return opened;
};

/**
 * What the page shows before and after an event, for example that others are missing there.
 * @param {import("./wire").Event} event
 */
export const noticesOf = (event) => notices.get(event) ?? {};

/** @param {import("./wire").Event} event @param {{before?: string, after?: string}} words */
export const notice = (event, words) => notices.set(event, { ...notices.get(event), ...words });

export class Ingress {
  /** @type {Opener|null} */ opener = null;
  /** @type {Promise<void>|null} What is being opened, or waits behind it. */ #last = null;
  /** @type {() => Promise<unknown>} */ #load;

  /** @param {() => Promise<unknown>} load Brings the opener, if it can. */
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
      // Without it there are stand-ins: they say nothing, and nothing can be allowed. What has no mark could be anybody's.
      if (this.opener) deliver(await this.opener.open(messages));
      else if (!seals()) deliver(messages);
    }).catch(reportError).finally(() => {
      if (this.#last === turn) this.#last = null;
    });
    this.#last = turn;
    return undefined;
  }
}
