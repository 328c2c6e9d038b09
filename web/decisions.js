/**
 * Decisions made on this page that are not known to be recorded yet.
 *
 * Each attempt at the same decision on the same approval uses the same id, so that a double tap, a second try and a resend
 * after a lost link have one effect. The outcome comes from the relay alone.
 */

import { CommandError } from "./link.js";
import { keyOf } from "./store.js";

/** @typedef {import("./wire").Approval} Approval */
/** @typedef {{decision: "allow", mode?: string, offer?: string}|{decision: "edit", edit: string}|{decision: "deny", message?: string, offer?: string}|{decision: "answer", answers: import("./wire").Answer[]}} Verdict */
/** @typedef {{verdict: Verdict, sending: boolean, error?: CommandError}} Attempt */

export class Decisions {
  /** @type {Pick<import("./trust.js").Trust, "signedDecision">|null} Signs decisions for hosts that require signatures. */
  signer = null;

  /** @type {import("./link.js").Link} */ #link;
  /** @type {(key: string) => void} */ #changed;
  /** @type {Map<string, Attempt>} The last attempt for each approval, by `keyOf`. */
  #attempts = new Map();
  /**
   * @type {Map<string, {id: string, given?: {verdict: Verdict, signature?: string}}>} Prepared commands by `keyOf` and verdict: kept for retries,
   * because sealing again would give other bytes.
   */
  #deeds = new Map();

  /** @param {import("./link.js").Link} link @param {(key: string) => void} changed */
  constructor(link, changed) {
    this.#link = link;
    this.#changed = changed;
  }

  /** @param {Approval} approval */
  attempt(approval) {
    return this.#attempts.get(keyOf(approval));
  }

  /**
   * Sends a decision on the approval as it was shown.
   * @param {Approval} asked @param {Verdict} verdict
   */
  async decide(asked, verdict) {
    const { approval, session, request } = asked;
    const key = keyOf({ session, approval });
    if (this.#attempts.get(key)?.sending) return;
    const deed = JSON.stringify([key, verdict]);
    const held = this.#deeds.get(deed) ?? { id: this.#link.freshID() };
    this.#deeds.set(deed, held);
    const to = { session, approval, digest: String(request.head.digest) };
    this.#set(key, { verdict, sending: true });
    try {
      const { verdict: said, ...proof } = held.given ??= await this.signer?.signedDecision(asked, verdict) ?? { verdict };
      await this.#link.command(
        said.decision === "answer" ? { type: "answer", ...to, answers: said.answers, ...proof } : { type: "decide", ...to, ...said, ...proof },
        { id: held.id, again: true });
      this.#set(key, { verdict, sending: false });
    } catch (error) {
      this.#set(key, { verdict, sending: false, error: /** @type {CommandError} */ (error) });
    }
  }

  /** @param {string} key @param {Attempt} attempt */
  #set(key, attempt) {
    this.#attempts.set(key, attempt);
    this.#changed(key);
  }
}
