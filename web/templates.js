/** A person's reusable prompts, kept on this device. Pure but for its storage. */

import { t } from "./language.js";
import { keep, stored } from "./stored.js";

/** Maximum number of templates that are kept. */
export const templatesMax = 40;
/** Characters of all templates together; browsers give an origin about five million. */
const charactersMax = 200_000;
/** The storage key; `page-key.js` removes it together with the page key. */
const place = "heliograph.templates";

export class Templates {
  /** @type {string[]} */ #held = [];
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws if site data is blocked; templates then last for this visit only. */
  constructor(storage) {
    this.#storage = storage;
  }

  /** The templates, most recently added first. */
  get all() {
    const kept = stored(this.#storage, place);
    if (Array.isArray(kept)) this.#held = kept.filter((one) => typeof one === "string");
    return this.#held;
  }

  /**
   * The reason why a text cannot become a template; empty if it can.
   * @param {string} text
   */
  obstacle(text) {
    const { all } = this;
    if (!text.trim()) return t`Write it first.`;
    if (all.includes(text.trim())) return t`It is one already.`;
    return all.length >= templatesMax || all.join("").length + text.length > charactersMax ? t`There is no room for more: remove one first.` : "";
  }

  /** @param {string} text */
  add(text) {
    if (!this.obstacle(text)) this.#keep([text.trim(), ...this.all]);
  }

  /** @param {string} text */
  remove(text) {
    this.#keep(this.all.filter((one) => one !== text));
  }

  /** @param {string[]} all */
  #keep(all) {
    this.#held = all;
    keep(this.#storage, place, all);
  }
}
