/**
 * `<session-timeline>`: the rows of a session, live.
 *
 * Rows are made once and kept by their key, in chunks of neighbours. A chunk that was laid out once keeps its height and is left
 * out of layout while it is off screen (`content-visibility`, see session.css): thousands of rows cost as little as hundreds.
 * The view follows the end only while the reader is there.
 */

import { arrange, attribute, h, nodes, span, write } from "../dom.js";
import { t } from "../language.js";
import { line } from "../text.js";
import { foldForgotten } from "./forgotten-fold.js";
import { noNews } from "./link-state.js";
import { markdownToRead } from "./markdown.js";
import { TimelineCards } from "./timeline-cards.js";
import { drawRow, redrawRow, tickRows } from "./timeline-row.js";

/** @typedef {import("../store.js").Log} Log */

/** Distance from the end in pixels that still counts as at the end: less than a row. */
const endSlack = 32;
/** Distance from the top, in screens, at which older events are requested. */
const screensAhead = 2;
/** Events in a chunk: about two screens, so that few chunks need layout. */
const chunkEvents = 50;
/** Sessions whose scroll position is remembered: those whose log is kept (`store.js`), and a few more. */
const placesMax = 8;
/** The share of the screen for rows that the reader has already seen, above the rows that arrived while they were away. */
const knownShare = 0.4;
/** Characters shown from the end of an unfinished message, which is redrawn often; the finished one is shown in full. */
const unfinishedCharactersMax = 20_000;

export class SessionTimeline extends HTMLElement {
  /** @type {() => void} Called to load the events before the loaded ones. */
  onearlier = () => undefined;
  /** @type {() => void} Called to load the events after the loaded ones. */
  onnewer = () => undefined;
  /** @type {() => void} Called to load the session's first events. */
  onbeginning = () => undefined;
  /** @type {() => void} Called to load the newest events and follow them. */
  onlatest = () => undefined;
  /** @type {(row: import("../timeline.js").Row) => void} Called to take back a waiting prompt. */
  ontakeback = () => undefined;
  /** @type {(row: import("../timeline.js").Row) => void} Called to put the text of a failed prompt back into the text field. */
  onsendagain = () => undefined;
  /** @type {() => void} Called when the last question that was answered here is settled. */
  onsettled = () => undefined;
  cards = new TimelineCards();

  #session = "";
  /** @type {import("./steering-row.js").Hands} */
  #hands = {
    me: "", maySteer: false, queued: new Set(), openThreads: new Set(), takeBack: (row) => this.ontakeback(row), sendAgain: (row) => this.onsendagain(row),
  };
  /** @type {Map<string, {item: HTMLElement, version: number, row: import("../timeline.js").Row}>} */ #drawn = new Map();
  /** @type {Set<string>} Keys of rewinds whose forgotten rows are shown. */ #reread = new Set();
  /** @type {Map<string, HTMLElement>} */ #growing = new Map();
  /** @type {WeakMap<HTMLElement, string>} The text shown in each growing row. */ #written = new WeakMap();
  /** @type {object|null} */ #timeline = null;
  /** @type {import("../timeline.js").Row[]} */ #rows = [];
  #count = 0;
  /** A rewind took back a drawn row. */ #hasRewound = false;
  #isArriving = false;
  #atEnd = true;
  /** The newest events are not loaded, because the reader is far back. */
  #isFarBack = false;
  /** The newest events were requested; the timeline will show them from their end. */
  #wantsLatest = false;
  #isLoading = false;
  /** After a failed request only a button asks again, not scrolling. */
  #hasFailed = false;
  /** @type {Map<string, {key: string, offset: number}>} By session, the row at the top of the screen, if the reader left it far from the end. */ #places = new Map();
  /** @type {Map<string, number>} By session, the newest row that the reader has seen. */ #seen = new Map();
  /** @type {HTMLElement|undefined} The waiting card whose beginning the view does not scroll past, and its position. */ #held;
  #heldAt = 0;
  /** @type {WeakSet<HTMLElement>} Waiting cards that the reader scrolled past, so that the view follows the end nevertheless. */ #passed = new WeakSet();
  /** The button to the session's beginning, fixed so that arriving pages do not move it. */
  #beginning = h("button", { type: "button", class: "floating to-start", hidden: true, onclick: () => this.#ask(this.onbeginning) }, t`↑ Jump to the start`);
  #earlier = h("button", { type: "button", class: "plain earlier", onclick: () => this.#want(this.onearlier) }, t`Load earlier`);
  #start = h("p", { class: "quiet earlier" }, t`The beginning`);
  #list = h("div", { class: "events", role: "list", "aria-label": t`Timeline` });
  #unfinished = h("div", { class: "events", role: "list", "aria-label": t`Being written` });
  /** @type {Map<number, HTMLElement>} Chunks by their position in the log. */ #chunks = new Map();
  #content = h("div", { class: "timeline-content" }, this.#earlier, this.#start, this.#list, this.#unfinished);
  #scroller = h("div", {
    class: "timeline-scroller", tabindex: "0", role: "group", "aria-label": t`Timeline, scrolls`, onscroll: () => this.#scrolled(),
  }, this.#content);
  #newer = h("button", { type: "button", class: "to-newest", hidden: true, onclick: () => this.toNewest() }, t`↓ Newer`);

  connectedCallback() {
    if (this.firstChild) return;
    this.append(this.#beginning, this.#scroller, this.#newer);
    this.cards.onsettled = (next) => this.#goOn(next);
    new ResizeObserver(() => {
      if (this.#atEnd) this.#follow();
      // `content-visibility` remembers a chunk's height only after a frame; only then may chunks be skipped in layout.
      requestAnimationFrame(() => requestAnimationFrame(() => this.#settle()));
    }).observe(this.#content);
    new ResizeObserver(() => this.#atEnd && this.#follow()).observe(this.#scroller);
  }

  /**
   * Called every second.
   * @param {number|null} now Null if the session is idle: tools without an end then no longer count as running.
   */
  tick(now) {
    this.cards.tick();
    tickRows(now);
  }

  /**
   * After an answer moves on to the next waiting card, or to the end of the timeline.
   * @param {import("./approval-card.js").ApprovalCard|undefined} next
   */
  #goOn(next) {
    next?.settle();
    if (next) next.land();
    else this.onsettled();
    if (this.#isFarBack) return;
    this.#held = undefined;
    this.#atEnd = true;
    this.#follow();
  }

  toEnd() {
    this.#held = undefined;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#atEnd = true;
    attribute(this.#newer, "hidden", true);
    this.#offerStart();
  }

  /**
   * Follows the end, but stops at the beginning of a card that waits for a decision, because it is read from there. Once the card is
   * settled the view stays where it is: nothing may move under a finger.
   */
  #follow() {
    const first = this.cards.pending.find((card) => !this.#passed.has(card));
    if (this.#held && this.#held !== first) {
      this.#atEnd = false;
      attribute(this.#newer, "hidden", this.#isNearEnd);
      this.#held = undefined;
      return;
    }
    const end = this.#scroller.scrollHeight - this.#scroller.clientHeight;
    // A margin above the card, unless that would push its buttons off the screen.
    const above = first ? Math.max(0, Math.min(endSlack, this.#scroller.clientHeight - first.offsetHeight)) : 0;
    const start = first ? this.#scroller.scrollTop + first.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top - above : end;
    if (start >= end) {
      this.#see();
      return this.toEnd();
    }
    this.#held = first;
    this.#heldAt = Math.max(0, Math.floor(start));
    this.#scroller.scrollTop = this.#heldAt;
    return undefined;
  }

  /**
   * `ResizeObserver` follows growing content after its layout: reading the height now would force a second layout in the frame. A waiting card
   * is scrolled to at once.
   */
  #stay() {
    if (this.#held || this.cards.first) this.#follow();
    else this.#see();
  }

  get #isNearEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    return scrollHeight - clientHeight - scrollTop < endSlack;
  }

  /**
   * Scrolls to the card of a waiting approval.
   * @param {string} approval @returns {boolean} False if the timeline has no such card.
   */
  reveal(approval) {
    return this.cards.reveal(approval);
  }

  /** Called when the session is opened: the next drawing restores the reader's position, or shows a waiting card. */
  arrive() {
    this.cards.arrive();
    this.#isArriving = true;
  }

  #land() {
    this.#passed = new WeakSet();
    this.#held = undefined;
    const place = this.#places.get(this.#session) ?? this.#firstUnseen();
    const item = place && this.#drawn.get(place.key)?.item;
    this.#atEnd = !item || this.cards.first !== undefined;
    if (!item || !place || this.#atEnd) return this.#follow();
    this.#scroller.scrollTop += item.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top - place.offset;
    this.#atEnd = this.#isNearEnd;
    if (this.#atEnd) this.#see();
    this.#offerNewer();
    return this.#offerStart();
  }

  /** The first row that arrived after a reader had seen everything; the view starts a little above it. */
  #firstUnseen() {
    const unseen = this.#unseen;
    this.querySelector("[data-first-unseen]")?.removeAttribute("data-first-unseen");
    if (!unseen.length) return undefined;
    this.#drawn.get(unseen[0].key)?.item.setAttribute("data-first-unseen", "");
    return { key: unseen[0].key, offset: this.#scroller.clientHeight * knownShare };
  }

  /** The rows that arrived since the reader was at the end. */
  get #unseen() {
    const [seen, rows] = [this.#seen.get(this.#session), this.#rows];
    if (seen === undefined) return [];
    let from = rows.length;
    while (from > 0 && rows[from - 1].seq > seen) from -= 1;
    return rows.slice(from);
  }

  /** Records that the end is on screen. */
  #see() {
    const last = this.#rows.at(-1)?.seq;
    if (last === undefined || this.#isFarBack || this.#isArriving) return;
    this.#seen.delete(this.#session);
    this.#seen.set(this.#session, last);
    for (const session of [...this.#seen.keys()].slice(0, -placesMax)) this.#seen.delete(session);
  }

  #offerNewer() {
    attribute(this.#newer, "hidden", this.#atEnd);
    const count = this.#isFarBack ? 0 : this.#unseen.length;
    write(this.#newer, this.#isFarBack ? t`↓ Latest` : count ? t`↓ ${count} newer` : t`↓ Newer`);
  }

  /** Remembers the row at the top, for the reader's next visit. */
  #remember() {
    const item = this.#atEnd ? null : this.#firstOnScreen();
    const key = item?.getAttribute("data-key");
    this.#places.delete(this.#session);
    if (!item || !key) return;
    this.#places.set(this.#session, { key, offset: item.getBoundingClientRect().top - this.#scroller.getBoundingClientRect().top });
    for (const session of [...this.#places.keys()].slice(0, -placesMax)) this.#places.delete(session);
  }

  /**
   * @param {Log|undefined} log @param {string} session @param {import("./view.js").App} app
   * @param {Set<string>} queued Keys of the prompts that the composer lists.
   */
  show(log, session, app, queued) {
    if (session !== this.#session) {
      this.#session = session;
      this.#hands.openThreads.clear();
      this.#reread.clear();
      this.#clear();
    }
    this.#hands.queued = queued;
    const { welcome } = app.state;
    this.#hands.me = welcome?.client.id ?? "";
    this.#hands.maySteer = welcome?.may.includes("steer") === true;
    attribute(this.#earlier, "hidden", !log || log.whole);
    this.#isFarBack = log !== undefined && log.last < log.seq;
    if (this.#isFarBack) this.#atEnd = false;
    else if (this.#wantsLatest) this.#atEnd = true;
    if (!this.#isFarBack) this.#wantsLatest = false;
    const isAway = !log && ["waiting", "stopped"].includes(app.link.phase);
    attribute(this.#start, "hidden", !log?.whole && !isAway);
    write(this.#start, !log ? noNews(app.link) : log.first > 1 ? t`What came before is no longer kept` : t`The beginning`);
    if (!log) return this.#clear();

    const { rows } = log.timeline;
    // A new timeline object means other rows: older events were added in front, or a snapshot replaced all.
    if (this.#timeline !== log.timeline) this.#rebuild(log);
    else for (const row of rows.slice(this.#count)) this.#chunk(row.seq).append(this.#draw(row));
    const grew = rows.length > this.#count;
    this.#timeline = log.timeline;
    this.#rows = rows;
    this.#count = rows.length;
    for (const { key } of log.timeline.takeTouched()) {
      const entry = this.#drawn.get(key);
      if (!entry || entry.version === entry.row.version) continue;
      entry.version = entry.row.version;
      redrawRow(entry.item, entry.row, session, this.#hands);
    }
    for (const { key, said } of log.timeline.prompts) {
      const item = this.#drawn.get(key)?.item;
      if (item) attribute(item, "hidden", said !== undefined || queued.has(key));
    }
    if (this.#hasRewound) foldForgotten(rows, (key) => this.#drawn.get(key)?.item, this.#reread);
    this.#drawUnfinished(log);
    this.cards.show(app, [...app.state.approvals.values()].filter((approval) => approval.session === session),
      (approval) => this.#drawn.get(log.timeline.row(`a:${approval}`)?.key ?? "")?.item);
    if (this.#isArriving && rows.length) {
      // The newest events are still arriving.
      this.#isArriving = app.link.isLive && log.seq < (app.state.sessions.get(session)?.seq ?? 0);
      this.#land();
    }
    else if (this.#atEnd) this.#stay();
    else if (grew || this.#isFarBack) this.#offerNewer();
    return this.#offerStart();
  }

  #offerStart() {
    attribute(this.#beginning, "hidden", this.#atEnd || this.#earlier.hidden);
  }

  #clear() {
    this.#drawn.clear();
    this.#growing.clear();
    this.cards.clear();
    this.#held = undefined;
    this.#chunks.clear();
    this.#list.replaceChildren();
    this.#unfinished.replaceChildren();
    this.#timeline = null;
    this.#rows = [];
    this.#hasRewound = false;
    this.#count = 0;
    this.#atEnd = true;
    this.#become(false, t`Load earlier`);
    attribute(this.#newer, "hidden", true);
    this.#offerStart();
  }

  /**
   * Draws all rows again without moving the visible ones, although rows above them come or go.
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
      const kept = entry && entry.row.event === row.event && entry.row.end === row.end && entry.row.change === row.change
        && !entry.row.subagent && !row.subagent && entry.row.said?.seq === row.said?.seq && entry.row.prompt?.seq === row.prompt?.seq;
      if (kept) this.#drawn.set(row.key, { item: entry.item, version: row.version, row });
      const place = placeOf(row.seq);
      wanted.set(place, [...(wanted.get(place) ?? []), kept ? entry.item : this.#draw(row)]);
    }
    this.#chunks = new Map([...wanted.keys()].map((place) => [place, this.#chunks.get(place) ?? newChunk()]));
    this.#chunks.forEach((chunk, place) => arrange(chunk, wanted.get(place) ?? []));
    arrange(this.#list, [...this.#chunks.values()]);
    if (!anchor?.isConnected) return;
    const keep = () => (this.#scroller.scrollTop += anchor.getBoundingClientRect().top - before);
    keep();
    const at = this.#scroller.scrollTop;
    // A new row's real height is known a frame after its estimate; if a person scrolled meanwhile, the position stays.
    requestAnimationFrame(() => {
      if (anchor.isConnected && Math.abs(this.#scroller.scrollTop - at) < 1) keep();
    });
  }

  /** @param {import("../timeline.js").Row} row */
  #draw(row) {
    const item = drawRow(row, this.#session, this.#hands);
    this.#hasRewound ||= row.event.kind === "rewound";
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
    for (const [message, { text, agent }] of log.unfinished) {
      const item = this.#growing.get(message) ?? growingRow(agent, log.timeline.nameOf(agent));
      const words = /** @type {HTMLElement} */ (item.querySelector(".words"));
      const shown = text.length > unfinishedCharactersMax ? `… ${text.slice(-unfinishedCharactersMax)}` : text;
      if (shown !== this.#written.get(item)) words.replaceChildren(markdownToRead(shown));
      this.#written.set(item, shown);
      if (!item.isConnected) this.#unfinished.append(item);
      this.#growing.set(message, item);
    }
  }

  /**
   * The chunk of a row; a new one is added at the end.
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

  /** Lets the browser skip the layout of chunks that are off screen, have a known height and will not grow. */
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
    const below = scrollHeight - clientHeight - scrollTop;
    const isHeld = this.#held !== undefined && Math.abs(scrollTop - this.#heldAt) < 2;
    if (!isHeld) this.#held = undefined;
    this.#atEnd = !this.#isFarBack && (isHeld || below < endSlack);
    const top = this.#scroller.getBoundingClientRect().top;
    if (this.#atEnd && !isHeld) for (const card of this.cards.pending) if (card.getBoundingClientRect().top < top - endSlack) this.#passed.add(card);
    this.#remember();
    this.#offerStart();
    if (below < endSlack && this.#atEnd) {
      this.#see();
      attribute(this.#newer, "hidden", true);
    }
    if (this.#atEnd) return undefined;
    // Requests older events before the reader reaches the top, but not at the end, where a short log fills less than a screen.
    if (this.#hasFailed) return undefined;
    if (scrollTop < clientHeight * screensAhead && !this.#earlier.hidden) return this.#want(this.onearlier);
    if (below < clientHeight * screensAhead && this.#isFarBack) return this.#want(this.onnewer);
    return undefined;
  }

  /** Scrolls to the newest row, which may have to be requested. */
  toNewest() {
    if (!this.#isFarBack) return this.toEnd();
    this.#wantsLatest = true;
    return this.onlatest();
  }

  /**
   * Requests a page of events by `ask`, one page at a time.
   * @param {() => void} ask
   */
  #want(ask) {
    if (!this.#isLoading) this.#ask(ask);
  }

  /** @param {() => void} ask */
  #ask(ask) {
    // At the very top the end is not near, even if the last scroll event said so.
    this.#atEnd = false;
    this.#become(true, t`Loading …`);
    ask();
  }

  /** @param {boolean} isLoading @param {string} words */
  #become(isLoading, words) {
    this.#isLoading = isLoading;
    attribute(this.#earlier, "disabled", isLoading);
    write(this.#earlier, words);
  }

  /**
   * Shows the requested rows.
   * @param {{jump?: boolean}} how
   */
  loaded({ jump }) {
    this.#hasFailed = false;
    this.#become(false, t`Load earlier`);
    if (!jump) return;
    this.#scroller.scrollTop = 0;
    // The focused button disappears, so the focus moves to the timeline.
    this.#scroller.focus({ preventScroll: true });
  }

  /**
   * Scrolls to the row with that key and marks it; null removes the mark.
   * @param {string|null} key
   */
  showRow(key) {
    this.querySelector("[data-found]")?.removeAttribute("data-found");
    const item = key === null ? undefined : this.#drawn.get(key)?.item;
    if (!item) return;
    attribute(item, "data-found", true);
    this.#held = undefined;
    this.#atEnd = false;
    item.scrollIntoView({ block: "center" });
  }

  /** Called when a requested page did not arrive. */
  loadFailed() {
    this.#hasFailed = true;
    this.#become(false, t`Load earlier (it failed; try again)`);
  }
}

/** @param {number} seq */
const placeOf = (seq) => Math.floor(seq / chunkEvents);

/** @param {string} [agent] The id of the subagent that writes. @param {string} [name] The subagent's name. */
const growingRow = (agent, name) =>
  h("div", { class: "event", role: "listitem", "data-kind": "message", "data-role": "assistant", "data-unfinished": true, "data-subagent": agent ?? null },
    h("time"), h("div", { class: "event-body" }, span("speaker foreign", agent ? nodes(line(t`${name || t`A subagent`} is writing`)) : t`Agent is writing`), h("div", { class: "words foreign", dir: "auto" })));

const newChunk = () => h("div", { class: "chunk", role: "none" });

customElements.define("session-timeline", SessionTimeline);
