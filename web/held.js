/**
 * Prompts held in this browser until a time, or until an agent is idle. The relay does not know them: they are signed and sent when they are due
 * and the page is open. Pure; storage, clock and link are passed in.
 */

import { t } from "./language.js";
import { promptBytesMax } from "./steering.js";
import { keep, stored } from "./stored.js";

/** Maximum number of held prompts, of all sessions together. */
const heldMax = 20;
/** A prompt that became due while no page was open is still sent automatically within this time; later it may be obsolete. */
const lateMs = 10 * 60_000;
/** The time since it was written after which a prompt that waits for an idle agent is no longer sent automatically. */
const staleMs = 12 * 3_600_000;
/** After a prompt the agent counts as busy for this long, because its host's next status may take that time. */
const settlingMs = 30_000;
/** The storage key; `page-key.js` removes it together with the page key. */
const place = "heliograph.held";

/**
 * @typedef {object} HeldPrompt
 * @property {string} id       The id of the sent command: sent twice, or by several tabs, it has one effect.
 * @property {string} session @property {string} text
 * @property {boolean} [command] The text is one of the agent's own commands.
 * @property {number} [at]     The time at which it is due; without it, when the agent is idle.
 * @property {number} made
 * @property {string} [problem] The reason why it was refused; a person sends it again, or takes it back.
 */

/**
 * @typedef {object} HeldSurroundings
 * @property {() => Pick<Storage, "getItem"|"setItem">} storage Throws if site data is blocked; prompts then last for this visit only.
 * @property {() => number} now
 * @property {() => string} freshID
 * @property {(session: string) => {isBusy: boolean, obstacle: string}} standing `isBusy`: the agent works; `obstacle`: why no prompt can be sent.
 * @property {(prompt: HeldPrompt) => Promise<{isKnown: boolean, words: string}|null>} send Null once the relay has the prompt. `isKnown`: the relay certainly does not have it.
 * @property {(run: () => Promise<void>) => Promise<void>} alone Runs the function unless another tab runs it.
 */

/** @typedef {"waits"|"due"|"missed"|"failed"|"sending"} HeldStage `missed`: due too long ago to be sent automatically. */

export class Held {
  /** @type {HeldPrompt[]} */ #prompts = [];
  /** @type {Map<string, number>} The time at which each session was last sent a prompt for its idle agent. */ #sent = new Map();
  #sending = "";
  /** @type {HeldSurroundings} */ #around;
  /** @type {() => void} */ #changed;

  /** @param {HeldSurroundings} around @param {() => void} changed */
  constructor(around, changed) {
    [this.#around, this.#changed] = [around, changed];
    this.#read();
  }

  /**
   * The held prompts of a session, oldest first.
   * @param {string} session @returns {HeldPrompt[]}
   */
  of(session) {
    return this.#prompts.filter((one) => one.session === session);
  }

  /** @param {HeldPrompt} prompt @returns {HeldStage} */
  stage({ id, problem, at, made }) {
    if (id === this.#sending) return "sending";
    if (problem) return "failed";
    const now = this.#around.now();
    if (at === undefined) return now - made > staleMs ? "missed" : "waits";
    if (now < at) return "waits";
    return now - at > lateMs ? "missed" : "due";
  }

  /**
   * The reason why a text cannot be held; empty if it can.
   * @param {string} text
   */
  obstacle(text) {
    if (this.#prompts.length >= heldMax) return t`${heldMax} prompts wait in this browser already.`;
    return new TextEncoder().encode(text).length > promptBytesMax ? t`The prompt is too long.` : "";
  }

  /** @param {Pick<HeldPrompt, "session"|"text"|"command"|"at">} prompt */
  hold(prompt) {
    this.#read();
    if (this.obstacle(prompt.text)) return;
    this.#prompts.push({ ...prompt, id: this.#around.freshID(), made: this.#around.now() });
    this.#write();
  }

  /**
   * Removes a held prompt unless it is being sent.
   * @param {string} id @returns {HeldPrompt|undefined}
   */
  takeBack(id) {
    if (id === this.#sending) return undefined;
    this.#read();
    const taken = this.#prompts.find((one) => one.id === id);
    this.#prompts = this.#prompts.filter((one) => one !== taken);
    this.#write();
    return taken;
  }

  /**
   * Sends a held prompt at once, on a person's request.
   * @param {string} id
   */
  sendNow(id) {
    return this.#send(id);
  }

  /** Called every second: sends one due prompt at a time. */
  async tick() {
    if (this.#sending || !this.#prompts.length) return;
    const next = this.#prompts.find((one) => this.#isDue(one));
    if (next) await this.#send(next.id);
  }

  /** Called when another tab has added, sent or removed held prompts. */
  changedElsewhere() {
    this.#read();
    this.#changed();
  }

  /** @param {HeldPrompt} one */
  #isDue(one) {
    const { isBusy, obstacle } = this.#around.standing(one.session);
    if (isBusy) this.#sent.delete(one.session);
    const stage = this.stage(one);
    if (obstacle || (stage !== "due" && stage !== "waits")) return false;
    if (one.at !== undefined) return stage === "due";
    return !isBusy && this.#around.now() - (this.#sent.get(one.session) ?? Number.NEGATIVE_INFINITY) > settlingMs;
  }

  /** @param {string} id */
  async #send(id) {
    if (this.#sending) return;
    this.#sending = id;
    this.#changed();
    try {
      await this.#around.alone(async () => {
        this.#read();
        const one = this.#prompts.find((held) => held.id === id);
        if (!one) return;
        const failure = await this.#around.send(one);
        this.#read();
        if (failure === null) this.#sent.set(one.session, this.#around.now());
        this.#prompts = this.#prompts.flatMap((held) => {
          if (held.id !== id) return [held];
          if (failure === null) return [];
          // After an unknown outcome the prompt is sent again under the same id; after a known failure it gets a new one.
          return [failure.isKnown ? { ...held, id: this.#around.freshID(), problem: failure.words } : held];
        });
        this.#write();
      });
    } finally {
      this.#sending = "";
      this.#changed();
    }
  }

  #read() {
    const { prompts, sent } = stored(this.#around.storage, place) ?? {};
    if (Array.isArray(prompts)) this.#prompts = prompts.filter(isHeld).slice(0, heldMax);
    if (Array.isArray(sent)) this.#sent = new Map(sent.filter(isSent));
  }

  #write() {
    keep(this.#around.storage, place, { prompts: this.#prompts, sent: [...this.#sent].filter(([, at]) => this.#around.now() - at < settlingMs) });
    this.#changed();
  }
}

/** @param {any} one @returns {one is [string, number]} */
const isSent = (one) => Array.isArray(one) && typeof one[0] === "string" && typeof one[1] === "number";

/** @param {any} one @returns {one is HeldPrompt} */
const isHeld = (one) => ["id", "session", "text"].every((name) => typeof one?.[name] === "string") && typeof one.made === "number"
  && (one.at === undefined || typeof one.at === "number") && (one.problem === undefined || typeof one.problem === "string");
