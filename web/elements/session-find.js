/** `<session-find>`: searches the conversation for words, from its end upwards. */

import { attribute, h, icon, write } from "../dom.js";
import { rowsWith } from "../find.js";
import { language, t } from "../language.js";
import { readBack } from "../reading-back.js";
import { takeHistory } from "../store.js";

/** @typedef {import("../wire").Event} Event */

export class SessionFind extends HTMLElement {
  /** @type {(changes: import("../store.js").Changes) => void} Called when older events were read, and are to be shown. */
  onread = () => undefined;
  /** @type {(key: string|null) => void} Called with the key of a found row, or with null when the search ends. */
  onfound = () => undefined;

  #words = h("input", {
    type: "search", "aria-label": t`Find in this session`, placeholder: t`Find in this session`, autocomplete: "off", spellcheck: "false", enterkeyhint: "search",
    oninput: () => this.#look(), onkeydown: (event) => this.#key(event),
  });
  #count = h("p", { class: "quiet", role: "status" });
  #earlier = h("button", { type: "button", class: "earlier plain", hidden: true, onclick: () => this.#readEarlier() });
  #app = /** @type {import("./view.js").App} */ (/** @type {unknown} */ (undefined));
  #session = "";
  /** @type {string[]} */ #found = [];
  #at = 0;

  connectedCallback() {
    if (this.firstChild) return;
    const step = (/** @type {string} */ words, /** @type {string} */ name, /** @type {1|-1} */ way) =>
      h("button", { type: "button", class: name, "aria-label": words, onclick: () => this.#go(way) }, icon("down"));
    this.append(this.#words, this.#count, step(t`The one before`, "up", -1), step(t`The next one`, "next", 1),
      h("button", { type: "button", "aria-label": t`Close`, onclick: () => this.close() }, icon("cross")), this.#earlier);
  }

  /** @param {import("./view.js").App} app @param {string} session @param {string} text The initial search text. */
  open(app, session, text) {
    [this.#app, this.#session] = [app, session];
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

  get #log() {
    return this.#app?.state.logs.get(this.#session);
  }

  #look() {
    this.#found = rowsWith(this.#log?.timeline.rows ?? [], this.#words.value);
    this.#at = this.#found.length - 1;
    this.#show();
  }

  /** @param {1|-1} way */
  #go(way) {
    const key = this.#found[this.#at];
    this.#found = rowsWith(this.#log?.timeline.rows ?? [], this.#words.value);
    const count = this.#found.length;
    // New rows may have arrived before and after the current match.
    this.#at = count ? (Math.max(0, this.#found.indexOf(key)) + way + count) % count : -1;
    this.#show();
  }

  #show() {
    const [count, log] = [this.#found.length, this.#log];
    const isAsked = this.#words.value.trim() !== "";
    const isPart = isAsked && (!log?.whole || log.last < log.seq);
    const found = count ? t`${this.#at + 1} of ${count}` : t`None`;
    write(this.#count, !isAsked ? "" : isPart ? t`${found} in ${stretchOf(log)}` : found);
    attribute(this, "data-part", isPart);
    attribute(this.#earlier, "hidden", !isPart || !log || log.whole);
    if (!this.#earlier.disabled) write(this.#earlier, t`Search earlier`);
    this.onfound(this.#found[this.#at] ?? null);
  }

  /** Reads the earlier events. All come into the timeline together, at the end, as hits in them are shown there. */
  async #readEarlier() {
    const [app, session, log] = [this.#app, this.#session, this.#log];
    if (!log || this.#earlier.disabled) return;
    attribute(this.#earlier, "disabled", true);
    write(this.#earlier, t`Reading …`);
    /** @type {{first: number, events: Event[]}} */
    const read = { first: log.first, events: [] };
    let words = t`Search earlier`;
    try {
      await readBack(app, session, log.first, (first, events) => {
        if (first + events.length !== read.first) return false;
        [read.first, read.events] = [first, [...events, ...read.events]];
        return true;
      });
    } catch {
      words = t`What came before could not be read. Try it again.`;
    }
    // The timeline may have read some of it itself meanwhile.
    const events = read.events.slice(0, Math.max(0, (app.state.logs.get(session)?.first ?? 1) - read.first));
    if (events.length) this.onread(takeHistory(app.state, session, { first: read.first, events }));
    attribute(this.#earlier, "disabled", null);
    if (session !== this.#session || this.hidden) return;
    this.#look();
    write(this.#earlier, words);
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

/** @param {import("../store.js").Log|undefined} log @returns {string} The loaded stretch of the session, in words. */
function stretchOf(log) {
  if (!log) return t`the events that are here`;
  const [first, last] = [log.first, log.last].map((one) => one.toLocaleString(language.tag));
  return log.last < log.seq ? t`events ${first} to ${last}` : t`the last ${(log.last + 1 - log.first).toLocaleString(language.tag)} events`;
}

customElements.define("session-find", SessionFind);
