/**
 * `<session-list>`: every session of the workspace.
 *
 * Rows do not trade places under a finger. The order (who waits for you, who works, who rests; the most recent first) is taken
 * when the list comes to the screen; after that, sessions that are new stand at the end until a button puts them in order.
 */

import { arrange, attribute, h, say, span, write } from "../dom.js";
import { line } from "../text.js";
import { noNews } from "./link-state.js";
import { grouped } from "../sieve.js";
import { SessionRow } from "./session-row.js";
import { SieveBar } from "./sieve-bar.js";
import { View } from "./view.js";

/** @typedef {import("../wire").Summary} Summary */

export class SessionList extends View {
  /** @type {string|null} The session that is open beside the list. */
  current = null;

  /** @type {Map<string, SessionRow>} */ #rows = new Map();
  /** @type {string[]} */ #order = [];
  #list = h("ol", { class: "rows", "aria-label": "Sessions" });
  #empty = h("div", { class: "empty" });
  #reorder = h("button", { class: "floating", type: "button", hidden: true, onclick: () => this.arrive() });
  #total = span("quiet");
  #sieve = new SieveBar();
  #noneFits = h("div", { class: "empty", hidden: true }, h("p", {}, "No session fits."),
    h("button", { type: "button", class: "plain", onclick: () => this.#sieve.clear() }, "Show all"));
  /** @type {Map<string, HTMLElement>} */ #headings = new Map();

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, "Sessions"), this.#total,
        h("a", { class: "head-link", href: "#/budgets" }, "Budgets")), this.#sieve, this.#empty, this.#noneFits, this.#list, this.#reorder);
    this.#sieve.onsieve = () => this.arrive();
    this.addEventListener("keydown", (event) => this.#step(event));
  }

  /** The list comes to the screen: now everything may move. */
  arrive() {
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

  #draw() {
    const { sessions: all, loaded } = this.app.state;
    const sessions = this.#sieve.visible(all, this.app.hidden);
    this.#order = this.#order.filter((id) => sessions.has(id));
    const wanted = ideal(sessions);
    if (!this.#order.length) this.#order = wanted;
    const shown = new Set(this.#order);
    this.#order.push(...wanted.filter((id) => !shown.has(id)));

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
    // Who waits and stands below somebody who does not is easily missed.
    const resting = this.#order.findIndex((id) => rank(sessions.get(id)) !== 0);
    const missed = resting < 0 ? 0 : this.#order.slice(resting).filter((id) => rank(sessions.get(id)) === 0).length;
    attribute(this.#reorder, "hidden", missed === 0);
    if (missed) write(this.#reorder, `${missed} waiting below: show first`);
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
 * Who needs a person first.
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
