/** Keys, where a keyboard is: each is one of the page's own actions, and none is taken from somebody who writes. Pure. */

import { t } from "./language.js";

/** @typedef {"next"|"previous"|"allow"|"deny"|"search"|"inbox"|"sessions"|"start"|"help"|"palette"|"letters"} Action */

/**
 * @type {{keys: string, action: Action, words: string}[]} Two keys are pressed one after the other.
 */
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

/** So long the first of two keys counts. */
const sequenceMs = 1_200;
const place = "heliograph.letters";

export class Keyboard {
  #letters = true;
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;
  #first = "";
  #firstAt = Number.NEGATIVE_INFINITY;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws where site data is blocked: then a choice holds for this visit. */
  constructor(storage) {
    this.#storage = storage;
    try {
      this.#letters = storage().getItem(place) !== "off";
    } catch {
      // As it is for whoever has chosen nothing.
    }
  }

  /** Whether single letters act. Somebody who speaks to the machine, or whose hands are not steady, presses them unmeant. */
  get letters() {
    return this.#letters;
  }

  set letters(act) {
    this.#letters = act;
    try {
      this.#storage().setItem(place, act ? "on" : "off");
    } catch {
      // As above.
    }
  }

  /**
   * The action of a key.
   * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, repeat: boolean}} event
   * @param {boolean} isWriting Somebody types into a field, or a dialog is open: letters are letters there.
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
    // Held down, a key walks through the list, and decides nothing.
    if (!found || (repeat && found.action !== "next" && found.action !== "previous")) return null;
    return found.action;
  }
}
