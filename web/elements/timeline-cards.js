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
  /** @type {() => void} Called when the last one that was decided here is settled. */
  onsettled = () => undefined;

  /** @type {Map<string, ApprovalCard>} By approval, in the order of their rows. */ #cards = new Map();

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
        card.onsettled = () => this.#goOn();
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

  /** @returns {ApprovalCard|undefined} The one that waits and is highest. */
  get first() {
    return [...this.#cards.values()].find((card) => card.isPending && card.isConnected);
  }

  /**
   * Brings a card to the screen.
   * @param {string} approval @param {number} room The height that it may have.
   * @returns {boolean} Whether there is one, and it is no higher than that.
   */
  reveal(approval, room) {
    const card = this.#cards.get(approval);
    if (!card?.isConnected || card.offsetHeight > room) return false;
    card.arrive();
    return true;
  }

  #goOn() {
    const next = this.first;
    if (next) next.land();
    else this.onsettled();
  }
}
