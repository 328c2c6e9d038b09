/**
 * The approvals that wait in a session, each as a card in the row of its request, so that a person decides where they read.
 *
 * A card that was decided here or elsewhere stays in its row and shows what becomes of it, until the session comes to the screen again.
 */

import { attribute } from "../dom.js";
import { ApprovalCard } from "./approval-card.js";

/** @typedef {import("./view.js").App} App */
/** @typedef {import("../wire").Approval} Approval */

export class TimelineCards {
  /** @type {(next: ApprovalCard|undefined) => void} Called when one that was decided here is settled. */
  onsettled = () => undefined;
  /** @type {() => void} Called when a card came to the screen, or left it. */
  onseen = () => undefined;

  /** @type {Map<string, ApprovalCard>} By approval, in the order of their rows. */ #cards = new Map();
  /** @type {WeakSet<Element>} Those that are not on screen. */ #unseen = new WeakSet();
  #eye = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) isIntersecting ? this.#unseen.delete(target) : this.#unseen.add(target);
    this.onseen();
  });

  /**
   * @param {App} app @param {Approval[]} approvals The session's.
   * @param {(approval: string) => HTMLElement|undefined} rowOf The row of its request, if it is on screen.
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

  /** The session comes to the screen: what is settled is a line again. */
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

  /** @param {string} approval @returns {boolean} Whether its card is on screen; one that was only just made is taken to be. */
  isSeen(approval) {
    const card = this.#cards.get(approval);
    return Boolean(card?.isConnected && !this.#unseen.has(card));
  }

  /** @returns {ApprovalCard|undefined} The one that waits and is highest. */
  get first() {
    return this.pending[0];
  }

  /** Those that wait, from the highest down. */
  get pending() {
    return [...this.#cards.values()].filter((card) => card.isPending && card.isConnected);
  }

  /**
   * Brings a card to the screen.
   * @param {string} approval
   * @returns {boolean} Whether there is one.
   */
  reveal(approval) {
    const card = this.#cards.get(approval);
    if (!card?.isConnected) return false;
    card.arrive();
    return true;
  }
}
