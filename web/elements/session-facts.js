/** `<session-facts>`: a session's to-do list and numbers, beside the timeline or over it. */

import { asText, attribute, h, icon, say, span, write } from "../dom.js";
import { strain, strainWords } from "../budget-words.js";
import { costOf, count } from "../format.js";
import { plural, t } from "../language.js";
import { line } from "../text.js";

/** @typedef {import("../wire").Summary} Summary */

const marks = /** @type {Record<string, string>} */ ({ pending: t`to do`, active: t`now`, done: t`done` });

export class SessionFacts extends HTMLElement {
  #todoTitle = h("h3", {}, t`To do`);
  #todo = h("ol", { class: "todo" });
  #numbers = h("dl", { class: "numbers" });
  #budgets = h("a", { class: "facts-link" }, t`Budgets`);
  /** @type {() => void} Called to archive the session, or to restore it. */
  onarchive = () => undefined;
  /** @type {() => void} Called to pin the session to the top of the list, or to unpin it. */
  onpin = () => undefined;
  /** @type {() => void} Called to open the search in the conversation. */
  onfind = () => undefined;
  #find = h("button", { type: "button", class: "plain", onclick: () => this.onfind() }, icon("search"), t`Find in this session`);
  #pin = h("button", { type: "button", class: "plain", onclick: () => this.onpin() });
  /** @type {() => void} Called to mute the session on this device, or to unmute it. */
  onmute = () => undefined;
  #mute = h("button", { type: "button", class: "plain", onclick: () => this.onmute() });
  #archive = h("button", { type: "button", class: "plain", onclick: () => this.onarchive() });
  /** @type {HTMLElement[]} */ #values = [];
  /** @type {unknown} */ #drawn = null;

  connectedCallback() {
    if (!this.firstChild) this.append(this.#todoTitle, this.#todo, h("h3", {}, t`Numbers`), this.#numbers, this.#budgets, this.#find, this.#pin, this.#mute, this.#archive);
  }

  /**
   * @param {Summary} summary @param {import("../wire").Event|null} todo The newest `todo.changed`.
   * @param {{isArchived: boolean, isPinned: boolean, isMuted?: boolean}} here States on this device; `isMuted` only if it gets notifications.
   */
  show(summary, todo, { isArchived, isPinned, isMuted }) {
    attribute(this.#mute, "hidden", isMuted === undefined);
    write(this.#mute, isMuted ? t`Ring for it again on this device` : t`Mute on this device`);
    write(this.#pin, isPinned ? t`Unpin` : t`Pin to the top on this device`);
    write(this.#archive, isArchived ? t`Bring back from the archive` : t`Archive on this device`);
    this.#showTodo(summary, todo);
    const { tokens, context, linesAdded, linesRemoved, operations, messages, subagents, ruleAnswers, agent, model, host, cwd, branch } = summary;
    const guess = summary.estimateMicroUSD ? t`: ${agent.name} does not know the model's price. No budget counts the guess` : "";
    const cost = costOf(summary);
    const used = context?.used ?? 0;
    const share = context?.limit ? Math.round((100 * used) / context.limit) : 0;
    const helpers = subagents ? `, ${plural(subagents, "subagent")}` : "";
    attribute(this.#budgets, "href", `#/budgets/${summary.session}`);
    /** @type {[name: string, value: string|undefined, budget?: string|null][]} */
    const facts = [
      [t`Cost`, cost ? `${cost}${guess}` : undefined],
      [t`Budget`, strainWords(summary.budget), strain(summary.budget)],
      [t`Context`, context?.limit ? t`${count(used)} of ${count(context.limit)} (${share} %)` : undefined],
      [t`Tokens`, tokens && (tokens.input || tokens.output || tokens.cacheRead ? t`${count(tokens.input)} in, ${count(tokens.output)} out, ${count(tokens.cacheRead)} cached` : "")],
      [t`Lines`, linesAdded || linesRemoved ? t`${linesAdded} added, ${linesRemoved} removed` : ""],
      [t`Activity`, `${plural(operations, "operation")}, ${plural(messages, "message")}${helpers}`],
      [t`Answered by rules`, ruleAnswers ? plural(ruleAnswers, "call") : ""],
      [t`Agent`, `${agent.name}${agent.version ? ` ${agent.version}` : ""}`],
      [t`Model`, model],
      [t`Host`, host.connected ? host.name : t`${host.name} is offline`],
      [t`Folder`, cwd],
      [t`Branch`, branch],
    ];
    facts.forEach((fact, at) => this.#fact(at, ...fact));
  }

  /** @param {Summary} summary @param {import("../wire").Event|null} todo */
  #showTodo(summary, todo) {
    const { todo: progress } = summary;
    write(this.#todoTitle, progress?.total ? t`To do: ${progress.completed} of ${progress.total} done` : t`To do`);
    const items = Array.isArray(todo?.body?.items) ? todo?.body?.items : null;
    if (this.#drawn === items && items) return;
    this.#drawn = items;
    if (items?.length) {
      this.#todo.replaceChildren(...items.map((/** @type {any} */ item) => {
        const text = span("foreign");
        say(text, asText(item?.text), line);
        const status = asText(item?.status);
        return h("li", { "data-status": status }, span("unseen", `${marks[status] ?? status}: `), text);
      }));
      return;
    }
    const current = h("li", { class: "quiet foreign" });
    say(current, progress?.current ?? t`No list yet.`, line);
    this.#todo.replaceChildren(current);
  }

  /** @param {number} at @param {string} name @param {string} [value] The fact is hidden if empty, and *unknown* if absent. @param {string|null} [budget] */
  #fact(at, name, value, budget = null) {
    if (!this.#values[at]) {
      this.#values[at] = h("dd", { class: "foreign" });
      this.#numbers.append(h("div", {}, h("dt", {}, name), this.#values[at]));
    }
    const element = this.#values[at];
    say(element, value ?? t`unknown`, line);
    attribute(/** @type {HTMLElement} */ (element.parentElement), "hidden", value === "");
    attribute(element, "data-unknown", value === undefined);
    attribute(element, "data-budget", budget);
  }
}

customElements.define("session-facts", SessionFacts);
