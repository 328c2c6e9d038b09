/** Unsent texts for agents, by session, kept on this device so that they survive a reload or a discarded tab. */

import { keep, stored } from "./stored.js";

/** Maximum number of drafts that are kept; the least recently changed is dropped first. */
const draftsMax = 20;
/** The limit of all drafts together in characters. Browsers give an origin about five million. */
const charactersMax = 300_000;
/** The storage key; `page-key.js` removes it together with the page key, so that logging out leaves nothing behind. */
const place = "heliograph.drafts";

/**
 * @typedef {object} Draft
 * @property {string} text
 * @property {string} [command] The agent's slash command, if the text was chosen as one.
 * @property {string} [id]      The id of a sent prompt without a reply: sent again under the same id it has one effect.
 */

export class Drafts {
  /** @type {Map<string, Draft>} Drafts by session id, the most recently changed last. */ #drafts = new Map();
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;

  /**
   * `storage` throws if site data is blocked; drafts then last for this visit only.
   * @param {() => Pick<Storage, "getItem"|"setItem">} storage
   */
  constructor(storage) {
    this.#storage = storage;
    this.#read();
  }

  /** @param {string} session @returns {Draft} */
  of(session) {
    return this.#drafts.get(session) ?? { text: "" };
  }

  /**
   * Keeps a draft, or removes it if its text is empty.
   * @param {string} session @param {Draft} draft
   */
  keep(session, draft) {
    // Another tab may have changed the drafts of other sessions.
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
