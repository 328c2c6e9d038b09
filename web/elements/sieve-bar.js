/** `<sieve-bar>`: the search field of the list of sessions, and its filters behind a button. */

import { attribute, h, write } from "../dom.js";
import { plural, t } from "../language.js";
import { statuses } from "../session-words.js";
import { choices, conditions, narrows, noSieve, passes, waits } from "../sieve.js";

/** @typedef {import("../wire").Summary} Summary */
/** @typedef {import("../sieve.js").Marks} Archive */

/** The number of sessions from which the bar is shown: fewer fit on the screen without a search. */
const sessionsMin = 6;

export class SieveBar extends HTMLElement {
  /** @type {() => void} Called when the filter has changed. */
  onsieve = () => undefined;
  sieve = noSieve();

  #words = h("input", { type: "search", "aria-label": t`Search sessions`, placeholder: t`Search`, autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
  #more = h("button", { type: "button", class: "plain", "aria-expanded": "false", "aria-controls": "sieve-panel", onclick: () => this.#openPanel(!this.#isOpen) }, t`Filter`);
  #project = h("select", { id: "sieve-project" });
  #host = h("select", { id: "sieve-host" });
  #status = h("select", { id: "sieve-status" }, h("option", { value: "" }, t`All`),
    ...Object.entries(conditions).map(([status, { words }]) => h("option", { value: status }, words)));
  #group = h("select", { id: "sieve-group" }, h("option", { value: "" }, t`State`), h("option", { value: "project" }, t`Project`), h("option", { value: "host" }, t`Host`));
  #archiveEnded = h("button", { type: "button", class: "plain", onclick: () => this.#putAway() });
  /** @type {string[]} The sessions archived last, which can be restored. */ #put = [];
  #undo = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.#takeBack() });
  #panel = h("div", { id: "sieve-panel", class: "sieve-panel", hidden: true },
    field(t`Project`, this.#project), field(t`Host`, this.#host), field(t`State`, this.#status), field(t`Group by`, this.#group), this.#archiveEnded, this.#undo);
  #isOpen = false;
  #drawn = "";
  /** @type {Summary[]} */ #all = [];
  /** @type {Archive|undefined} */ #archive;

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("div", { class: "sieve-line", role: "search" }, this.#words, this.#more), this.#panel);
    this.addEventListener("input", () => this.#changed());
  }

  /** @param {Summary} summary */
  passes(summary) {
    return passes(summary, this.sieve, (status) => statuses[status] ?? status);
  }

  /**
   * The sessions that pass the filter. Also updates the projects and hosts that the filter offers.
   * @param {Summary[]} sessions @param {Archive} archive
   * @returns {Map<string, Summary>}
   */
  visible(sessions, archive) {
    this.#all = sessions;
    this.#archive = archive;
    attribute(this, "hidden", this.#all.length < sessionsMin && !this.isNarrow && !this.#isOpen);
    this.#offer();
    return new Map(this.#all.filter((summary) => this.passes(summary)).map((summary) => [summary.session, summary]));
  }

  /** @override */
  focus() {
    this.#words.focus();
  }

  get isNarrow() {
    return narrows(this.sieve);
  }

  /** Clears search and filters. */
  clear() {
    this.#words.value = "";
    for (const choice of [this.#project, this.#host, this.#status]) choice.value = "";
    this.#changed();
    this.#words.focus();
  }

  #changed() {
    this.sieve = {
      words: this.#words.value, project: this.#project.value, host: this.#host.value, status: this.#status.value,
      group: /** @type {import("../sieve.js").Sieve["group"]} */ (this.#group.value),
    };
    const chosen = [this.sieve.project, this.sieve.host, this.sieve.status].filter(Boolean).length;
    write(this.#more, chosen ? t`Filter (${chosen})` : t`Filter`);
    this.onsieve();
  }

  #offer() {
    const { projects, hosts } = choices(this.#all);
    const drawn = JSON.stringify([projects, hosts]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      refill(this.#project, projects.map((project) => [project, project]));
      refill(this.#host, hosts);
      // The chosen project or host may have disappeared.
      if (this.sieve.project !== this.#project.value || this.sieve.host !== this.#host.value) queueMicrotask(() => this.#changed());
    }
    const ended = this.#ended().length;
    write(this.#archiveEnded, t`Archive ${plural(ended, "ended session")}`);
    attribute(this.#archiveEnded, "hidden", ended === 0);
  }

  #ended() {
    return this.#all.filter((summary) => conditions.over.of(summary) && !waits(summary) && !this.#archive?.has(summary.session));
  }

  #putAway() {
    this.#put = this.#ended().map(({ session }) => session);
    this.#archive?.set(this.#put, true);
    this.onsieve();
    write(this.#undo, t`Archived ${plural(this.#put.length, "session")}: undo`);
    attribute(this.#undo, "hidden", false);
    this.#undo.focus();
  }

  #takeBack() {
    this.#archive?.set(this.#put, false);
    attribute(this.#undo, "hidden", true);
    this.onsieve();
    this.#archiveEnded.focus();
  }

  /** @param {boolean} isOpen */
  #openPanel(isOpen) {
    this.#isOpen = isOpen;
    attribute(this.#undo, "hidden", true);
    attribute(this.#panel, "hidden", !isOpen);
    attribute(this.#more, "aria-expanded", String(isOpen));
  }
}

/** @param {string} name @param {HTMLElement} control */
const field = (name, control) => h("div", { class: "field" }, h("label", { for: control.id }, name), control);

/** @param {HTMLSelectElement} select @param {[value: string, words: string][]} options The chosen value stays chosen if it is among them. */
function refill(select, options) {
  const { value } = select;
  select.replaceChildren(h("option", { value: "" }, t`All`), ...options.map(([one, words]) => h("option", { value: one }, words)));
  select.value = options.some(([one]) => one === value) ? value : "";
}

customElements.define("sieve-bar", SieveBar);
