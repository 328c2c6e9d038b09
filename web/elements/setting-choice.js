/** A setting of a session that can be changed: its mode or its model. A value that gives the agent more freedom asks for confirmation. */

import { attribute, h } from "../dom.js";
import { t } from "../language.js";
import { exact, flat } from "../text.js";
import { Confirmation } from "./confirmation.js";

let made = 0;

export class SettingChoice {
  #id = `setting-${(made += 1)}`;
  #label = h("label", { for: this.#id });
  #select = h("select", { id: this.#id, onchange: () => this.#adapt() });
  #input = h("input", { id: this.#id, type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 256, oninput: () => this.#adapt() });
  #change = h("button", { type: "button" }, t`Change`);
  #ask = h("button", { type: "button" }, t`Change …`);
  #buttons = h("div", { class: "setting-line" });
  #confirmation;
  /** @type {string[]|null} */ #offered = null;
  #current = "";
  #isOff = false;
  element = h("div", { class: "setting" });

  /** @type {(value: string) => string} The question before a value is set; empty if none is needed. */ #question;

  /**
   * @param {object} parts
   * @param {string} parts.name @param {(value: string) => string} [parts.words] The words for a value in the list. @param {Record<string, string>} [parts.names] The names to show for our own values.
   * @param {(value: string) => string} parts.question @param {(value: string) => void} parts.deed
   * @param {string} parts.verb The label of the button that confirms.
   */
  constructor({ name, words = () => "", names = {}, question, deed, verb }) {
    this.#label.append(name);
    this.#question = question;
    this.words = words;
    this.names = names;
    this.#change.addEventListener("click", () => deed(this.value));
    this.#confirmation = new Confirmation({ opener: this.#ask, buttons: this.#buttons, verb, deed: () => {
      this.#confirmation.close();
      deed(this.value);
    } });
    this.element.append(this.#label, this.#buttons, this.#confirmation.element);
  }

  get value() {
    return this.#offered?.length ? this.#select.value : this.#input.value.trim();
  }

  /**
   * @param {string|undefined} current @param {string[]} offered If empty, any name is accepted.
   * @param {boolean} isOff The setting cannot be changed now.
   */
  show(current, offered, isOff) {
    this.#isOff = isOff;
    const known = offered.length && current && !offered.includes(current) ? [current, ...offered] : offered;
    // A menu in which a person is choosing is not overwritten by the session's state.
    if (this.#current !== (current ?? "") || known.join("\n") !== this.#offered?.join("\n")) {
      this.#current = current ?? "";
      this.#offered = known;
      this.#confirmation.close();
      this.#select.replaceChildren(...(current ? [] : [h("option", { value: "" }, "…")]), ...known.map((value) => {
        const words = this.words(value);
        return h("option", { value }, this.names[value] ?? flat(exact(value)), words ? ` (${words})` : "");
      }));
      this.#select.value = this.#current;
      this.#input.value = known.length ? "" : this.#current;
      this.#buttons.replaceChildren(known.length ? this.#select : this.#input, this.#change, this.#ask);
    }
    this.#adapt();
  }

  #adapt() {
    const question = this.#question(this.value);
    const isSame = this.value === this.#current || this.value === "";
    for (const button of [this.#change, this.#ask]) attribute(button, "disabled", this.#isOff || isSame);
    attribute(this.#change, "hidden", question !== "" || isSame);
    attribute(this.#ask, "hidden", question === "" || isSame);
    this.#confirmation.disabled = this.#isOff;
    this.#confirmation.question = question;
  }
}
