/**
 * `<session-timeline>`: the rows of a session, live.
 *
 * Rows are made once and kept by their key, in chunks of neighbours. A chunk that was laid out once keeps its height and is left
 * out of layout while it is off screen (`content-visibility`, see session.css): thousands of rows cost as little as hundreds.
 * The view follows the end only while the reader is there.
 */

import { arrange, attribute, h, span, write } from "../dom.js";
import { markdownToRead } from "./markdown.js";
import { drawRow, redrawRow } from "./timeline-row.js";

/** @typedef {import("../store.js").Log} Log */

/** Near enough to the end to be there, in pixels: less than a row. */
const endSlack = 32;
/** Events a chunk spans: about two screens, so that few chunks are laid out and few stand off screen. */
const chunkEvents = 50;
/** Of an unfinished message, so much of its end is shown: it is drawn anew many times, and the whole comes when it is done. */
const unfinishedCharactersMax = 20_000;

export class SessionTimeline extends HTMLElement {
  /** @type {() => void} Called when older events are wanted. */
  onearlier = () => undefined;

  #session = "";
  /** @type {Map<string, {item: HTMLElement, version: number, row: import("../timeline.js").Row}>} */ #drawn = new Map();
  /** @type {Map<string, HTMLElement>} */ #growing = new Map();
  /** @type {WeakMap<HTMLElement, string>} What stands in a growing row. */ #written = new WeakMap();
  /** @type {object|null} */ #timeline = null;
  #count = 0;
  #atEnd = true;
  #earlier = h("button", { type: "button", class: "plain earlier", onclick: () => this.#wantEarlier() }, "Load earlier");
  #start = h("p", { class: "quiet earlier" }, "The beginning");
  #list = h("div", { class: "events", role: "list", "aria-label": "Timeline" });
  #unfinished = h("div", { class: "events", role: "list", "aria-label": "Being written" });
  /** @type {Map<number, HTMLElement>} By the chunk's place in the log. */ #chunks = new Map();
  #content = h("div", { class: "timeline-content" }, this.#earlier, this.#start, this.#list, this.#unfinished);
  #scroller = h("div", {
    class: "timeline-scroller", tabindex: "0", role: "group", "aria-label": "Timeline, scrolls", onscroll: () => this.#scrolled(),
  }, this.#content);
  #newer = h("button", { type: "button", class: "floating", hidden: true, onclick: () => this.toEnd() }, "↓ Newer");

  connectedCallback() {
    if (this.firstChild) return;
    this.append(this.#scroller, this.#newer);
    new ResizeObserver(() => {
      if (this.#atEnd) this.toEnd();
      // Heights are remembered with the frame that this belongs to; only after it may anything be left out.
      requestAnimationFrame(() => requestAnimationFrame(() => this.#settle()));
    }).observe(this.#content);
    new ResizeObserver(() => this.#atEnd && this.toEnd()).observe(this.#scroller);
  }

  toEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#atEnd = true;
    attribute(this.#newer, "hidden", true);
  }

  /** @param {Log|undefined} log @param {string} session */
  show(log, session) {
    if (session !== this.#session) {
      this.#session = session;
      this.#clear();
    }
    attribute(this.#earlier, "hidden", !log || log.whole);
    attribute(this.#start, "hidden", !log?.whole);
    if (log) write(this.#start, log.first > 1 ? "What came before is no longer kept" : "The beginning");
    if (!log) return this.#clear();

    const { rows } = log.timeline;
    // Another timeline object is another set of rows: older events came in front, or a snapshot replaced all.
    if (this.#timeline !== log.timeline) this.#rebuild(log);
    else for (const row of rows.slice(this.#count)) this.#chunk(row.seq).append(this.#draw(row));
    const grew = rows.length > this.#count;
    this.#timeline = log.timeline;
    this.#count = rows.length;
    for (const entry of this.#drawn.values()) {
      if (entry.version === entry.row.version) continue;
      entry.version = entry.row.version;
      redrawRow(entry.item, entry.row);
    }
    this.#drawUnfinished(log);
    if (this.#atEnd) this.toEnd();
    else if (grew) attribute(this.#newer, "hidden", false);
    return undefined;
  }

  #clear() {
    this.#drawn.clear();
    this.#growing.clear();
    this.#chunks.clear();
    this.#list.replaceChildren();
    this.#unfinished.replaceChildren();
    this.#timeline = null;
    this.#count = 0;
    this.#atEnd = true;
    attribute(this.#newer, "hidden", true);
  }

  /**
   * Keeps what is on screen where it is, while rows come or go above it.
   * @param {Log} log
   */
  #rebuild(log) {
    const held = this.#drawn;
    this.#drawn = new Map();
    const anchor = this.#atEnd ? null : this.#firstOnScreen();
    const before = anchor?.getBoundingClientRect().top ?? 0;
    /** @type {Map<number, HTMLElement[]>} */
    const wanted = new Map();
    for (const row of log.timeline.rows) {
      const entry = held.get(row.key);
      const kept = entry && entry.row.event === row.event && entry.row.end === row.end;
      if (kept) this.#drawn.set(row.key, { item: entry.item, version: row.version, row });
      const place = placeOf(row.seq);
      wanted.set(place, [...(wanted.get(place) ?? []), kept ? entry.item : this.#draw(row)]);
    }
    this.#chunks = new Map([...wanted.keys()].map((place) => [place, this.#chunks.get(place) ?? newChunk()]));
    this.#chunks.forEach((chunk, place) => arrange(chunk, wanted.get(place) ?? []));
    arrange(this.#list, [...this.#chunks.values()]);
    if (anchor?.isConnected) this.#scroller.scrollTop += anchor.getBoundingClientRect().top - before;
    attribute(this.#earlier, "disabled", null);
    write(this.#earlier, "Load earlier");
  }

  /** @param {import("../timeline.js").Row} row */
  #draw(row) {
    const item = drawRow(row, this.#session);
    this.#drawn.set(row.key, { item, version: row.version, row });
    return item;
  }

  /** @param {Log} log */
  #drawUnfinished(log) {
    for (const [message, item] of this.#growing) {
      if (log.unfinished.has(message)) continue;
      item.remove();
      this.#growing.delete(message);
    }
    for (const [message, { text }] of log.unfinished) {
      const item = this.#growing.get(message) ?? growingRow();
      const words = /** @type {HTMLElement} */ (item.querySelector(".words"));
      const shown = text.length > unfinishedCharactersMax ? `… ${text.slice(-unfinishedCharactersMax)}` : text;
      if (shown !== this.#written.get(item)) words.replaceChildren(markdownToRead(shown));
      this.#written.set(item, shown);
      if (!item.isConnected) this.#unfinished.append(item);
      this.#growing.set(message, item);
    }
  }

  /**
   * The chunk for a row, at the end of the list if it is new.
   * @param {number} seq
   */
  #chunk(seq) {
    const place = placeOf(seq);
    let chunk = this.#chunks.get(place);
    if (!chunk) {
      chunk = newChunk();
      this.#chunks.set(place, chunk);
      this.#list.append(chunk);
    }
    return chunk;
  }

  /** Chunks that have their height and will not grow may leave the layout when they are off screen. */
  #settle() {
    [...this.#chunks.values()].slice(0, -1).forEach((chunk) => attribute(chunk, "data-settled", true));
  }

  #firstOnScreen() {
    const top = this.#scroller.getBoundingClientRect().top;
    const chunk = [...this.#chunks.values()].find((one) => one.getBoundingClientRect().bottom > top);
    return [...(chunk?.children ?? [])].find((item) => item.getBoundingClientRect().bottom > top) ?? null;
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#atEnd = scrollHeight - clientHeight - scrollTop < endSlack;
    if (this.#atEnd) attribute(this.#newer, "hidden", true);
  }

  #wantEarlier() {
    // At the very top the end is not near, whatever the last scroll said.
    this.#atEnd = false;
    this.#earlier.disabled = true;
    write(this.#earlier, "Loading …");
    this.onearlier();
  }

  /** Older events did not come. */
  earlierFailed() {
    this.#earlier.disabled = false;
    write(this.#earlier, "Load earlier (it failed; try again)");
  }
}

/** @param {number} seq */
const placeOf = (seq) => Math.floor(seq / chunkEvents);

const growingRow = () =>
  h("div", { class: "event", role: "listitem", "data-kind": "message", "data-role": "assistant", "data-unfinished": true },
    h("time"), h("div", { class: "event-body" }, span("speaker", "Agent is writing"), h("div", { class: "words foreign" })));

const newChunk = () => h("div", { class: "chunk", role: "none" });

customElements.define("session-timeline", SessionTimeline);
