/** `<command-palette>`: finds sessions, screens, keyboard shortcuts and the actions of the open session by words. */

import { attribute, h, say, span } from "../dom.js";
import { t } from "../language.js";
import { matching } from "../matching.js";
import { placeOf, titleOf } from "../session-words.js";
import { shortcuts } from "../shortcuts.js";
import { line } from "../text.js";
import { View } from "./view.js";

/** @typedef {{words: string, also?: string, keys?: string, hash?: string, action?: import("../shortcuts.js").Action, run?: () => void}} Entry */

/** @type {Entry[]} */
const screens = [
  { words: t`Approvals`, keys: "g i", hash: "#/approvals" }, { words: t`Settled approvals`, hash: "#/approvals/recent" }, { words: t`Sessions`, keys: "g s", hash: "#/" },
  { words: t`Archive`, hash: "#/archive" }, { words: t`Cost`, hash: "#/costs" }, { words: t`Budgets`, hash: "#/budgets" }, { words: t`Rules`, hash: "#/rules" }, { words: t`Devices`, hash: "#/devices" }, { words: t`Connection`, hash: "#/link" },
];

export class CommandPalette extends View {
  /** @type {(action: import("../shortcuts.js").Action) => void} */
  onaction = () => undefined;

  #words = h("input", {
    type: "text", role: "combobox", "aria-label": t`Find a session or a screen`, "aria-expanded": "true", "aria-controls": "palette-found", placeholder: t`Find …`,
    autocomplete: "off", spellcheck: "false", oninput: () => this.#draw(), onkeydown: (event) => this.#key(event),
  });
  #found = h("ul", { id: "palette-found", role: "listbox", "aria-label": t`Found` });
  #dialog = h("dialog", { class: "dialog palette", "aria-label": t`Find`, onclick: (event) => event.target === event.currentTarget && event.currentTarget.close() }, this.#words, this.#found);
  /** @type {Entry[]} */ #entries = [];
  #chosen = 0;

  connectedCallback() {
    if (!this.firstChild) this.append(this.#dialog);
  }

  /**
   * `keys`: lists the shortcuts only; `text`: the initial search text.
   * @param {{keys: boolean, text: string}} what
   */
  open({ keys, text }) {
    this.#words.value = text;
    attribute(this.#dialog, "data-keys", keys);
    this.#draw();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#words.focus();
  }

  #draw() {
    const keys = this.#dialog.hasAttribute("data-keys") && !this.#words.value;
    const acts = this.app.keyboard.letters;
    const letters = /** @type {Entry} */ ({ words: acts ? t`Switch single letters off` : t`Switch single letters on`, action: "letters" });
    /** @type {Entry[]} */
    const deeds = [...shortcuts.map(({ keys: press, action, words }) => ({ words, keys: acts || press.length > 3 ? press : undefined, action })), letters];
    const sessions = [...this.app.state.sessions.values()].sort((a, b) => b.lastActivityAt - a.lastActivityAt)
      .map((one) => ({ words: titleOf(one), also: placeOf(one), hash: `#/session/${one.session}` }));
    const filters = this.app.sieves.all.map(({ name, sieve }) => ({ words: name, also: t`Saved filter`, run: () => this.app.sift(sieve) }));
    this.#entries = keys ? deeds : matching([...this.#here(), ...filters, ...sessions, ...screens, ...deeds.filter(({ action }) => action === "start" || action === "help" || action === "letters")], this.#words.value);
    this.#chosen = 0;
    this.#found.replaceChildren(...this.#entries.map((entry, index) => {
      const words = span("palette-words foreign");
      say(words, entry.words, line);
      const also = span("quiet foreign");
      say(also, entry.also ?? "", line);
      return h("li", { id: `palette-${index}`, role: "option", onclick: () => this.#take(entry) }, words, also, ...(entry.keys ? entry.keys.split(" ").map((key) => h("kbd", {}, key.length === 1 ? key.toUpperCase() : key)) : []));
    }), ...(this.#entries.length ? [] : [h("li", { class: "quiet", role: "option", "aria-disabled": "true" }, t`Nothing is called so.`)]));
    this.#mark();
  }

  /** The actions for the session on screen. */
  #here() {
    const { state, archive, pins } = this.app;
    const summary = state.sessions.get(location.hash.match(/^#\/session\/([^/]+)/)?.[1] ?? "");
    if (!summary) return [];
    const { session } = summary;
    const also = titleOf(summary);
    const marks = (/** @type {import("../sieve.js").Marks} */ its) => () => {
      its.set([session], !its.has(session));
      this.app.listChanged();
    };
    return [
      { words: archive.has(session) ? t`Bring back from the archive` : t`Archive on this device`, also, run: marks(archive) },
      { words: pins.has(session) ? t`Unpin` : t`Pin to the top on this device`, also, run: marks(pins) },
      { words: t`Changes`, also, hash: `#/session/${session}/changes` },
    ];
  }

  #mark() {
    [...this.#found.children].forEach((item, index) => attribute(item, "aria-selected", index === this.#chosen && this.#entries.length ? "true" : null));
    attribute(this.#words, "aria-activedescendant", this.#entries.length ? `palette-${this.#chosen}` : null);
    this.#found.children[this.#chosen]?.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const count = this.#entries.length;
    if (event.key === "Enter" && count) this.#take(this.#entries[this.#chosen]);
    else if (event.key === "ArrowDown" && count) this.#chosen = (this.#chosen + 1) % count;
    else if (event.key === "ArrowUp" && count) this.#chosen = (this.#chosen + count - 1) % count;
    else return;
    event.preventDefault();
    this.#mark();
  }

  /** @param {Entry} entry */
  #take({ hash, action, run }) {
    this.#dialog.close();
    if (run) run();
    else if (hash) location.hash = hash;
    else if (action) this.onaction(action);
  }
}

customElements.define("command-palette", CommandPalette);
