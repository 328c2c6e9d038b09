/**
 * `<session-list>`: every session of the workspace.
 *
 * Rows do not trade places under a finger. The order (who waits for you, who works, who rests; the most recent first) is taken
 * when the list comes to the screen; after that, sessions that are new stand at the end until a button puts them in order.
 */

import { arrange, attribute, h, span, write } from "../dom.js";
import { noNews } from "./link-state.js";
import { SessionRow } from "./session-row.js";
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

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, "Sessions"), this.#total,
        h("a", { class: "head-link", href: "#/budgets" }, "Budgets")), this.#empty, this.#list, this.#reorder);
  }

  /** The list comes to the screen: now everything may move. */
  arrive() {
    this.#order = ideal(this.app.state.sessions);
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

  #draw() {
    const { sessions, loaded } = this.app.state;
    this.#order = this.#order.filter((id) => sessions.has(id));
    const wanted = ideal(sessions);
    if (!this.#order.length) this.#order = wanted;
    const shown = new Set(this.#order);
    this.#order.push(...wanted.filter((id) => !shown.has(id)));

    const now = this.app.now();
    for (const id of [...this.#rows.keys()]) if (!sessions.has(id)) this.#rows.delete(id);
    arrange(this.#list, this.#order.map((id) => {
      const row = this.#rows.get(id) ?? new SessionRow();
      this.#rows.set(id, row);
      row.show(/** @type {Summary} */ (sessions.get(id)), id === this.current, now);
      return wrap(row);
    }));
    // Who waits and stands below somebody who does not is easily missed.
    const resting = this.#order.findIndex((id) => rank(sessions.get(id)) !== 0);
    const missed = resting < 0 ? 0 : this.#order.slice(resting).filter((id) => rank(sessions.get(id)) === 0).length;
    attribute(this.#reorder, "hidden", missed === 0);
    if (missed) write(this.#reorder, `${missed} waiting below: show first`);
    write(this.#total, loaded && sessions.size ? String(sessions.size) : "");
    attribute(this.#empty, "hidden", sessions.size !== 0);
    if (!sessions.size) this.#empty.replaceChildren(...(loaded ? noSession() : [h("p", {}, noNews(this.app.link))]));
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
