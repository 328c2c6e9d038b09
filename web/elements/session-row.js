/** `<session-row>`: one session of the list, on three lines of fixed height, without a repeated fact. */

import { attribute, h, say, span, write } from "../dom.js";
import { strain, strainWords } from "../budget-words.js";
import { age, costOf } from "../format.js";
import { plural, t } from "../language.js";
import { placeOf, sayingOf, statusOf, titleOf } from "../session-words.js";
import { line, ordered } from "../text.js";

/** @typedef {import("../wire").Summary} Summary */

export class SessionRow extends HTMLElement {
  #title = span("row-title foreign");
  #age = span("row-age");
  #status = span("row-status");
  #todo = span("row-todo");
  #operation = span("row-operation foreign");
  #place = span("row-place foreign");
  #cost = span("row-cost");
  #budget = span("unseen");
  #link = h("a", { class: "row" },
    span("row-line", this.#title, this.#age),
    span("row-line", h("span", { class: "dot", "aria-hidden": "true" }), this.#status, this.#todo, this.#operation),
    span("row-line", this.#place, this.#cost, this.#budget));
  #lastActivityAt = 0;

  connectedCallback() {
    if (!this.firstChild) this.append(this.#link);
  }

  /**
   * @param {Summary} summary @param {boolean} current @param {number} now @param {boolean} [isSaid] The group's heading already says that the session
   * waits.
   */
  show(summary, current, now, isSaid = false) {
    attribute(this.#link, "href", `#/session/${summary.session}`);
    attribute(this.#link, "aria-current", current ? "page" : null);
    attribute(this.#link, "data-status", summary.status);
    attribute(this.#link, "data-away", !summary.host.connected && !summary.endedAt);
    say(this.#title, titleOf(summary), line);
    const waiting = summary.approvals + summary.questions;
    attribute(this.#link, "data-said", isSaid && waiting === 1 && sayingOf(summary) !== "");
    write(this.#status, `${statusOf(summary)}${waiting > 1 ? ` (${waiting})` : ""}`);
    say(this.#operation, sayingOf(summary), ordered);
    const { todo } = summary;
    write(this.#todo, todo?.total && !waiting ? `${todo.completed}/${todo.total}` : "");
    attribute(this.#todo, "aria-label", todo?.total ? t`${todo.completed} of ${plural(todo.total, "task")} done` : null);
    say(this.#place, placeOf(summary), line);
    write(this.#cost, `${costOf(summary)}${summary.budget?.held ? t`, held` : summary.budget?.hold === "most" ? t`, held in part` : ""}`);
    attribute(this.#cost, "data-budget", strain(summary.budget));
    write(this.#budget, summary.budget?.level ? t`, budget: ${strainWords(summary.budget)}` : "");
    this.#lastActivityAt = summary.lastActivityAt;
    this.tick(now);
  }

  /** @param {number} now */
  tick(now) {
    write(this.#age, age(now - this.#lastActivityAt));
  }
}

customElements.define("session-row", SessionRow);
