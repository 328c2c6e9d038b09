/** `<session-find>`: searches the conversation for words, from its end upwards. */

import { attribute, h, icon, write } from "../dom.js";
import { rowsWith } from "../find.js";
import { t } from "../language.js";

/** @typedef {import("../timeline.js").Row} Row */

export class SessionFind extends HTMLElement {
  /** @type {() => Row[]} The rows to search. */
  rows = () => [];
  /** @type {(key: string|null) => void} Called with the key of a found row, or with null when the search ends. */
  onfound = () => undefined;

  #words = h("input", {
    type: "search", "aria-label": t`Find in this session`, placeholder: t`Find in this session`, autocomplete: "off", spellcheck: "false", enterkeyhint: "search",
    oninput: () => this.#look(), onkeydown: (event) => this.#key(event),
  });
  #count = h("p", { class: "quiet", role: "status" });
  /** @type {string[]} */ #found = [];
  #at = 0;

  connectedCallback() {
    if (this.firstChild) return;
    const step = (/** @type {string} */ words, /** @type {string} */ name, /** @type {1|-1} */ way) =>
      h("button", { type: "button", class: name, "aria-label": words, onclick: () => this.#go(way) }, icon("down"));
    this.append(this.#words, this.#count, step(t`The one before`, "up", -1), step(t`The next one`, "next", 1),
      h("button", { type: "button", "aria-label": t`Close`, onclick: () => this.close() }, icon("cross")));
  }

  /** @param {string} text The initial search text. */
  open(text) {
    attribute(this, "hidden", false);
    if (text) {
      this.#words.value = text;
      this.#look();
    } else {
      this.#words.select();
    }
    this.#words.focus();
  }

  close() {
    if (this.hidden) return;
    attribute(this, "hidden", true);
    this.#words.value = "";
    this.#look();
  }

  #look() {
    this.#found = rowsWith(this.rows(), this.#words.value);
    this.#at = this.#found.length - 1;
    this.#show();
  }

  /** @param {1|-1} way */
  #go(way) {
    const key = this.#found[this.#at];
    this.#found = rowsWith(this.rows(), this.#words.value);
    const count = this.#found.length;
    // New rows may have arrived before and after the current match.
    this.#at = count ? (Math.max(0, this.#found.indexOf(key)) + way + count) % count : -1;
    this.#show();
  }

  #show() {
    const count = this.#found.length;
    write(this.#count, !this.#words.value.trim() ? "" : count ? t`${this.#at + 1} of ${count}` : t`None`);
    this.onfound(this.#found[this.#at] ?? null);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Enter") this.#go(event.shiftKey ? 1 : -1);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("session-find", SessionFind);
