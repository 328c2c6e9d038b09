/**
 * `<session-list>`: every session of the workspace, or the archived ones.
 *
 * Rows do not trade places under a finger. The order (sessions that wait for you, then working ones, then today's; most recent first) is computed
 * when the list is opened, and again if a row stands under a wrong heading and the list was not touched for some seconds. Until then new
 * sessions are on top. A tap just after rows have moved does nothing, as it may have been meant for another row. If the list is scrolled, a
 * button says what there is above or below.
 *
 * Rows are created as far as the list was scrolled, and a changed session updates only its own row, because a list may have thousands.
 */

import { arrange, attribute, h, icon, say, span, write } from "../dom.js";
import { pieces, plural, t } from "../language.js";
import { titleOf } from "../session-words.js";
import { sessionOf } from "../store.js";
import { line } from "../text.js";
import { skeleton } from "./link-state.js";
import { byGroup, grouped, groupOf, groups, headingOf, ranked, waits } from "../sieve.js";
import { SessionRow } from "./session-row.js";
import { SieveBar } from "./sieve-bar.js";
import { View } from "./view.js";

/** @typedef {import("../wire").Summary} Summary */

/** Time after a row moved in which a tap does not open it: longer than a finger needs from seeing to tapping. */
const settleMs = 600;
/** Time without a touch or a key after which rows may move. */
const restMs = 5000;
/** Time for which a limit is shown as reached: the relay repeats its notice every ten minutes as long as it is. */
const fullMs = 660_000;
/** Placeholder rows of a list that has not loaded. */
const skeletonRows = 6;
/** Rows that are created at once: a few screens. */
const rowsAtOnce = 60;

export class SessionList extends View {
  /** @type {string|null} The session that is open beside the list. */
  current = null;

  /** @type {Map<string, SessionRow>} */ #rows = new Map();
  /** @type {string[]} */ #order = [];
  /** @type {Map<string, keyof typeof groups>} Each session's group at the time when the order was computed. */ #groups = new Map();
  /** The greatest number of rows that are drawn. */
  #reach = rowsAtOnce;
  /** @type {Map<string, Summary>} The listed sessions at the last complete drawing. */ #passed = new Map();
  #wasLoaded = false;
  #top = span("edge");
  #further = span("edge");
  /** @type {Set<string>} Sessions that moved up to the waiting ones while the top of the list was not on screen. */ #called = new Set();
  /** True if sessions arrived that are drawn within a second. */ #isDue = false;
  #touchedAt = 0;
  /** @type {Set<string>|null} The `belated` of the snapshot after which the older sessions were requested. */ #asked = null;
  /** Number of new sessions that nobody can have seen, because the top of the list was not on screen. */ #unseen = 0;
  #isTopSeen = true;
  #isArchive = false;
  #title = h("h2", { tabindex: "-1" }, t`Sessions`);
  #head = h("div", { class: "pane-head" });
  #full = h("p", { class: "fullness", role: "status", hidden: true });
  /** @type {WeakMap<import("../wire").Notice, number>} The time at which each notice arrived. */ #heard = new WeakMap();
  #movedAt = Number.NEGATIVE_INFINITY;
  #list = h("ol", { class: "rows", "aria-label": t`Sessions`, onclick: (event) => performance.now() - this.#movedAt < settleMs && event.preventDefault() });
  #empty = h("div", { class: "empty" });
  #reorder = h("button", { class: "floating", type: "button", hidden: true, onclick: () => this.#showFirst() });
  #total = span("quiet");
  #sieve = new SieveBar();
  #begin = h("a", { class: "head-link", href: "#/start", hidden: true }, icon("plus"), t`New`);
  #costs = h("a", { class: "head-link", href: "#/costs" }, t`Cost`);
  #noneFits = h("div", { class: "empty", hidden: true }, h("p", {}, t`No session fits.`),
    h("button", { type: "button", class: "plain", onclick: () => this.#sieve.clear() }, t`Show all`));
  /** The element loads with the rare views once words are searched for, and is empty until then. */
  #files = h("file-finder", { hidden: true });
  #allAway = h("div", { class: "empty", hidden: true });
  #back = h("a", { class: "head-link", href: "#/" }, t`All sessions`);
  #aboutArchive = h("div", { class: "archive-head" },
    h("p", { class: "quiet" }, t`Out of the list on this device. What needs you is in the list all the same.`),
    h("button", { type: "button", class: "plain", onclick: () => this.#bringBack([...this.#order]) }, t`Bring all back`));
  #archived = h("a", { class: "archive-link", href: "#/archive" });
  /** @type {Map<string, HTMLElement>} */ #headings = new Map();
  /** @type {Map<string, HTMLElement>} Labels of the archive's buttons, by session. */ #names = new Map();

  connectedCallback() {
    this.#head.append(this.#title, this.#total, this.#costs, this.#begin, this.#back);
    this.append(this.#top, this.#head, this.#full, this.#sieve, this.#aboutArchive, this.#empty, this.#noneFits, this.#allAway, this.#list, this.#further, this.#files, this.#archived, this.#reorder);
    this.#sieve.onsieve = () => this.arrive();
    this.#sieve.onopen = () => this.app.loadSeldom();
    this.addEventListener("keydown", (event) => this.#step(event));
    for (const kind of ["pointerdown", "pointermove", "keydown", "scroll"]) this.addEventListener(kind, () => (this.#touchedAt = performance.now()), { passive: true });
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isTopSeen = isIntersecting;
      if (isIntersecting) this.#drawMissed();
    }).observe(this.#top);
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && this.#reachOn(), { root: this, rootMargin: "0px 0px 200% 0px" }).observe(this.#further);
  }

  /** Creates further rows when the last one comes near. */
  #reachOn() {
    if (this.#reach >= this.#order.length) return;
    this.#reach += rowsAtOnce;
    this.#draw();
  }

  /** Called when the list or the archive is opened: the order is computed anew. */
  arrive(isArchive = this.#isArchive) {
    this.#isArchive = isArchive;
    this.#unseen = 0;
    this.#called.clear();
    this.#touchedAt = performance.now();
    this.#reach = rowsAtOnce;
    const sessions = this.#visible();
    this.#group(sessions.values());
    this.#order = byGroup(sessions.values(), this.#groupOf);
    this.#draw();
  }

  /** @param {Iterable<Summary>} sessions */
  #group(sessions) {
    const groupNow = this.#groupNow();
    for (const one of sessions) this.#groups.set(one.session, groupNow(one));
  }

  #groupNow() {
    const { now, pins, isLater, archive } = this.app;
    const at = { today: new Date(now()).setHours(0, 0, 0, 0), isPinned: pins.has, isLater, isArchived: this.#isArchive ? () => false : archive.has };
    return (/** @type {Summary} */ one) => groupOf(one, at);
  }

  /** Moves sessions under their current headings unless the list is in use. In a scrolled list the rows on screen stay in place. */
  #settle() {
    if (this.#sieve.sieve.group || performance.now() - this.#touchedAt < restMs || this.#list.contains(document.activeElement)) return;
    const [isTopSeen, groupNow, summaries] = [this.#isTopSeen, this.#groupNow(), this.#order.flatMap((id) => this.app.state.sessions.get(id) ?? [])];
    const moved = new Map(summaries.filter((one) => ![groupNow(one), "fresh"].includes(this.#groupOf(one))).map((one) => [one.session, one]));
    if (!moved.size) return;
    const { top, bottom } = this.getBoundingClientRect();
    const place = (/** @type {Element} */ row) => row.getBoundingClientRect().top;
    const kept = isTopSeen ? null : [...this.#rows].find(([id, row]) => !moved.has(id) && place(row) >= top && place(row) < bottom)?.[1];
    const before = kept ? place(kept) : 0;
    if (!isTopSeen) for (const [id, one] of moved) if (waits(one)) this.#called.add(id);
    this.#group(summaries);
    const order = byGroup(summaries, this.#groupOf);
    // A heading that changes moves no row to where another was.
    if (order.some((id, at) => id !== this.#order[at])) this.#movedAt = performance.now();
    this.#order = order;
    this.#draw();
    if (kept?.isConnected) this.scrollTop += place(kept) - before;
  }

  /** @param {Summary} summary */
  #groupOf = ({ session }) => this.#groups.get(session) ?? "earlier";

  /**
   * True if the group's heading already says that the session waits.
   * @param {Summary} summary
   */
  #isSaid = (summary) => !this.#sieve.sieve.group && this.#groupOf(summary) === "needs";

  /**
   * True if the list or archive shows the session. A search by words also finds archived ones.
   * @param {Summary} one
   */
  #isHere = (one) => (this.app.archive.has(one.session) ? this.#isArchive || waits(one) || this.#sieve.sieve.words.trim() !== "" : !this.#isArchive);

  /** @param {Summary} one */
  #passes(one) {
    return this.#isHere(one) && this.#sieve.passes(one);
  }

  /** @returns {Map<string, Summary>} */
  #visible() {
    const { archive, sieves, state } = this.app;
    this.#sieve.saved = sieves;
    return this.#sieve.visible([...state.sessions.values()].filter(this.#isHere), archive);
  }

  /**
   * Restores sessions from the archive.
   * @param {string[]} sessions
   */
  #bringBack(sessions) {
    const next = this.#order[this.#order.indexOf(sessions[0]) + 1];
    this.app.archive.set(sessions, false);
    this.app.announce(sessions.length === 1 ? t`In the list again` : t`${plural(sessions.length, "session")} in the list again`);
    this.#draw();
    const button = sessions.length === 1 ? this.#rows.get(next)?.nextElementSibling : null;
    /** @type {HTMLElement} */ (button ?? this.#title).focus();
  }

  /**
   * The neighbour of a session in the list.
   * @param {string|null} session Null for the first one. @param {1|-1} way
   */
  beside(session, way) {
    const next = this.#order[session === null ? 0 : this.#order.indexOf(session) + way];
    this.#rows.get(next ?? "")?.scrollIntoView({ block: "nearest" });
    return next;
  }

  /** @param {import("../sieve.js").Sieve} sieve */
  sift(sieve) {
    this.#sieve.apply(sieve);
  }

  /** Moves the keyboard focus to the search field. */
  search() {
    this.#sieve.focus();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    if (this.hidden) return;
    if (changes.all) return this.#draw();
    const now = this.app.now();
    const { sessions, belated } = this.app.state;
    let [isOther, isCalled] = [false, false];
    for (const id of changes.sessions) {
      const summary = sessions.get(id);
      const isIn = this.#passed.has(id);
      isCalled ||= Boolean(summary && waits(summary));
      if (isIn !== Boolean(summary && this.#passes(summary)) || this.#isMisplaced(id)) {
        if (!isIn && belated.has(id)) this.#isDue = true;
        else isOther = true;
      } else if (summary) this.#rows.get(id)?.show(summary, id === this.current, now, this.#isSaid(summary));
    }
    // A new approval takes its session out of snooze and archive; its summary may have arrived before.
    isOther ||= [...changes.approvals].some((key) => this.#isMisplaced(sessionOf(key)));
    if (isOther) this.#draw();
    else if (changes.sessions.size) this.#drawMissed();
    // If the top of the list is in view, a session that waits moves up at once.
    if (isCalled && this.#isTopSeen) this.#settle();
  }

  /** @override */
  tick() {
    const now = this.app.now();
    this.#rows.forEach((row) => row.tick(now));
    if (this.app.state.full.size) this.#drawFull();
    if (this.#isDue) this.#draw();
    this.#settle();
  }

  /**
   * The arrow keys move from row to row, and from the search field to the first row.
   * @param {KeyboardEvent} event
   */
  #step(event) {
    if (!["ArrowDown", "ArrowUp"].includes(event.key) || event.target instanceof HTMLSelectElement) return;
    const rows = /** @type {HTMLElement[]} */ ([...this.#list.querySelectorAll("a.row")]);
    const at = rows.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const next = rows[event.key === "ArrowDown" ? at + 1 : at - 1];
    if (!next || (at < 0 && event.key === "ArrowUp")) return;
    event.preventDefault();
    next.focus();
  }

  /** @param {string} words @returns {HTMLElement} */
  #heading(words) {
    const heading = this.#headings.get(words) ?? h("li", { class: "row-heading" }, h("h3", { class: "foreign" }));
    say(/** @type {HTMLElement} */ (heading.firstElementChild), words, line);
    this.#headings.set(words, heading);
    return heading;
  }

  /**
   * The button that restores a session from the archive.
   * @param {Summary} summary @returns {HTMLElement}
   */
  #button(summary) {
    const { session } = summary;
    const name = this.#names.get(session) ?? span("unseen");
    this.#names.set(session, name);
    say(name, titleOf(summary), line);
    return name.parentElement ?? h("button", { type: "button", class: "plain bring-back", onclick: () => this.#bringBack([session]) }, t`Bring back `, name);
  }

  /**
   * The buttons that move a session out of the way; empty until the later part of the page has loaded.
   * @param {SessionRow} row @param {Summary} summary
   */
  #deedsOf(row, summary) {
    const { nextElementSibling: held } = row;
    const deeds = held?.localName === "row-deeds" ? /** @type {import("./row-deeds.js").RowDeeds} */ (held) : document.createElement("row-deeds");
    if ("show" in deeds) deeds.show(this.app, summary);
    return deeds;
  }

  #showFirst() {
    this.arrive();
    this.#top.scrollIntoView({ block: "start" });
  }

  /**
   * True if a session was snoozed, or its snooze ended, after the order was computed.
   * @param {string} id
   */
  #isMisplaced = (id) => this.#passed.has(id) && this.app.isLater(id) !== (this.#groups.get(id) === "later");

  /** Moves snoozed sessions to the end and due ones to the top; all others keep their place. */
  #putOff() {
    const moved = this.#order.filter(this.#isMisplaced);
    if (!moved.length) return;
    const later = moved.filter(this.app.isLater);
    later.forEach((id) => this.#groups.set(id, "later"));
    this.#order = [...this.#order.filter((id) => !moved.includes(id)), ...later];
  }

  /** Draws the hint that a waiting session is further down, where it is easily missed. */
  #drawMissed() {
    const { sessions } = this.app.state;
    let [missed, rests] = [0, false];
    if (this.#isTopSeen) {
      this.#unseen = 0;
      this.#called.clear();
    }
    for (const id of this.#order) {
      const summary = sessions.get(id);
      if (!summary || ["fresh", "later"].includes(this.#groupOf(summary))) continue;
      if (!waits(summary)) rests = true;
      else if (rests || this.#called.has(id)) missed += 1;
    }
    attribute(this.#reorder, "hidden", missed + this.#unseen === 0);
    if (missed) write(this.#reorder, t`${missed} waiting: show first`);
    else if (this.#unseen) write(this.#reorder, t`${plural(this.#unseen, "new session")} above: show`);
    const { words } = this.#sieve.sieve;
    if ("show" in this.#files) this.#files.show(this.app, words);
    else if (words) this.app.loadSeldom();
  }

  #drawFull() {
    const now = this.app.now();
    const words = [...this.app.state.full.values()].filter((notice) => {
      const at = this.#heard.get(notice) ?? now;
      this.#heard.set(notice, at);
      return now - at < fullMs;
    }).map(({ message }) => message).join("; ");
    attribute(this.#full, "hidden", !words);
    write(this.#full, words);
  }

  #draw() {
    this.#drawFull();
    this.#isDue = false;
    const { sessions: all, loaded, hosts, welcome, older, belated } = this.app.state;
    const isArchive = this.#isArchive;
    const sessions = this.#visible();
    const archived = [...all.keys()].filter(this.app.archive.has).length;
    write(this.#title, isArchive ? t`Archive` : t`Sessions`);
    attribute(this.#list, "aria-label", isArchive ? t`Archived sessions` : t`Sessions`);
    attribute(this.#begin, "hidden", isArchive || !hosts.size || !welcome?.may.includes("steer"));
    attribute(this.#costs, "hidden", isArchive);
    attribute(this.#back, "hidden", !isArchive);
    attribute(this.#aboutArchive, "hidden", !isArchive || !sessions.size);
    attribute(this.#archived, "hidden", isArchive || !archived);
    write(this.#archived, t`Archive (${archived})`);
    this.#passed = sessions;
    this.#order = this.#order.filter((id) => sessions.has(id));
    this.#putOff();
    const shown = new Set(this.#order);
    const others = [...sessions.values()].filter(({ session }) => !shown.has(session));
    const [late, fresh] = [true, false].map((isLate) => others.filter(({ session }) => belated.has(session) === isLate));
    // A snapshot may arrive in several pages; until the last one, all sessions would look new.
    if (!this.#wasLoaded || !this.#order.length) {
      this.#group(sessions.values());
      this.#order = byGroup(sessions.values(), this.#groupOf);
    } else if (others.length) {
      fresh.forEach(({ session }) => this.#groups.set(session, "fresh"));
      if (!this.#isTopSeen) this.#unseen += fresh.length;
      this.#group(late);
      const held = this.#order.map((id) => /** @type {Summary} */ (sessions.get(id)));
      this.#order = [...byGroup(fresh, this.#groupOf), ...ranked([...held, ...late], this.#groupOf)];
      this.#movedAt = performance.now();
    }
    this.#wasLoaded = loaded;

    const now = this.app.now();
    const { group } = this.#sieve.sieve;
    const inReach = new Map(this.#order.slice(0, this.#reach).map((id) => [id, /** @type {Summary} */ (sessions.get(id))]));
    for (const drawn of [this.#rows, this.#names]) for (const id of [...drawn.keys()]) if (!inReach.has(id)) drawn.delete(id);
    arrange(this.#list, grouped([...inReach.values()], (one) => (group ? headingOf(one, group) : groups[this.#groupOf(one)])).flatMap(({ heading, sessions: members }) => [
      this.#heading(heading),
      ...members.map((summary) => {
        const row = this.#rows.get(summary.session) ?? new SessionRow();
        this.#rows.set(summary.session, row);
        row.show(summary, summary.session === this.current, now, this.#isSaid(summary));
        return wrap(row, isArchive ? this.#button(summary) : this.#deedsOf(row, summary));
      }),
    ]));
    this.#drawMissed();
    const total = isArchive ? archived : all.size + older;
    write(this.#total, !loaded || !total ? "" : sessions.size < total ? t`${sessions.size} of ${total}` : String(total));
    const isNarrow = this.#sieve.isNarrow;
    const isComing = older > 0 && (isNarrow || isArchive || this.#reach >= this.#order.length) && this.app.link.isLive;
    if (isComing && this.#asked !== belated) {
      this.#asked = belated;
      this.app.link.command({ type: "olderSessions" }).catch(() => (this.#asked = null));
    }
    attribute(this.#noneFits, "hidden", sessions.size !== 0 || all.size === 0 || !isNarrow || isComing);
    attribute(this.#allAway, "hidden", sessions.size !== 0 || all.size === 0 || isNarrow);
    write(this.#allAway, isArchive ? t`No session is archived on this device.` : t`Every session is archived on this device.`);
    attribute(this.#empty, "hidden", all.size !== 0);
    attribute(this.#empty, "data-waits", !loaded);
    if (!all.size) this.#empty.replaceChildren(...(loaded ? noSession() : skeleton(this.app.link, skeletonRows)));
  }
}

/** Advice for a workspace without sessions. */
const noSession = () => [
  icon("mirror", "drawing"),
  h("p", {}, ...pieces`No session yet. Connect the machine on which Claude Code runs: there, ${h("code", {}, "heliograph connect claude")}, then the line that ${
    h("code", {}, "heliograph pair --role host")} prints on the relay's machine.`),
  h("p", {}, t`From then on every session that is started there appears here.`),
];

/**
 * @param {SessionRow} row @param {HTMLElement} button The button beside the row.
 * @returns {Element} The list item around both.
 */
function wrap(row, button) {
  const item = row.parentElement ?? h("li", {}, row);
  if (button !== row.nextElementSibling) item.replaceChildren(row, button);
  return item;
}

customElements.define("session-list", SessionList);
