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
  /** @type {Map<string, HTMLElement>} */ #values = new Map();
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
    this.#fact(t`Cost`, `${costOf(summary) || t`unknown`}${guess}`);
    this.#fact(t`Budget`, strainWords(summary.budget));
    attribute(/** @type {HTMLElement} */ (this.#values.get(t`Budget`)), "data-budget", strain(summary.budget));
    attribute(this.#budgets, "href", `#/budgets/${summary.session}`);
    const used = context?.used ?? 0;
    const share = context?.limit ? Math.round((100 * used) / context.limit) : 0;
    this.#fact(t`Context`, context?.limit ? t`${count(used)} of ${count(context.limit)} (${share} %)` : t`unknown`);
    this.#fact(t`Tokens`, tokens && !(tokens.input || tokens.output || tokens.cacheRead) ? "" : tokens ? t`${count(tokens.input)} in, ${count(tokens.output)} out, ${count(tokens.cacheRead)} cached` : t`unknown`);
    this.#fact(t`Lines`, linesAdded || linesRemoved ? t`${linesAdded} added, ${linesRemoved} removed` : "");
    const helpers = subagents ? `, ${plural(subagents, "subagent")}` : "";
    this.#fact(t`Activity`, `${plural(operations, "operation")}, ${plural(messages, "message")}${helpers}`);
    this.#fact(t`Answered by rules`, ruleAnswers ? plural(ruleAnswers, "call") : "");
    this.#fact(t`Agent`, `${agent.name}${agent.version ? ` ${agent.version}` : ""}`);
    this.#fact(t`Model`, model ?? t`unknown`);
    this.#fact(t`Host`, host.connected ? host.name : t`${host.name} is offline`);
    this.#fact(t`Folder`, cwd ?? t`unknown`);
    this.#fact(t`Branch`, branch ?? t`unknown`);
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

  /** @param {string} name @param {string} value The fact is hidden if empty. */
  #fact(name, value) {
    let element = this.#values.get(name);
    if (!element) {
      element = h("dd", { class: "foreign" });
      this.#values.set(name, element);
      this.#numbers.append(h("div", {}, h("dt", {}, name), element));
    }
    say(element, value, line);
    attribute(/** @type {HTMLElement} */ (element.parentElement), "hidden", value === "");
    attribute(element, "data-unknown", value === t`unknown`);
  }
}

customElements.define("session-facts", SessionFacts);
