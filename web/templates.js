/** Prompts of one's own that are written again and again, kept on this device. Pure but for its storage. */

import { t } from "./language.js";
import { keep, stored } from "./stored.js";

/** Templates that are kept at most. */
export const templatesMax = 40;
/** All of them together; browsers give an origin about five million. */
const charactersMax = 200_000;
/** `page-key.js` takes them away with the key. */
const place = "heliograph.templates";

export class Templates {
  /** @type {string[]} */ #held = [];
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws where site data is blocked: then they last for this visit. */
  constructor(storage) {
    this.#storage = storage;
  }

  /** The last added first. */
  get all() {
    const kept = stored(this.#storage, place);
    if (Array.isArray(kept)) this.#held = kept.filter((one) => typeof one === "string");
    return this.#held;
  }

  /** @param {string} text Why it cannot be one; empty where it can. */
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
