/**
 * The waiting approvals of a session, each as a card in the timeline row of its request, so that a person decides where they read.
 *
 * A settled card stays in its row with its outcome until the session is opened again.
 */

import { attribute } from "../dom.js";
import { ApprovalCard } from "./approval-card.js";

/** @typedef {import("./view.js").App} App */
/** @typedef {import("../wire").Approval} Approval */

export class TimelineCards {
  /** @type {(next: ApprovalCard|undefined) => void} Called when a decision made here is settled, with the next waiting card. */
  onsettled = () => undefined;
  /** @type {() => void} Called when a card enters or leaves the screen. */
  onseen = () => undefined;

  /** @type {Map<string, ApprovalCard>} Cards by approval id, in the order of their rows. */ #cards = new Map();
  /** @type {WeakSet<Element>} Cards that are not on screen. */ #unseen = new WeakSet();
  #eye = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) isIntersecting ? this.#unseen.delete(target) : this.#unseen.add(target);
    this.onseen();
  });

  /**
   * @param {App} app @param {Approval[]} approvals The approvals of the session.
   * @param {(approval: string) => HTMLElement|undefined} rowOf Returns the timeline row of an approval's request, if it is drawn.
   */
  show(app, approvals, rowOf) {
    for (const approval of approvals) {
      const row = rowOf(approval.approval);
      let card = this.#cards.get(approval.approval);
      if (!row || (!card && approval.stage !== "pending")) continue;
      if (!card?.asks(approval)) {
        card?.remove();
        card = new ApprovalCard();
        this.#eye.observe(card);
        card.onsettled = () => this.onsettled(this.first);
        this.#cards.set(approval.approval, card);
      }
      card.show(app, approval, "decide");
      if (!row.contains(card)) row.append(card);
      attribute(row, "data-card", true);
    }
  }

  /** Called when the session is opened: settled cards become lines again. */
  arrive() {
    for (const [approval, card] of this.#cards) {
      if (card.isPending && card.isConnected) continue;
      const row = card.closest("[data-card]");
      if (row) attribute(row, "data-card", null);
      card.remove();
      this.#cards.delete(approval);
    }
  }

  clear() {
    this.#cards.clear();
  }

  tick() {
    this.#cards.forEach((card) => card.tick());
  }

  /**
   * True if the approval's card is on screen; a new card counts as on screen until the browser says otherwise.
   * @param {string} approval @returns {boolean}
   */
  isSeen(approval) {
    const card = this.#cards.get(approval);
    return Boolean(card?.isConnected && !this.#unseen.has(card));
  }

  /**
   * The topmost waiting card.
   * @returns {ApprovalCard|undefined}
   */
  get first() {
    return this.pending[0];
  }

  /** The waiting cards from top to bottom. */
  get pending() {
    return [...this.#cards.values()].filter((card) => card.isPending && card.isConnected);
  }

  /**
   * Scrolls to the card of an approval.
   * @param {string} approval
   * @returns {boolean} False if there is none.
   */
  reveal(approval) {
    const card = this.#cards.get(approval);
    if (!card?.isConnected) return false;
    card.arrive();
    return true;
  }
}
