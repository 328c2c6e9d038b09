/** `<sieve-bar>`: words to search for, and behind a button what else narrows the list of sessions down. */

import { attribute, h, span, write } from "../dom.js";
import { plural } from "../format.js";
import { choices, conditions, narrows, noSieve, passes, waits } from "../sieve.js";
import { statuses } from "./session-row.js";

/** @typedef {import("../wire").Summary} Summary */
/** @typedef {import("../sieve.js").Hidden} Hidden */

/** With fewer sessions everything is on screen anyway. */
const sessionsMin = 6;

export class SieveBar extends HTMLElement {
  /** @type {() => void} Called when something else is to be shown. */
  onsieve = () => undefined;
  sieve = noSieve();

  #words = h("input", { type: "search", "aria-label": "Search sessions", placeholder: "Search", autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
  #more = h("button", { type: "button", class: "plain", "aria-expanded": "false", "aria-controls": "sieve-panel", onclick: () => this.#openPanel(!this.#isOpen) }, "Filter");
  #project = h("select", { id: "sieve-project" });
  #host = h("select", { id: "sieve-host" });
  #status = h("select", { id: "sieve-status" }, h("option", { value: "" }, "All"),
    ...Object.entries(conditions).map(([status, { words }]) => h("option", { value: status }, words)));
  #group = h("select", { id: "sieve-group" }, h("option", { value: "" }, "Nothing"), h("option", { value: "project" }, "Project"), h("option", { value: "host" }, "Host"));
  #hidden = h("input", { type: "checkbox", id: "sieve-hidden" });
  #hiddenWords = span("choice-label");
  #hide = h("button", { type: "button", class: "plain", onclick: () => this.#setHidden(this.#ended(), true) });
  #unhide = h("button", { type: "button", class: "plain", onclick: () => this.#setHidden(this.#hiddenOnes(), false) });
  #panel = h("div", { id: "sieve-panel", class: "sieve-panel", hidden: true },
    field("Project", this.#project), field("Host", this.#host), field("State", this.#status), field("Group by", this.#group),
    h("label", { class: "choice", for: "sieve-hidden" }, this.#hidden, this.#hiddenWords), this.#hide, this.#unhide);
  #isOpen = false;
  #drawn = "";
  /** @type {Summary[]} */ #all = [];
  /** @type {Hidden|undefined} */ #isHidden;

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("div", { class: "sieve-line", role: "search" }, this.#words, this.#more), this.#panel);
    this.addEventListener("input", () => this.#changed());
  }

  /**
   * What passes, of all; the bar offers what there is to choose from.
   * @param {Map<string, Summary>} sessions @param {Hidden} hidden
   * @returns {Map<string, Summary>}
   */
  visible(sessions, hidden) {
    this.#all = [...sessions.values()];
    this.#isHidden = hidden;
    attribute(this, "hidden", this.#all.length < sessionsMin && !this.isNarrow && !this.#isOpen);
    this.#offer();
    const words = (/** @type {string} */ status) => statuses[status] ?? status;
    return new Map(this.#all.filter((summary) => passes(summary, this.sieve, hidden.has, words)).map((summary) => [summary.session, summary]));
  }

  get isNarrow() {
    return narrows(this.sieve);
  }

  /** Everything that is not hidden is shown again. */
  clear() {
    this.#words.value = "";
    for (const choice of [this.#project, this.#host, this.#status]) choice.value = "";
    this.#changed();
    this.#words.focus();
  }

  #changed() {
    this.sieve = {
      words: this.#words.value, project: this.#project.value, host: this.#host.value, status: this.#status.value,
      group: /** @type {import("../sieve.js").Sieve["group"]} */ (this.#group.value), hidden: this.#hidden.checked,
    };
    const chosen = [this.sieve.project, this.sieve.host, this.sieve.status].filter(Boolean).length;
    write(this.#more, chosen ? `Filter (${chosen})` : "Filter");
    this.onsieve();
  }

  #offer() {
    const { projects, hosts } = choices(this.#all);
    const drawn = JSON.stringify([projects, hosts]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      refill(this.#project, projects.map((project) => [project, project]));
      refill(this.#host, hosts);
      // What was chosen may be gone.
      if (this.sieve.project !== this.#project.value || this.sieve.host !== this.#host.value) queueMicrotask(() => this.#changed());
    }
    const hidden = this.#hiddenOnes().length;
    write(this.#hiddenWords, `Show those hidden on this device (${hidden})`);
    write(this.#unhide, `Put ${plural(hidden, "hidden session")} back`);
    attribute(this.#unhide, "hidden", !hidden || !this.sieve.hidden);
    const ended = this.#ended().length;
    write(this.#hide, `Hide ${plural(ended, "ended session")}`);
    attribute(this.#hide, "hidden", ended === 0);
  }

  #ended() {
    return this.#all.filter((summary) => conditions.over.of(summary) && !waits(summary) && !this.#isHidden?.has(summary.session));
  }

  #hiddenOnes() {
    return this.#all.filter(({ session }) => this.#isHidden?.has(session));
  }

  /** @param {Summary[]} sessions @param {boolean} hides */
  #setHidden(sessions, hides) {
    this.#isHidden?.set(sessions.map(({ session }) => session), hides);
    this.onsieve();
    this.#hidden.focus();
  }

  /** @param {boolean} isOpen */
  #openPanel(isOpen) {
    this.#isOpen = isOpen;
    attribute(this.#panel, "hidden", !isOpen);
    attribute(this.#more, "aria-expanded", String(isOpen));
  }
}

/** @param {string} name @param {HTMLElement} control */
const field = (name, control) => h("div", { class: "field" }, h("label", { for: control.id }, name), control);

/**
 * @param {HTMLSelectElement} select @param {[value: string, words: string][]} options What was chosen stays chosen, if it is there.
 */
function refill(select, options) {
  const { value } = select;
  select.replaceChildren(h("option", { value: "" }, "All"), ...options.map(([one, words]) => h("option", { value: one }, words)));
  select.value = options.some(([one]) => one === value) ? value : "";
}

customElements.define("sieve-bar", SieveBar);
