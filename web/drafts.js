/** Unsent texts for agents, by session, kept on this device: they outlive a reload and a tab that the phone put away. */

import { keep, stored } from "./stored.js";

/** Drafts kept at most; with more, the one not touched for longest goes. */
const draftsMax = 20;
/** The limit of all drafts together. Browsers give an origin about five million. */
const charactersMax = 300_000;
/** `page-key.js` takes them away with the key: a person who logs out leaves nothing behind. */
const place = "heliograph.drafts";

/**
 * @typedef {object} Draft
 * @property {string} text
 * @property {string} [command] The agent's own command that the text is, chosen as such.
 * @property {string} [id]      Under which it was sent, where nobody knows yet whether it arrived. Sent again under it, it has one effect.
 */

export class Drafts {
  /** @type {Map<string, Draft>} By session, the last touched last. */ #drafts = new Map();
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws where site data is blocked: then they last for this visit. */
  constructor(storage) {
    this.#storage = storage;
    this.#read();
  }

  /** @param {string} session @returns {Draft} */
  of(session) {
    return this.#drafts.get(session) ?? { text: "" };
  }

  /** @param {string} session @param {Draft} draft Without text there is none. */
  keep(session, draft) {
    // Another tab may have written to other sessions meanwhile.
    this.#read();
    this.#drafts.delete(session);
    if (draft.text) this.#drafts.set(session, draft);
    let size = 0;
    const kept = [...this.#drafts].reverse().slice(0, draftsMax).filter(([, { text }]) => (size += text.length) <= charactersMax).reverse();
    this.#drafts = new Map(kept);
    keep(this.#storage, place, kept);
  }

  #read() {
    const kept = stored(this.#storage, place);
    if (Array.isArray(kept)) this.#drafts = new Map(kept.filter(isEntry));
  }
}

/** @param {unknown} entry @returns {entry is [string, Draft]} */
function isEntry(entry) {
  if (!Array.isArray(entry) || typeof entry[0] !== "string" || typeof entry[1]?.text !== "string") return false;
  return [entry[1].command, entry[1].id].every((one) => one === undefined || typeof one === "string");
}
