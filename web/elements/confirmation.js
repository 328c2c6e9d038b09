/** A question before an action that cannot be undone. It replaces the action's buttons, and offers the action and a way back. */

import { attribute, h, say } from "../dom.js";
import { t } from "../language.js";
import { line } from "../text.js";

let made = 0;

export class Confirmation {
  #question = h("p", { class: "foreign", id: `confirmation-${(made += 1)}` });
  #confirm = h("button", { type: "button", class: "deny solid", onclick: () => this.#deed() });
  /** The caller places this element next to the buttons that it replaces. */
  element = h("div", { class: "confirmation", hidden: true, role: "group", "aria-labelledby": this.#question.id }, this.#question,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.close() }, t`Back`), this.#confirm));

  /** @type {HTMLElement} */ #opener;
  /** @type {HTMLElement} */ #buttons;
  /** @type {() => void} */ #deed;

  /**
   * @param {object} parts
   * @param {HTMLElement} parts.opener  The button that asks for the action.
   * @param {HTMLElement} parts.buttons The buttons to hide while the question is open.
   * @param {string} parts.verb         The label of the button that confirms.
   * @param {() => void} parts.deed
   */
  constructor({ opener, buttons, verb, deed }) {
    [this.#opener, this.#buttons, this.#deed] = [opener, buttons, deed];
    this.#confirm.append(verb);
    opener.addEventListener("click", () => this.#show(true));
    this.element.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
  }

  /** @param {string} question */
  set question(question) {
    say(this.#question, question, line);
  }

  /** @param {boolean} off */
  set disabled(off) {
    this.#confirm.disabled = off;
  }

  get isOpen() {
    return !this.element.hidden;
  }

  close() {
    if (this.isOpen) this.#show(false);
  }

  /** @param {boolean} asks */
  #show(asks) {
    attribute(this.element, "hidden", !asks);
    attribute(this.#buttons, "hidden", asks);
    (asks ? this.#confirm : this.#opener).focus();
    if (asks) this.element.scrollIntoView({ block: "nearest" });
  }
}
