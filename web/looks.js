/**
 * Looks at a session's terminal for as long as somebody sees it: asks for the next screen when the one before is drawn, so that a slow line shows
 * fewer of them, and none late.
 */

import { t } from "./language.js";
import { CommandError } from "./link.js";

/** @typedef {import("./wire").Screen} Drawing */

/** Its host answers within ten seconds. */
const answerMs = 20_000;
/** After a failure that may pass. */
const againMs = 2_000;
/** Nothing that asking again would change. */
const lasting = ["closed", "unsupported", "notFound", "forbidden"];

/**
 * @typedef {object} LookHands
 * @property {() => string} of What is drawn; empty: nothing is.
 * @property {(session: string, id: string, drawing: Drawing) => Drawing|Promise<Drawing>} opened As its host has drawn it, for the command of that id.
 * @property {(drawing: Drawing) => void} drawn
 * @property {(error: CommandError) => void} failed
 * @property {(run: () => void, milliseconds: number) => any} setTimer
 */

export class Looks {
  /** @type {Pick<import("./link.js").Link, "command"|"freshID"|"isLive">} */ #link;
  /** @type {LookHands} */ #hands;
  /** Of the last call to look; an answer to an earlier one is not drawn. */ #turn = 0;
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
        // The link says when it is back.
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
