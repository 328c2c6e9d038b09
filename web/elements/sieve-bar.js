/** `<sieve-bar>`: the search field of the list of sessions, its filters behind a button, and the saved ones as chips. */

import { arrange, attribute, h, write } from "../dom.js";
import { plural, t } from "../language.js";
import { statuses } from "../session-words.js";
import { choices, conditions, isSame, narrows, noSieve, passes, waits } from "../sieve.js";

/** @typedef {import("../wire").Summary} Summary */
/** @typedef {import("../sieve.js").Marks} Archive */

/** The number of sessions from which the bar is shown: fewer fit on the screen without a search. */
const sessionsMin = 6;

export class SieveBar extends HTMLElement {
  /** @type {() => void} Called when the filter has changed. */
  onsieve = () => undefined;
  sieve = noSieve();
  /** @type {() => void} Called when the panel opens. */
  onopen = () => undefined;
  /** @type {import("../sieve.js").SavedSieves|undefined} */ saved;

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
  #chips = h("div", { class: "sieve-chips", role: "group", "aria-label": t`Saved filters` });
  /** Names and removes saved filters; its element is defined once the panel has been opened. */
  #saver = h("sieve-saver");
  #panel = h("div", { id: "sieve-panel", class: "sieve-panel", hidden: true },
    field(t`Project`, this.#project), field(t`Host`, this.#host), field(t`State`, this.#status), field(t`Group by`, this.#group), this.#saver, this.#archiveEnded, this.#undo);
  #isOpen = false;
  #drawn = "";
  /** @type {Summary[]} */ #all = [];
  /** @type {Archive|undefined} */ #archive;

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("div", { class: "sieve-line", role: "search" }, this.#words, this.#more), this.#chips, this.#panel);
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
    this.drawSaved();
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
    this.apply({ ...noSieve(), group: this.sieve.group });
    this.#words.focus();
  }

  /** @param {import("../sieve.js").Sieve} sieve */
  apply(sieve) {
    this.sieve = sieve;
    this.#offer();
    this.#words.value = sieve.words;
    [this.#project.value, this.#host.value, this.#status.value, this.#group.value] = [sieve.project, sieve.host, sieve.status, sieve.group];
    this.#changed();
  }

  /** Draws the saved filters. The one in use is pressed, and pressing it again takes it off. */
  drawSaved() {
    const all = this.saved?.all ?? [];
    arrange(this.#chips, all.map(({ name, sieve }, at) => {
      const chip = /** @type {HTMLElement|undefined} */ (this.#chips.children[at]) ?? h("button", { type: "button", class: "chip foreign" });
      write(chip, name);
      const isOn = isSame(sieve, this.sieve);
      attribute(chip, "aria-pressed", String(isOn));
      chip.onclick = () => this.apply(isOn ? noSieve() : sieve);
      return chip;
    }));
    if (this.#isOpen && "show" in this.#saver) this.#saver.show(this);
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
    const { project, host } = this.sieve;
    // What a saved filter names may be gone: it then finds nothing, instead of everything.
    if (project && !projects.includes(project)) projects.push(project);
    if (host && !hosts.some(([id]) => id === host)) hosts.push([host, host]);
    const drawn = JSON.stringify([projects, hosts]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      refill(this.#project, projects.map((project) => [project, project]));
      refill(this.#host, hosts);
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
    if (isOpen) this.onopen();
    this.drawSaved();
    attribute(this.#undo, "hidden", true);
    attribute(this.#panel, "hidden", !isOpen);
    attribute(this.#more, "aria-expanded", String(isOpen));
  }
}

/** @param {string} name @param {HTMLElement} control */
const field = (name, control) => h("div", { class: "field" }, h("label", { for: control.id }, name), control);

/** @param {HTMLSelectElement} select @param {[value: string, words: string][]} options They include the chosen value. */
function refill(select, options) {
  const { value } = select;
  select.replaceChildren(h("option", { value: "" }, t`All`), ...options.map(([one, words]) => h("option", { value: one }, words)));
  select.value = value;
}

customElements.define("sieve-bar", SieveBar);
