/**
 * `<session-list>`: every session of the workspace, or those that this device's archive holds.
 *
 * Rows do not trade places under a finger. The order (who waits for you, who works, what was done today; the most recent first) is taken
 * when the list comes to the screen; after that, a session that is new is above them, and a tap in that moment does nothing, as it may
 * have been meant for the row that was there. Where the list is scrolled, a button says what there is above or below.
 *
 * Rows are made as far as somebody has scrolled, and a change of a session touches its own row alone: a list may have thousands.
 */

import { arrange, attribute, h, icon, say, span, write } from "../dom.js";
import { pieces, plural, t } from "../language.js";
import { titleOf } from "../session-words.js";
import { sessionOf } from "../store.js";
import { line } from "../text.js";
import { skeleton } from "./link-state.js";
import { byGroup, grouped, groupOf, groups, headingOf, waits } from "../sieve.js";
import { SessionRow } from "./session-row.js";
import { SieveBar } from "./sieve-bar.js";
import { View } from "./view.js";

/** @typedef {import("../wire").Summary} Summary */

/** A row that has just moved is not opened: longer than a finger needs from seeing to tapping. */
const settleMs = 600;
/** For so long a limit is shown as reached: the relay says so every ten minutes while it is. */
const fullMs = 660_000;
/** The placeholder rows of a list that has not come. */
const skeletonRows = 6;
/** Rows that are made at once: a few screens. */
const rowsAtOnce = 60;

export class SessionList extends View {
  /** @type {string|null} The session that is open next to the list. */
  current = null;

  /** @type {Map<string, SessionRow>} */ #rows = new Map();
  /** @type {string[]} */ #order = [];
  /** @type {Map<string, keyof typeof groups>} The group that each had when the order was taken. */ #groups = new Map();
  /** How many of the order are drawn at most. */
  #reach = rowsAtOnce;
  /** @type {Map<string, Summary>} What the list held when all of it was drawn last. */ #passed = new Map();
  #wasLoaded = false;
  #top = span("edge");
  #further = span("edge");
  /** @type {Set<string>} Sessions that came since the list did. */ #fresh = new Set();
  /** Number of new sessions that nobody can have seen, because the top of the list was not on screen. */ #unseen = 0;
  #isTopSeen = true;
  #isArchive = false;
  #title = h("h2", { tabindex: "-1" }, t`Sessions`);
  #head = h("div", { class: "pane-head" });
  #full = h("p", { class: "fullness", role: "status", hidden: true });
  /** @type {WeakMap<import("../wire").Notice, number>} When each came. */ #heard = new WeakMap();
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
  /** Comes with the other views, when words are searched for, and is empty until then. */
  #files = h("file-finder", { hidden: true });
  #allAway = h("div", { class: "empty", hidden: true });
  #back = h("a", { class: "head-link", href: "#/" }, t`All sessions`);
  #aboutArchive = h("div", { class: "archive-head" },
    h("p", { class: "quiet" }, t`Out of the list on this device. What needs you is in the list all the same.`),
    h("button", { type: "button", class: "plain", onclick: () => this.#bringBack([...this.#order]) }, t`Bring all back`));
  #archived = h("a", { class: "archive-link", href: "#/archive" });
  /** @type {Map<string, HTMLElement>} */ #headings = new Map();
  /** @type {Map<string, HTMLElement>} On the buttons of the archive's rows. */ #names = new Map();

  connectedCallback() {
    this.#head.append(this.#title, this.#total, this.#costs, this.#begin, this.#back);
    this.append(this.#top, this.#head, this.#full, this.#sieve, this.#aboutArchive, this.#empty, this.#noneFits, this.#allAway, this.#list, this.#further, this.#files, this.#archived, this.#reorder);
    this.#sieve.onsieve = () => this.arrive();
    this.addEventListener("keydown", (event) => this.#step(event));
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isTopSeen = isIntersecting;
      if (isIntersecting && this.#unseen) this.#draw();
    }).observe(this.#top);
    new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && this.#reachOn(), { root: this, rootMargin: "0px 0px 200% 0px" }).observe(this.#further);
  }

  /** Somebody comes near the last row that is drawn. */
  #reachOn() {
    if (this.#reach >= this.#order.length) return;
    this.#reach += rowsAtOnce;
    this.#draw();
  }

  /** The list, or the archive, comes to the screen: now everything may move. */
  arrive(isArchive = this.#isArchive) {
    this.#isArchive = isArchive;
    this.#fresh.clear();
    this.#unseen = 0;
    this.#reach = rowsAtOnce;
    const sessions = this.#visible();
    this.#group(sessions.values());
    this.#order = byGroup(sessions.values(), this.#groupOf);
    this.#draw();
  }

  /** @param {Iterable<Summary>} sessions */
  #group(sessions) {
    const { now, pins } = this.app;
    const at = { today: new Date(now()).setHours(0, 0, 0, 0), isPinned: pins.has, isLater: this.app.isLater, isArchived: this.#isArchive ? () => false : this.app.archive.has };
    for (const one of sessions) this.#groups.set(one.session, groupOf(one, at));
  }

  /** @param {Summary} summary */
  #groupOf = ({ session }) => this.#groups.get(session) ?? "earlier";

  /** @param {Summary} summary Whether its heading says that it waits. */
  #isSaid = (summary) => !this.#sieve.sieve.group && this.#groupOf(summary) === "needs";

  /** @param {Summary} one Whether it is in what is shown: the list, or the archive. Whoever searches the list by words finds what is archived, too. */
  #isHere = (one) => (this.app.archive.has(one.session) ? this.#isArchive || waits(one) || this.#sieve.sieve.words.trim() !== "" : !this.#isArchive);

  /** @param {Summary} one */
  #passes(one) {
    return this.#isHere(one) && this.#sieve.passes(one);
  }

  /** @returns {Map<string, Summary>} */
  #visible() {
    const { archive, state } = this.app;
    return this.#sieve.visible([...state.sessions.values()].filter(this.#isHere), archive);
  }

  /** @param {string[]} sessions From the archive into the list. */
  #bringBack(sessions) {
    const next = this.#order[this.#order.indexOf(sessions[0]) + 1];
    this.app.archive.set(sessions, false);
    this.app.announce(sessions.length === 1 ? t`In the list again` : t`${plural(sessions.length, "session")} in the list again`);
    this.#draw();
    const button = sessions.length === 1 ? this.#rows.get(next)?.nextElementSibling : null;
    /** @type {HTMLElement} */ (button ?? this.#title).focus();
  }

  /**
   * The session that stands next to another one.
   * @param {string|null} session Nothing: the first. @param {1|-1} way
   */
  beside(session, way) {
    const next = this.#order[session === null ? 0 : this.#order.indexOf(session) + way];
    this.#rows.get(next ?? "")?.scrollIntoView({ block: "nearest" });
    return next;
  }

  /** The keyboard goes to where sessions are searched. */
  search() {
    this.#sieve.focus();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    if (this.hidden) return;
    if (changes.all) return this.#draw();
    const now = this.app.now();
    let isOther = false;
    for (const id of changes.sessions) {
      const summary = this.app.state.sessions.get(id);
      if (this.#passed.has(id) !== Boolean(summary && this.#passes(summary)) || this.#isMisplaced(id)) isOther = true;
      else if (summary) this.#rows.get(id)?.show(summary, id === this.current, now, this.#isSaid(summary));
    }
    // Something new that a session asks brings it back; its summary may have come before.
    isOther ||= [...changes.approvals].some((key) => this.#isMisplaced(sessionOf(key)));
    if (isOther) this.#draw();
    else if (changes.sessions.size) this.#drawMissed();
  }

  /** @override */
  tick() {
    const now = this.app.now();
    this.#rows.forEach((row) => row.tick(now));
    if (this.app.state.full.size) this.#drawFull();
  }

  /**
   * The arrows lead from row to row, and from the words that are searched for to the first.
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

  /** @param {Summary} summary @returns {HTMLElement} What takes it out of the archive. */
  #button(summary) {
    const { session } = summary;
    const name = this.#names.get(session) ?? span("unseen");
    this.#names.set(session, name);
    say(name, titleOf(summary), line);
    return name.parentElement ?? h("button", { type: "button", class: "plain bring-back", onclick: () => this.#bringBack([session]) }, t`Bring back `, name);
  }

  /** @param {SessionRow} row @param {Summary} summary What takes it out of the way; comes with the other views, and is empty until then. */
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

  /** @param {string} id A session that was put off, or is due, since the list was ordered. */
  #isMisplaced = (id) => this.#passed.has(id) && this.app.isLater(id) !== (this.#groups.get(id) === "later");

  /** What was put off goes to the end; what is due again comes as new ones do. Nothing else moves. */
  #putOff() {
    const moved = this.#order.filter(this.#isMisplaced);
    if (!moved.length) return;
    const later = moved.filter(this.app.isLater);
    later.forEach((id) => this.#groups.set(id, "later"));
    this.#order = [...this.#order.filter((id) => !moved.includes(id)), ...later];
  }

  /** @param {string[]} ids */
  #comeAbove(ids) {
    ids.forEach((id) => this.#fresh.add(id));
    if (!this.#isTopSeen) this.#unseen += ids.length;
  }

  /** A session that waits below one that does not is easily missed. */
  #drawMissed() {
    const { sessions } = this.app.state;
    let [missed, rests] = [0, false];
    for (const id of this.#order) {
      const summary = sessions.get(id);
      if (!summary || this.#fresh.has(id) || this.#groups.get(id) === "later") continue;
      if (!waits(summary)) rests = true;
      else if (rests) missed += 1;
    }
    if (this.#isTopSeen) this.#unseen = 0;
    attribute(this.#reorder, "hidden", missed + this.#unseen === 0);
    if (missed) write(this.#reorder, t`${missed} waiting below: show first`);
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
    const { sessions: all, loaded, hosts, welcome } = this.app.state;
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
    const fresh = [...sessions.values()].filter(({ session }) => !shown.has(session));
    // A snapshot has several pages: until its last, all of it is new.
    if (!this.#wasLoaded || !this.#order.length) {
      this.#group(sessions.values());
      this.#order = byGroup(sessions.values(), this.#groupOf);
    } else if (fresh.length) {
      fresh.forEach(({ session }) => this.#groups.set(session, "fresh"));
      this.#order.unshift(...byGroup(fresh, this.#groupOf));
      this.#comeAbove(fresh.map(({ session }) => session));
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
    const total = isArchive ? archived : all.size;
    write(this.#total, !loaded || !total ? "" : sessions.size < total ? t`${sessions.size} of ${total}` : String(total));
    const isNarrow = this.#sieve.isNarrow;
    attribute(this.#noneFits, "hidden", sessions.size !== 0 || all.size === 0 || !isNarrow);
    attribute(this.#allAway, "hidden", sessions.size !== 0 || all.size === 0 || isNarrow);
    write(this.#allAway, isArchive ? t`No session is archived on this device.` : t`Every session is archived on this device.`);
    attribute(this.#empty, "hidden", all.size !== 0);
    attribute(this.#empty, "data-waits", !loaded);
    if (!all.size) this.#empty.replaceChildren(...(loaded ? noSession() : skeleton(this.app.link, skeletonRows)));
  }
}

/** Advice if nothing runs yet. */
const noSession = () => [
  icon("mirror", "drawing"),
  h("p", {}, ...pieces`No session yet. Connect the machine on which Claude Code runs: there, ${h("code", {}, "heliograph connect claude")}, then the line that ${
    h("code", {}, "heliograph pair --role host")} prints on the relay's machine.`),
  h("p", {}, t`From then on every session that is started there appears here.`),
];

/**
 * @param {SessionRow} row @param {HTMLElement} button What stands beside it.
 * @returns {Element} The row's list item.
 */
function wrap(row, button) {
  const item = row.parentElement ?? h("li", {}, row);
  if (button !== row.nextElementSibling) item.replaceChildren(row, button);
  return item;
}

customElements.define("session-list", SessionList);
