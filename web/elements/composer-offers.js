/**
 * `<composer-offers>`: the agent's own commands after a slash, and the files that the session changed after an at sign, above the field, which keeps the
 * keyboard. Choosing one sends nothing.
 */

import { attribute, h, say, span } from "../dom.js";
import { t } from "../language.js";
import { line } from "../text.js";
import { commandsFitting, filesFitting } from "../typed-offers.js";
import { pathNodes } from "./blocks.js";

/** @type {Record<string, string>} Meanings of Claude Code's own commands; the same names are unexplained for other agents. */
const meanings = {
  "/compact": t`Shortens what it keeps of the conversation`, "/context": t`Shows what fills its context`, "/usage": t`Shows what is left of your plan`,
  "/cost": t`Shows what the session has cost`, "/recap": t`Sums the session up`, "/code-review": t`Reviews the changes`,
  "/security-review": t`Looks for security holes in the changes`, "/review": t`Reviews a pull request`,
};

let made = 0;

export class ComposerOffers extends HTMLElement {
  /** @type {(command: string) => void} */ oncommand = () => undefined;
  /** @type {(path: string, from: number, to: number) => void} Called with a file's path and the range of the typed text that it replaces. */ onfile = () => undefined;

  #id = `offers-${(made += 1)}`;
  /** @type {{name: string, choose: () => void}[]} */ #offers = [];
  #at = 0;
  /** The text for which a person closed the list. */ #closed = "";
  #typed = "";
  #drawn = "";
  /** @type {HTMLElement|null} */ #field = null;

  connectedCallback() {
    this.id = this.#id;
    attribute(this, "role", "listbox");
    // The field keeps the keyboard.
    this.addEventListener("mousedown", (event) => event.preventDefault());
  }

  get isOpen() {
    return this.#offers.length > 0;
  }

  /** @param {HTMLTextAreaElement} field @param {{commands: string[], files: string[], agent: string}} all The commands and files to choose from. */
  show(field, { commands, files, agent }) {
    const text = field.value;
    const to = field.selectionStart;
    if (text !== this.#closed) this.#closed = "";
    const named = this.#closed ? [] : commandsFitting(text, commands);
    const { from, paths } = this.#closed || named.length ? { from: 0, paths: [] } : filesFitting(text.slice(0, to), files);
    this.#offers = [...named.map((name) => ({ name, choose: () => this.oncommand(name) })), ...paths.map((name) => ({ name, choose: () => this.onfile(name, from, to) }))];
    this.#field = field;
    if (text !== this.#typed) this.#at = 0;
    this.#typed = text;
    const drawn = [...named, "", ...paths].join("\n");
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      attribute(this, "aria-label", paths.length ? t`Changed files` : t`The agent's own commands`);
      this.replaceChildren(...this.#offers.map(({ name }, index) => {
        const words = span(paths.length ? "path foreign exact" : "foreign exact");
        if (paths.length) words.append(...pathNodes(name));
        else say(words, name, line);
        return h("div", { role: "option", id: `${this.#id}-${index}`, onclick: () => this.#offers[index]?.choose() }, words, span("quiet", (!paths.length && agent === "claude" && meanings[name]) || ""));
      }));
    }
    attribute(this, "hidden", !this.isOpen);
    attribute(field, "aria-controls", this.isOpen ? this.#id : null);
    this.#mark();
  }

  /** @param {KeyboardEvent} event @returns {boolean} True if the key was handled. */
  takes({ key, shiftKey, altKey, ctrlKey, metaKey }) {
    if (!this.isOpen || shiftKey || altKey || ctrlKey || metaKey) return false;
    const count = this.#offers.length;
    if (key === "Enter" || key === "Tab") this.#offers[this.#at].choose();
    else if (key === "ArrowDown") this.#at = (this.#at + 1) % count;
    else if (key === "ArrowUp") this.#at = (this.#at + count - 1) % count;
    else if (key === "Escape") this.#closed = this.#typed;
    else return false;
    this.#mark();
    return true;
  }

  #mark() {
    [...this.children].forEach((item, index) => attribute(item, "aria-selected", String(index === this.#at)));
    attribute(this.#field ?? this, "aria-activedescendant", this.isOpen ? `${this.#id}-${this.#at}` : null);
    const item = /** @type {HTMLElement|undefined} */ (this.children[this.#at]);
    if (item && !this.hidden) this.scrollTop = Math.max(0, item.offsetTop - this.offsetTop - this.clientHeight / 2);
  }
}

customElements.define("composer-offers", ComposerOffers);
