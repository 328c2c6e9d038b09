/**
 * `<approvals-inbox>`: the waiting approvals, and those settled in the last hour.
 *
 * The longest waiting comes first. Cards keep their place while the inbox is on screen, and new ones are added at the end. A card that was decided here
 * becomes a line with its outcome, and the next card slides into its place. When the inbox is opened again, it shows only waiting approvals.
 */

import { arrange, asText, attribute, h, icon, span, say, write } from "../dom.js";
import { t } from "../language.js";
import { inAnHour, untilWords } from "../later-times.js";
import { putOff } from "../muting.js";
import { ruledHosts } from "../rules.js";
import { Sender } from "../sender.js";
import { shownApproval } from "../shown.js";
import { failureWords } from "../steering.js";
import { titleOf } from "../session-words.js";
import { keyOf, pending, sessionOf } from "../store.js";
import { line } from "../text.js";
import { undoOf } from "../undoing.js";
import { ApprovalCard } from "./approval-card.js";
import { noNews } from "./link-state.js";
import { swiping } from "./swiping.js";
import { View } from "./view.js";

/** @typedef {import("../wire").Approval} Approval */

const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** Duration of the slide of the next card, in milliseconds. */
const slideMs = 180;

export class ApprovalsInbox extends View {
  #recent = false;
  /** @type {string|undefined} The key of the approval in the address, until it has been scrolled into view. */ #named;
  /** @type {string[]} Keys of the approvals in the order on screen. */ #order = [];
  /** @type {Map<string, ApprovalCard>} */ #cards = new Map();
  /** @type {WeakMap<HTMLElement, string>} The approval's key by list item. */ #keys = new WeakMap();
  /** Snoozed approvals are shown, too. */ #showsLater = false;
  /** @type {Sender|undefined} */ #sender;
  /** @type {Map<string, string>} The command's id by the key of a denied approval that the agent is told to ask again. */ #asks = new Map();
  #list = h("ol", { class: "cards" });
  #others = h("button", { type: "button", class: "plain archive-link", hidden: true, onclick: () => this.#showLater() });
  #words = h("p");
  #empty = h("div", { class: "empty" }, icon("rest", "drawing"), this.#words);
  #waiting = h("a", { href: "#/approvals" }, t`Waiting`);
  #settled = h("a", { href: "#/approvals/recent" }, t`Recent`);
  #rules = h("a", { href: "#/rules", hidden: true }, t`Rules`);

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, t`Approvals`),
        h("nav", { class: "switch", "aria-label": t`Approvals` }, this.#waiting, this.#settled, this.#rules)),
      this.#empty, this.#list, this.#others);
    swiping(this.#list, (item) => this.#putOff(item), (item) => item.querySelector(".card-later:not([hidden])") !== null);
  }

  /**
   * Called when the inbox is opened.
   * @param {{recent: boolean, named?: string}} route
   */
  arrive({ recent, named }) {
    this.#recent = recent;
    this.#named = named;
    this.#showsLater = false;
    this.#order = [];
    // A question settled while on screen keeps its form, so that nothing moves; from now on its card shows the answer.
    for (const key of [...this.#cards.keys()]) if (this.app.state.approvals.get(key)?.stage !== "pending") this.#cards.delete(key);
    attribute(this.#waiting, "aria-current", recent ? null : "page");
    attribute(this.#settled, "aria-current", recent ? "page" : null);
    this.#draw();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh({ all, approvals, sessions }) {
    if (all || approvals.size || [...this.app.state.hosts.keys()].some((id) => sessions.has(id)) || this.#order.some((key) => sessions.has(sessionOf(key)))) this.#draw();
  }

  /** @override */
  tick() {
    if (!this.hidden) this.#order.forEach((key) => this.#cards.get(key)?.tick());
  }

  /**
   * Moves the keyboard focus to the next waiting approval, to the first one, or to the heading.
   * @param {string} key
   */
  #goOn(key) {
    const waits = (/** @type {string} */ other) => this.app.state.approvals.get(other)?.stage === "pending" && !this.#cards.get(other)?.hidden;
    const next = this.#cards.get(this.#order.slice(this.#order.indexOf(key) + 1).find(waits) ?? this.#order.find(waits) ?? "");
    if (!next) return this.querySelector("h2")?.focus({ preventScroll: true });
    for (const other of this.#order.filter(waits)) this.#cards.get(other)?.settle();
    const before = next.getBoundingClientRect().top;
    next.land();
    // Runs after the decided card has folded to a line.
    queueMicrotask(() => {
      next.scrollIntoView({ block: "start" });
      const way = before - next.getBoundingClientRect().top;
      if (!calm.matches && Math.abs(way) > 1) next.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], { duration: slideMs, easing: "ease-out" });
    });
  }

  /** @param {string} key @param {ApprovalCard} card */
  #item(key, card) {
    const [words, name] = [span("later-words foreign"), span("unseen foreign")];
    /** @type {HTMLElement} */
    const item = h("li", {}, card, h("button", { type: "button", class: "plain card-later", onclick: () => this.#putOff(item) }, t`Later `, name),
      h("p", { class: "later-line", role: "status", hidden: true }, words, h("button", { type: "button", class: "plain", onclick: () => this.#takeUp(item) }, t`Undo`)));
    item.append(h("button", { type: "button", class: "plain settled-undo", hidden: true, onclick: () => this.#undo(key) }, span(""), span("unseen foreign")),
      h("p", { class: "settled-told quiet foreign", role: "status", hidden: true }));
    this.#keys.set(item, key);
    return item;
  }

  /**
   * The undo of a settled approval that this device may carry out.
   * @param {Approval} approval
   */
  #undoOf(approval) {
    const { state, link, trust } = this.app;
    const summary = state.sessions.get(approval.session);
    const found = undoOf(shownApproval(approval), summary, state.welcome?.may ?? [], link.isLive);
    return found && "prompt" in found && trust.steeringObstacle(approval.session, summary?.host.name ?? "") ? null : found;
  }

  /** @param {HTMLElement} item @param {Approval} approval */
  #drawUndo(item, approval) {
    const key = keyOf(approval);
    const undo = this.#undoOf(approval);
    const attempt = this.#sender?.attempt(approval.session, `ask ${key}`);
    const isTold = attempt !== undefined && !attempt.sending && !attempt.error;
    const [button, told] = /** @type {HTMLElement[]} */ ([...item.children].slice(-2));
    attribute(button, "hidden", !undo || isTold);
    attribute(button, "disabled", attempt?.sending);
    const isRule = undo && "rule" in undo;
    const title = asText(shownApproval(approval).request.head.title);
    write(/** @type {HTMLElement} */ (button.firstElementChild), isRule ? t`Take back …` : t`Ask again`);
    say(/** @type {HTMLElement} */ (button.lastElementChild), isRule ? t` the rule that allowed ${title}` : ` ${title}`, line);
    say(told, isTold ? t`The agent is told to ask you again.` : attempt?.error ? failureWords(attempt.error) : "", line);
    attribute(told, "hidden", !isTold && !attempt?.error);
  }

  /**
   * Opens the rule that allowed the request, or tells the agent to ask for what was denied once more.
   * @param {string} key
   */
  async #undo(key) {
    const { app } = this;
    const { state, link } = app;
    const approval = /** @type {Approval} */ (state.approvals.get(key));
    const { session } = approval;
    const undo = this.#undoOf(approval);
    if (!undo) return this.#draw();
    if ("rule" in undo) {
      location.hash = undo.rule;
      return undefined;
    }
    this.#sender ??= new Sender(link, () => this.#draw(), app.trust);
    const id = this.#asks.get(key) ?? this.#sender.freshID();
    this.#asks.set(key, id);
    const error = await this.#sender.send(session, `ask ${key}`, { type: "prompt", session, text: undo.prompt, busy: "queue" }, id);
    // A refused id stays refused; after a lost link the outcome is unknown, so the next try keeps the id.
    if (error && error.code !== "linkLost") this.#asks.delete(key);
    if (error === null) /** @type {HTMLElement|null|undefined} */ (this.#cards.get(key)?.querySelector(".settled"))?.focus({ preventScroll: true });
    return undefined;
  }

  /** @param {HTMLElement} item @param {Approval} approval */
  #drawLater(item, approval) {
    const isPending = approval.stage === "pending" && !this.#recent;
    const summary = this.app.state.sessions.get(approval.session);
    const isOff = isPending && !this.#showsLater && this.#named !== keyOf(approval) && this.app.isLater(approval.session);
    const [card, button, put] = /** @type {HTMLElement[]} */ ([...item.children]);
    attribute(card, "hidden", isOff);
    attribute(button, "hidden", !isPending || isOff || this.app.isLater(approval.session));
    attribute(put, "hidden", !isOff);
    const title = summary ? titleOf(summary) : t`This session`;
    say(/** @type {HTMLElement} */ (button.lastElementChild), title, line);
    say(/** @type {HTMLElement} */ (put.firstElementChild), isOff ? t`${title}: back ${untilWords(this.app.snoozes.until(approval.session) ?? 0, this.app.now())}` : "", line);
  }

  /**
   * Snoozes all waiting requests of the item's session for an hour.
   * @param {HTMLElement} item
   */
  #putOff(item) {
    const key = this.#keys.get(item) ?? "";
    const session = sessionOf(key);
    const focuses = item.contains(document.activeElement);
    putOff(this.app, session, inAnHour(this.app.now()));
    this.#draw();
    if (focuses) /** @type {HTMLElement|null} */ (item.querySelector(".later-line button"))?.focus({ preventScroll: true });
  }

  /** @param {HTMLElement} item */
  #takeUp(item) {
    const key = this.#keys.get(item) ?? "";
    putOff(this.app, sessionOf(key), null);
    this.#draw();
    this.#cards.get(key)?.land();
  }

  #showLater() {
    this.#showsLater = true;
    this.#draw();
    this.querySelector("h2")?.focus({ preventScroll: true });
  }

  /**
   * Decides by keyboard on the focused card; without one, only moves the focus to the first that waits.
   * @param {"allow"|"deny"} verb
   */
  decide(verb) {
    const waits = this.#order.flatMap((key) => this.#cards.get(key) ?? []).filter((card) => card.isPending && !card.hidden);
    const card = waits.find((one) => one.contains(document.activeElement));
    if (card) card.press(verb);
    else waits[0]?.arrive();
  }

  #draw() {
    const { state } = this.app;
    if (this.#recent && !this.#order.length) this.#order = settled(state.approvals);
    if (this.#named && state.approvals.has(this.#named) && !this.#order.includes(this.#named)) this.#order.unshift(this.#named);
    const shown = new Set(this.#order);
    const waiting = this.#recent ? [] : pending(state);
    const later = waiting.filter((one) => this.app.isLater(one.session));
    this.#order.push(...waiting.filter((one) => !shown.has(keyOf(one)) && (this.#showsLater || !later.includes(one))).map(keyOf));
    this.#order = this.#order.filter((key) => state.approvals.has(key));
    for (const key of [...this.#cards.keys()]) if (!state.approvals.has(key)) this.#cards.delete(key);
    for (const key of [...this.#asks.keys()]) if (!state.approvals.has(key)) this.#asks.delete(key);
    arrange(this.#list, this.#order.map((key) => {
      const approval = /** @type {Approval} */ (state.approvals.get(key));
      const held = this.#cards.get(key);
      const card = held?.asks(approval) ? held : new ApprovalCard();
      card.onsettled = () => void this.#goOn(key);
      if (this.#recent && card !== held) card.folds = true;
      this.#cards.set(key, card);
      card.show(this.app, approval);
      const item = card.parentElement ?? this.#item(key, card);
      this.#drawLater(item, approval);
      this.#drawUndo(item, approval);
      return item;
    }));
    const named = this.#named && this.#cards.get(this.#named);
    if (named) {
      this.#named = undefined;
      named.arrive();
    }
    const hidden = later.filter((one) => !this.#order.includes(keyOf(one))).length;
    attribute(this.#others, "hidden", !hidden);
    write(this.#others, t`${hidden} put off until later: show`);
    attribute(this.#rules, "hidden", !ruledHosts(state.hosts).length);
    attribute(this.#empty, "hidden", this.#order.length !== 0);
    write(this.#words, !state.loaded ? noNews(this.app.link)
      : this.#recent ? t`Nothing was settled in the last hour.`
        : t`Nothing waits for you. What an agent may not do alone appears here, in full, for you to decide.`);
  }
}

/**
 * Settled approvals, newest first.
 * @param {Map<string, Approval>} approvals
 */
const settled = (approvals) =>
  [...approvals.values()].filter(({ stage }) => stage !== "pending")
    .sort((a, b) => (b.resolvedAt ?? b.decision?.at ?? b.requestedAt) - (a.resolvedAt ?? a.decision?.at ?? a.requestedAt))
    .map(keyOf);

customElements.define("approvals-inbox", ApprovalsInbox);
