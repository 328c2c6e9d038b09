/** Keyboard shortcuts. Each triggers an action of the page, and none acts while a person types into a field. Pure. */

import { t } from "./language.js";

/** @typedef {"next"|"previous"|"allow"|"deny"|"search"|"inbox"|"sessions"|"start"|"help"|"palette"|"letters"} Action */

/** @type {{keys: string, action: Action, words: string}[]} The shortcuts; two keys in `keys` are pressed one after the other. */
export const shortcuts = [
  { keys: "j", action: "next", words: t`Next session` },
  { keys: "k", action: "previous", words: t`Previous session` },
  { keys: "a", action: "allow", words: t`Allow what waits: once to go to it, once more to allow` },
  { keys: "d", action: "deny", words: t`Deny what waits` },
  { keys: "/", action: "search", words: t`Search` },
  { keys: "g i", action: "inbox", words: t`Approvals` },
  { keys: "g s", action: "sessions", words: t`Sessions` },
  { keys: "c", action: "start", words: t`New session` },
  { keys: t`Ctrl K`, action: "palette", words: t`Every session and screen` },
  { keys: "?", action: "help", words: t`These keys` },
];

/** Time within which the second key of a sequence must follow the first. */
const sequenceMs = 1_200;
const place = "heliograph.letters";

export class Keyboard {
  #letters = true;
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;
  #first = "";
  #firstAt = Number.NEGATIVE_INFINITY;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws if site data is blocked; the setting then lasts for this visit only. */
  constructor(storage) {
    this.#storage = storage;
    try {
      this.#letters = storage().getItem(place) !== "off";
    } catch {
      // Site data is blocked, so the default applies.
    }
  }

  /** True if single letters are shortcuts. With speech input or unsteady hands they are pressed unintentionally, so they can be switched off. */
  get letters() {
    return this.#letters;
  }

  set letters(act) {
    this.#letters = act;
    try {
      this.#storage().setItem(place, act ? "on" : "off");
    } catch {
      // Site data is blocked, so the setting lasts for this visit only.
    }
  }

  /**
   * The action of a pressed key.
   * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, repeat: boolean}} event
   * @param {boolean} isWriting A text field has the focus or a dialog is open, so letters are text.
   * @param {number} now
   * @returns {Action|null}
   */
  pressed({ key, ctrlKey, metaKey, altKey, repeat }, isWriting, now) {
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === "k") return "palette";
    if (!this.#letters || isWriting || ctrlKey || metaKey || altKey || key.length !== 1) return null;
    const pair = now - this.#firstAt < sequenceMs ? `${this.#first} ${key}` : key;
    this.#first = key;
    this.#firstAt = pair === key ? now : Number.NEGATIVE_INFINITY;
    const found = shortcuts.find(({ keys }) => keys === pair) ?? shortcuts.find(({ keys }) => keys === key);
    // A key that is held down may move through the list, but not decide.
    if (!found || (repeat && found.action !== "next" && found.action !== "previous")) return null;
    return found.action;
  }
}
