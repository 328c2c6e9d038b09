/** `<command-offers>`: the agent's own commands that fit what is typed, above the field, which keeps the keyboard. Choosing one sends nothing. */

import { attribute, h, say, span } from "../dom.js";
import { t } from "../language.js";
import { commandsFitting } from "../steering.js";
import { line } from "../text.js";

/** @type {Record<string, string>} What Claude Code says of its own; what others mean by such a name nobody has told. */
const meanings = {
  "/compact": t`Shortens what it keeps of the conversation`, "/context": t`Shows what fills its context`, "/usage": t`Shows what is left of your plan`,
  "/cost": t`Shows what the session has cost`, "/recap": t`Sums the session up`, "/code-review": t`Reviews the changes`,
  "/security-review": t`Looks for security holes in the changes`, "/review": t`Reviews a pull request`,
};

let made = 0;

export class CommandOffers extends HTMLElement {
  /** @type {(command: string) => void} */ onchosen = () => undefined;

  #id = `offers-${(made += 1)}`;
  /** @type {string[]} */ #names = [];
  #at = 0;
  /** The text for which it was closed. */ #closed = "";
  #typed = "";
  /** @type {HTMLElement|null} */ #field = null;

  connectedCallback() {
    this.id = this.#id;
    attribute(this, "role", "listbox");
    attribute(this, "aria-label", t`The agent's own commands`);
    // The field keeps the keyboard.
    this.addEventListener("mousedown", (event) => event.preventDefault());
  }

  get isOpen() {
    return this.#names.length > 0;
  }

  /** @param {HTMLElement} field @param {string} text What is in it. @param {string[]} commands @param {string} agent */
  show(field, text, commands, agent) {
    if (text !== this.#closed) this.#closed = "";
    const names = this.#closed ? [] : commandsFitting(text, commands);
    this.#field = field;
    if (text !== this.#typed) this.#at = 0;
    this.#typed = text;
    if (names.join("\n") !== this.#names.join("\n")) {
      this.#names = names;
      this.replaceChildren(...names.map((name, index) => {
        const words = span("foreign exact");
        say(words, name, line);
        return h("div", { role: "option", id: `${this.#id}-${index}`, onclick: () => this.onchosen(name) }, words, span("quiet", (agent === "claude" && meanings[name]) || ""));
      }));
    }
    attribute(this, "hidden", !names.length);
    attribute(field, "aria-controls", names.length ? this.#id : null);
    this.#mark();
  }

  /** @param {KeyboardEvent} event @returns {boolean} Whether the key was for it. */
  takes({ key, shiftKey, altKey, ctrlKey, metaKey }) {
    if (!this.isOpen || shiftKey || altKey || ctrlKey || metaKey) return false;
    const count = this.#names.length;
    if (key === "Enter" || key === "Tab") this.onchosen(this.#names[this.#at]);
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

customElements.define("command-offers", CommandOffers);
