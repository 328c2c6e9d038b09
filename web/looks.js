/**
 * Streams a session's terminal while it is visible: requests the next screen once the last one is drawn, so that a slow line shows
 * fewer screens, but none late.
 */

import { t } from "./language.js";
import { CommandError } from "./link.js";

/** @typedef {import("./wire").Screen} Drawing */

/** Limit for an answer; a host answers within ten seconds. */
const answerMs = 20_000;
/** Delay before the next request after a temporary failure. */
const againMs = 2_000;
/** Error codes for which asking again is pointless. */
const lasting = ["closed", "unsupported", "notFound", "forbidden"];

/**
 * @typedef {object} LookHands
 * @property {() => string} of The session whose terminal is drawn; empty if none is.
 * @property {(session: string, id: string, drawing: Drawing) => Drawing|Promise<Drawing>} opened Opens a sealed screen, for the command with that id.
 * @property {(drawing: Drawing) => void} drawn
 * @property {(error: CommandError) => void} failed
 * @property {(run: () => void, milliseconds: number) => any} setTimer
 */

export class Looks {
  /** @type {Pick<import("./link.js").Link, "command"|"freshID"|"isLive">} */ #link;
  /** @type {LookHands} */ #hands;
  /** Number of the last request; answers to earlier ones are ignored. */ #turn = 0;
  isLooking = false;

  /** @param {Pick<import("./link.js").Link, "command"|"freshID"|"isLive">} link @param {LookHands} hands */
  constructor(link, hands) {
    [this.#link, this.#hands] = [link, hands];
  }

  /** @param {string} session */
  async start(session) {
    if (this.isLooking) return;
    const turn = (this.#turn += 1);
    this.isLooking = true;
    while (turn === this.#turn) {
      const after = this.#hands.of();
      try {
        const id = this.#link.freshID();
        const reply = await this.#within(this.#link.command(after ? { type: "screen", session, after } : { type: "screen", session }, { id }));
        const drawing = turn === this.#turn && reply.screen && await this.#hands.opened(session, id, reply.screen);
        if (turn === this.#turn && drawing) this.#hands.drawn(drawing);
      } catch (error) {
        if (turn !== this.#turn) return;
        const reason = /** @type {CommandError} */ (error);
        this.#hands.failed(reason);
        // After a lost link the next request follows when the link is live again.
        if (reason.code === "linkLost" || lasting.includes(reason.code)) return this.stop();
        await new Promise((done) => this.#hands.setTimer(() => done(undefined), againMs));
      }
    }
    return undefined;
  }

  stop() {
    this.#turn += 1;
    this.isLooking = false;
  }

  /** @param {Promise<import("./wire").Reply>} answer @returns {Promise<import("./wire").Reply>} */
  #within(answer) {
    return new Promise((resolve, reject) => {
      answer.then(resolve, reject);
      this.#hands.setTimer(() => reject(new CommandError({ code: "unavailable", message: t`its host does not answer` })), answerMs);
    });
  }
}
