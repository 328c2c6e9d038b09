/**
 * Prompts that wait in this browser for their time, or for an agent that is idle. The relay knows nothing of them: they are sent, and signed, when they are due
 * and the page is open. Pure but for what it is given.
 */

import { t } from "./language.js";
import { promptBytesMax } from "./steering.js";
import { keep, stored } from "./stored.js";

/** Prompts that wait at most, of all sessions. */
const heldMax = 20;
/** A prompt that was due while no page was open is sent by itself until then; later it may not be meant any more. */
const lateMs = 10 * 60_000;
/** Likewise one for an idle agent, from when it was written. */
const staleMs = 12 * 3_600_000;
/** An agent that was just sent one is idle until its host has said otherwise. */
const settlingMs = 30_000;
/** `page-key.js` takes them away with the key. */
const place = "heliograph.held";

/**
 * @typedef {object} HeldPrompt
 * @property {string} id       Under which it is sent: by several tabs, or twice, it has one effect.
 * @property {string} session @property {string} text
 * @property {boolean} [command] It is one of the agent's own commands.
 * @property {number} [at]     When it is due; without it when the agent is idle.
 * @property {number} made
 * @property {string} [problem] Why it was not taken: a person sends it again, or takes it back.
 */

/**
 * @typedef {object} HeldSurroundings
 * @property {() => Pick<Storage, "getItem"|"setItem">} storage Throws where site data is blocked: then they last for this visit.
 * @property {() => number} now
 * @property {() => string} freshID
 * @property {(session: string) => {isBusy: boolean, obstacle: string}} standing Whether its agent works, and why nothing can be sent to it.
 * @property {(prompt: HeldPrompt) => Promise<{isKnown: boolean, words: string}|null>} send Null: the relay has it. `isKnown`: it has not.
 * @property {(run: () => Promise<void>) => Promise<void>} alone Runs it unless another tab is at it.
 */

/** @typedef {"waits"|"due"|"missed"|"failed"|"sending"} HeldStage `missed`: its time has passed too long ago. */

export class Held {
  /** @type {HeldPrompt[]} */ #prompts = [];
  /** @type {Map<string, number>} When each session was sent one for its idle agent. */ #sent = new Map();
  #sending = "";
  /** @type {HeldSurroundings} */ #around;
  /** @type {() => void} */ #changed;

  /** @param {HeldSurroundings} around @param {() => void} changed */
  constructor(around, changed) {
    [this.#around, this.#changed] = [around, changed];
    this.#read();
  }

  /** @param {string} session @returns {HeldPrompt[]} In the order in which they were written. */
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

  /** @param {string} text Why it cannot wait here; empty where it can. */
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

  /** @param {string} id One that is not under way. @returns {HeldPrompt|undefined} */
  takeBack(id) {
    if (id === this.#sending) return undefined;
    this.#read();
    const taken = this.#prompts.find((one) => one.id === id);
    this.#prompts = this.#prompts.filter((one) => one !== taken);
    this.#write();
    return taken;
  }

  /** @param {string} id A person wants it sent now, whatever it waited for. */
  sendNow(id) {
    return this.#send(id);
  }

  /** A second went by: what is due is sent, one at a time. */
  async tick() {
    if (this.#sending || !this.#prompts.length) return;
    const next = this.#prompts.find((one) => this.#isDue(one));
    if (next) await this.#send(next.id);
  }

  /** Another tab wrote, or sent, some. */
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
          // Where nobody knows it goes again by itself, under the same id.
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
