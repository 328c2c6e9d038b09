/** `<session-row>`: one session in the list, on three lines that never change their height. */

import { attribute, h, say, span, write } from "../dom.js";
import { strain, strainWords } from "../budgets.js";
import { age, costOf, plural } from "../format.js";
import { placeOf, sayingOf, statusOf, titleOf } from "../session-words.js";
import { line, ordered } from "../text.js";

/** @typedef {import("../wire").Summary} Summary */

export class SessionRow extends HTMLElement {
  #title = span("row-title foreign");
  #age = span("row-age");
  #status = span("row-status");
  #operation = span("row-operation foreign");
  #badge = h("span", { class: "badge", hidden: true });
  #place = span("row-place foreign");
  #todo = span("row-todo");
  #progress = h("progress", { max: "1", value: "0", "aria-hidden": "true" });
  #cost = span("row-cost");
  #budget = span("unseen");
  #link = h("a", { class: "row" },
    span("row-line", h("span", { class: "dot", "aria-hidden": "true" }), this.#title, this.#age),
    span("row-line", this.#status, this.#operation, this.#badge),
    span("row-line row-facts", this.#place, this.#todo, this.#progress, this.#cost, this.#budget));
  #lastActivityAt = 0;

  connectedCallback() {
    if (!this.firstChild) this.append(this.#link);
  }

  /** @param {Summary} summary @param {boolean} current @param {number} now */
  show(summary, current, now) {
    attribute(this.#link, "href", `#/session/${summary.session}`);
    attribute(this.#link, "aria-current", current ? "page" : null);
    attribute(this.#link, "data-status", summary.status);
    say(this.#title, titleOf(summary), line);
    write(this.#status, statusOf(summary));
    say(this.#operation, sayingOf(summary), ordered);
    const waiting = summary.approvals + summary.questions;
    attribute(this.#badge, "hidden", waiting === 0);
    write(this.#badge, `${waiting} waiting`);
    say(this.#place, placeOf(summary), line);
    const { todo } = summary;
    write(this.#todo, todo?.total ? `${todo.completed}/${todo.total}` : "");
    attribute(this.#todo, "aria-label", todo?.total ? `${todo.completed} of ${plural(todo.total, "task")} done` : null);
    attribute(this.#progress, "max", Math.max(1, todo?.total ?? 1));
    attribute(this.#progress, "value", todo?.completed ?? 0);
    attribute(this.#progress, "data-empty", !todo?.total);
    write(this.#cost, `${costOf(summary)}${summary.budget?.held ? ", held" : summary.budget?.hold === "most" ? ", held in part" : ""}`);
    attribute(this.#cost, "data-budget", strain(summary.budget));
    write(this.#budget, summary.budget?.level ? `, budget: ${strainWords(summary.budget)}` : "");
    this.#lastActivityAt = summary.lastActivityAt;
    this.tick(now);
  }

  /** @param {number} now */
  tick(now) {
    write(this.#age, age(now - this.#lastActivityAt));
  }
}

customElements.define("session-row", SessionRow);
