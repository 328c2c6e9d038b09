/**
 * The decisions this page made and that are not known to be recorded yet.
 *
 * The same decision for the same approval always travels under the same id, so that a double tap, a second try and a resend
 * after a lost link have one effect. What became of it comes from the relay, never from here.
 */

import { CommandError } from "./link.js";

/** @typedef {import("./wire").Approval} Approval */
/** @typedef {{decision: "allow"}|{decision: "deny", message?: string}|{decision: "answer", answers: import("./wire").Answer[]}} Verdict */
/** @typedef {{verdict: Verdict, sending: boolean, error?: CommandError}} Attempt */

export class Decisions {
  /** @type {import("./link.js").Link} */ #link;
  /** @type {(approval: string) => void} */ #changed;
  /** @type {Map<string, Attempt>} The last attempt, by approval. */
  #attempts = new Map();
  /** @type {Map<string, string>} The id, by approval and verdict. */
  #ids = new Map();

  /** @param {import("./link.js").Link} link @param {(approval: string) => void} changed */
  constructor(link, changed) {
    this.#link = link;
    this.#changed = changed;
  }

  /** @param {string} approval */
  attempt(approval) {
    return this.#attempts.get(approval);
  }

  /** @param {Approval} approval @param {Verdict} verdict */
  async decide({ approval, session, request }, verdict) {
    if (this.#attempts.get(approval)?.sending) return;
    const key = JSON.stringify([approval, verdict]);
    const id = this.#ids.get(key) ?? this.#link.freshID();
    this.#ids.set(key, id);
    const to = { session, approval, digest: String(request.head.digest) };
    this.#set(approval, { verdict, sending: true });
    try {
      await this.#link.command(
        verdict.decision === "answer" ? { type: "answer", ...to, answers: verdict.answers } : { type: "decide", ...to, ...verdict },
        { id, again: true });
      this.#set(approval, { verdict, sending: false });
    } catch (error) {
      this.#set(approval, { verdict, sending: false, error: /** @type {CommandError} */ (error) });
    }
  }

  /** @param {string} approval @param {Attempt} attempt */
  #set(approval, attempt) {
    this.#attempts.set(approval, attempt);
    this.#changed(approval);
  }
}
