/**
 * `<session-list>`: every session of the workspace.
 *
 * Rows do not trade places under a finger. The order (who waits for you, who works, who rests; the most recent first) is taken
 * when the list comes to the screen; after that, a session that is new is above them, and a tap in that moment does nothing, as it may
 * have been meant for the row that was there. Where the list is scrolled, a button says what there is above or below.
 */

import { arrange, attribute, h, say, span, write } from "../dom.js";
import { plural } from "../format.js";
import { line } from "../text.js";
import { noNews } from "./link-state.js";
import { grouped } from "../sieve.js";
import { SessionRow } from "./session-row.js";
import { SieveBar } from "./sieve-bar.js";
import { View } from "./view.js";

/** @typedef {import("../wire").Summary} Summary */

/** A row that has just moved is not opened: longer than a finger needs from seeing to tapping. */
const settleMs = 600;

export class SessionList extends View {
  /** @type {string|null} The session that is open next to the list. */
  current = null;

  /** @type {Map<string, SessionRow>} */ #rows = new Map();
  /** @type {string[]} */ #order = [];
  /** @type {Set<string>} Sessions that came since the list did. */ #fresh = new Set();
  /** How many of them nobody can have seen: the top of the list is not on screen. */ #unseen = 0;
  #isTopSeen = true;
  #head = h("div", { class: "pane-head" });
  #movedAt = Number.NEGATIVE_INFINITY;
  #list = h("ol", { class: "rows", "aria-label": "Sessions", onclick: (event) => performance.now() - this.#movedAt < settleMs && event.preventDefault() });
  #empty = h("div", { class: "empty" });
  #reorder = h("button", { class: "floating", type: "button", hidden: true, onclick: () => this.#showFirst() });
  #total = span("quiet");
  #sieve = new SieveBar();
  #begin = h("a", { class: "head-link", href: "#/start", hidden: true }, "New");
  #noneFits = h("div", { class: "empty", hidden: true }, h("p", {}, "No session fits."),
    h("button", { type: "button", class: "plain", onclick: () => this.#sieve.clear() }, "Show all"));
  /** @type {Map<string, HTMLElement>} */ #headings = new Map();

  connectedCallback() {
    this.#head.append(h("h2", { tabindex: "-1" }, "Sessions"), this.#total, h("a", { class: "head-link", href: "#/budgets" }, "Budgets"), this.#begin);
    this.append(this.#head, this.#sieve, this.#empty, this.#noneFits, this.#list, this.#reorder);
    this.#sieve.onsieve = () => this.arrive();
    this.addEventListener("keydown", (event) => this.#step(event));
    new IntersectionObserver(([{ isIntersecting }]) => {
      this.#isTopSeen = isIntersecting;
      if (isIntersecting && this.#unseen) this.#draw();
    }).observe(this.#head);
  }

  /** The list comes to the screen: now everything may move. */
  arrive() {
    this.#fresh.clear();
    this.#unseen = 0;
    this.#order = ideal(this.#sieve.visible(this.app.state.sessions, this.app.hidden));
    this.#draw();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    if (changes.all || changes.sessions.size) this.#draw();
  }

  /** @override */
  tick() {
    const now = this.app.now();
    this.#rows.forEach((row) => row.tick(now));
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

  #showFirst() {
    this.arrive();
    this.#head.scrollIntoView({ block: "start" });
  }

  /** @param {string[]} ids */
  #comeAbove(ids) {
    ids.forEach((id) => this.#fresh.add(id));
    if (!this.#isTopSeen) this.#unseen += ids.length;
  }

  #draw() {
    const { sessions: all, loaded, hosts, welcome } = this.app.state;
    attribute(this.#begin, "hidden", !hosts.size || !welcome?.may.includes("steer"));
    const sessions = this.#sieve.visible(all, this.app.hidden);
    this.#order = this.#order.filter((id) => sessions.has(id));
    const wanted = ideal(sessions);
    if (!this.#order.length) this.#order = wanted;
    const shown = new Set(this.#order);
    const fresh = wanted.filter((id) => !shown.has(id));
    if (fresh.length && this.#rows.size) this.#comeAbove(fresh);
    this.#order.unshift(...fresh);

    const now = this.app.now();
    for (const id of [...this.#rows.keys()]) if (!sessions.has(id)) this.#rows.delete(id);
    const shownNow = this.#order.map((id) => /** @type {Summary} */ (sessions.get(id)));
    arrange(this.#list, grouped(shownNow, this.#sieve.sieve.group).flatMap(({ heading, sessions: members }) => [
      ...(heading ? [this.#heading(heading)] : []),
      ...members.map((summary) => {
        const row = this.#rows.get(summary.session) ?? new SessionRow();
        this.#rows.set(summary.session, row);
        row.show(summary, summary.session === this.current, now);
        return wrap(row);
      }),
    ]));
    if (fresh.length) this.#movedAt = performance.now();
    // A session that waits below one that does not is easily missed.
    const resting = this.#order.findIndex((id) => rank(sessions.get(id)) !== 0 && !this.#fresh.has(id));
    const missed = resting < 0 ? 0 : this.#order.slice(resting).filter((id) => rank(sessions.get(id)) === 0).length;
    if (this.#isTopSeen) this.#unseen = 0;
    attribute(this.#reorder, "hidden", missed + this.#unseen === 0);
    if (missed) write(this.#reorder, `${missed} waiting below: show first`);
    else if (this.#unseen) write(this.#reorder, `${plural(this.#unseen, "new session")} above: show`);
    write(this.#total, !loaded || !all.size ? "" : sessions.size < all.size ? `${sessions.size} of ${all.size}` : String(all.size));
    attribute(this.#noneFits, "hidden", sessions.size !== 0 || all.size === 0);
    attribute(this.#empty, "hidden", all.size !== 0);
    if (!all.size) this.#empty.replaceChildren(...(loaded ? noSession() : [h("p", {}, noNews(this.app.link))]));
  }
}

/** What to do where nothing runs yet. */
const noSession = () => [
  h("p", {}, "No session yet. Connect the machine on which Claude Code runs: there, ", h("code", {}, "heliograph connect claude"),
    ", then the line that ", h("code", {}, "heliograph pair --role host"), " prints on the relay's machine."),
  h("p", {}, "From then on every session that is started there appears here."),
];

/** @param {SessionRow} row @returns {Element} The row's list item. */
const wrap = (row) => row.parentElement ?? h("li", {}, row);

/**
 * Sessions that need a person come first.
 * @param {Summary|undefined} summary
 */
function rank(summary) {
  if (!summary) return 4;
  if (summary.approvals + summary.questions > 0) return 0;
  return { starting: 1, running: 1, waitingApproval: 1, waitingAnswer: 1, idle: 2, failed: 2, completed: 3, stale: 3 }[summary.status] ?? 3;
}

/** @param {Map<string, Summary>} sessions @returns {string[]} */
const ideal = (sessions) =>
  [...sessions.values()].sort((a, b) => rank(a) - rank(b) || b.lastActivityAt - a.lastActivityAt).map(({ session }) => session);

customElements.define("session-list", SessionList);
