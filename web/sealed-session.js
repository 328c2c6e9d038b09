/** One session of a host that seals: what of it opens, what is wrong with the rest, and what is sealed for it. */

import { isKeyID } from "./consent.js";
import { newestEpochIn } from "./epochs.js";
import { notice, openedFrom } from "./ingress.js";
import { Ledger } from "./ledger.js";
import { CommandError } from "./link.js";
import { isSealedText, SealingError, SessionSealing } from "./sealing.js";
import { doubtWords, missingWords, noKeyWords, notSealedText, sealedTitle, sealedTool, unopenedText } from "./sealing-words.js";
import { shownApproval } from "./shown.js";
import { promptBytesMax } from "./steering.js";

/** @typedef {import("./wire").Event} Event */
/** @typedef {import("./wire").Decision} Decision */
/** @typedef {import("./wire").Summary} Summary */
/** @typedef {keyof typeof doubtWords|"noKey"} Trouble */
/** @typedef {{event: Event, number?: number, epoch?: number, trouble?: Trouble}} Reading */
/**
 * @typedef {object} Hosts
 * @property {(host: string) => import("./keys.js").Pin|undefined} pin
 * @property {(host: string) => {epoch: number, isSettled: boolean}} newest The newest key of a host that is here. `isSettled`: what was under way when it came has arrived.
 */

/** @param {Event} event @returns {unknown} */
export const sealedIn = ({ kind, head, body }) => body?.sealed ?? (kind === "steering.offered" ? head.sealed : undefined);

/** @param {Event} event What the relay tells of itself, and no host has sealed. */
const isOfRelay = ({ kind, head }) =>
  ["approval.decided", "approval.expired", "budget.crossed", "steering.requested", "truncated"].includes(kind)
  || (kind === "approval.stale" && ["tooMany", "sessionEnded"].includes(head.reason)) || (kind === "steering.changed" && head.stage === "withdrawn");

/** What a summary has from its line alone. */
const ofLine = ["title", "project", "cwd", "folder", "branch"];

/** @param {unknown} error @returns {Trouble} */
const troubleOf = (error) => {
  if (error instanceof SealingError) return error.code;
  throw error;
};

export class SealedSession {
  /** The id of its host's key; empty while that is not known. */
  host = "";
  hostName = "its host";
  /** Something of its log is hidden for want of a key. */
  isClosed = false;
  /** The last event of the relay's numbering that was heard of. */
  heard = 0;

  /** @type {string} */ #session;
  /** @type {Hosts} */ #hosts;
  /** @type {SessionSealing|undefined} */ #sealing;
  /** @type {Map<string, any[]>} By approval. */ #questions = new Map();
  /** @type {Map<string, string>} What stands for names that are said in commands. */ #aliases = new Map();
  #ledger = new Ledger();
  /** The relay's numbering that the ledger is of. */ #numbering = "";
  /** @type {number} Events up to here may be from before the host sealed. */ #plainUntil;
  /** From this epoch on all is sealed, but for events up to `oldUntil`. */ #since = { epoch: 0, oldUntil: 0 };
  /** @type {Trouble|undefined} Of the last event. */ #lastTrouble;
  /** @type {{text: string, number: number, line: Record<string, string>}|undefined} */ #line;
  /** @type {{text: string, number: number, head: import("./wire").Fields}|undefined} */ #offer;
  /** @type {Set<string>} Approvals whose request was taken. */ #asked = new Set();

  /** @param {string} session @param {number} seq The last event of it, where it was first known to be sealed. @param {Hosts} hosts */
  constructor(session, seq, hosts) {
    [this.#session, this.#plainUntil, this.#hosts] = [session, seq, hosts];
  }

  /** @param {string} host The id of its key. */
  isOf(host) {
    if (this.host === host || !isKeyID(host)) return;
    this.host = host;
    // Another identity counts and numbers anew.
    [this.#ledger, this.#since, this.#line, this.#offer] = [new Ledger(), { epoch: 0, oldUntil: 0 }, undefined, undefined];
    this.#sealing = new SessionSealing(host, this.#session, (epoch) => this.#hosts.pin(host)?.epochs?.get(epoch));
  }

  get hasKey() {
    return newestEpochIn(this.#hosts.pin(this.host)) > 0;
  }

  get noKeyWords() {
    return noKeyWords(this.hostName, this.#hosts.pin(this.host) !== undefined);
  }

  /** @returns {SessionSealing} */
  get #opener() {
    if (!this.#sealing || !this.hasKey) throw new SealingError("noKey", "host", "no key of its host is here");
    return this.#sealing;
  }

  /** Before something with another number is looked at. */
  #mark() {
    const { epoch, isSettled } = this.#hosts.newest(this.host);
    if (isSettled && this.#since.epoch < epoch) this.#since = { epoch, oldUntil: this.heard };
  }

  /** @param {number} epoch @param {number} seq */
  #isOld(epoch, seq) {
    return epoch < this.#since.epoch && seq > this.#since.oldUntil;
  }

  // Events

  /**
   * @param {number} first @param {Event[]} events
   * @param {{numbering: string, follows: boolean}} [end] Of what is not older than all that is known: the relay's numbering, and whether it goes on from the last.
   * @returns {Promise<Event[]>} As many.
   */
  async events(first, events, end) {
    const readings = await Promise.all(events.map((event) => this.#read(event)));
    this.#mark();
    if (end && this.#numbering !== end.numbering) [this.#ledger, this.#numbering] = [new Ledger(), end.numbering];
    const last = first + events.length - 1;
    const found = readings.flatMap((reading, at) => {
      const entry = this.#entryOf(reading, first + at, events[at]);
      return entry ? [entry] : [];
    });
    const { doubts, missing, missingAfter } = this.#ledger.take(first, last, found, this.#plainUntil);
    this.heard = Math.max(this.heard, last);
    let before = end?.follows ? this.#lastTrouble : undefined;
    const opened = await Promise.all(readings.map(async ({ event, trouble }, at) => {
      const seq = first + at;
      const wrong = trouble ?? doubts.get(seq);
      const isAgain = wrong !== undefined && wrong === before;
      before = wrong;
      this.isClosed ||= wrong === "noKey";
      const shown = wrong ? { kind: "sealing", at: event.at, head: isAgain ? {} : { words: this.#wordsFor(wrong) } } : await this.#withWords(event, seq);
      const count = wrong ? 0 : missing.get(seq) ?? 0;
      // What its host has lost, it says itself.
      if (count && !(event.kind === "truncated" && count <= (event.head.count ?? Infinity))) notice(shown, { before: missingWords(count) });
      return shown === events[at] ? shown : openedFrom(shown, events[at]);
    }));
    if (end) this.#lastTrouble = before;
    const newest = opened.at(-1);
    if (missingAfter && newest) notice(newest, { after: missingWords(missingAfter) });
    return opened;
  }

  /** @param {Trouble} trouble */
  #wordsFor(trouble) {
    return trouble === "noKey" ? this.noKeyWords : doubtWords[trouble];
  }

  /** @param {Event} event @returns {Promise<Reading>} */
  async #read(event) {
    const sealed = sealedIn(event);
    if (sealed === undefined) return { event };
    try {
      return await this.#opener.openEvent(sealed, event.kind);
    } catch (error) {
      return { event, trouble: troubleOf(error) };
    }
  }

  /** @param {Reading} reading @param {number} seq @param {Event} sent @returns {import("./ledger.js").Numbered|import("./ledger.js").Counted|import("./ledger.js").Plain|undefined} */
  #entryOf(reading, seq, sent) {
    const { number, epoch, trouble } = reading;
    if (number !== undefined && epoch !== undefined) {
      if (!this.#isOld(epoch, seq)) return { seq, number, epoch };
      reading.trouble = "oldKey";
      return undefined;
    }
    if (trouble) return { seq, counts: 1 };
    if (!isOfRelay(sent)) return { seq, isPlain: true };
    const { count } = sent.head;
    return sent.kind === "truncated" && count > 0 ? { seq, counts: count } : undefined;
  }

  /** @param {Event} event What a person wrote, as the relay tells of it. @param {number} seq */
  async #withWords(event, seq) {
    const { kind, head, body } = event;
    const mayBePlain = !this.#ledger.isBehindSealed(seq) && seq <= this.#plainUntil;
    if (kind === "steering.requested" && typeof body?.text === "string") return { ...event, body: { ...body, text: await this.#opened(body.text, String(head.command), mayBePlain) } };
    if (kind === "approval.decided" && head.decision) return { ...event, head: { ...head, decision: await this.#decision(head.decision, String(head.approval), mayBePlain) } };
    return event;
  }

  /**
   * @param {Decision} decision @param {string} approval @param {boolean} mayBePlain It may be from before the host sealed.
   * @returns {Promise<Decision>} With the labels that its person saw.
   */
  async #decision(decision, approval, mayBePlain) {
    const text = (/** @type {string} */ words) => this.#opened(words, approval, mayBePlain);
    if (decision.decision === "deny" && decision.message !== undefined) return { ...decision, message: await text(decision.message) };
    if (decision.decision !== "answer") return decision;
    const questions = this.#questions.get(approval) ?? [];
    return { ...decision, answers: await Promise.all(decision.answers.map(async (answer) => {
      const choices = questions.find(({ id }) => id === answer.question)?.choices;
      const labels = answer.indexes && choices ? answer.indexes.map((place) => String(choices[place]?.label ?? place + 1)) : answer.choices;
      return { ...answer, choices: labels, ...(answer.text === undefined ? {} : { text: await text(answer.text) }) };
    })) };
  }

  /** @param {string} text @param {string} to The command, or the approval. @param {boolean} mayBePlain @returns {Promise<string>} */
  async #opened(text, to, mayBePlain) {
    // One of the agent's commands: what stands for its name, and what is behind it.
    const [, alias, rest] = /^(~[\w-]+)(?: (.*))?$/s.exec(text) ?? [];
    if (alias) return [this.#nameOf(alias), ...(rest ? [await this.#opened(rest, to, mayBePlain)] : [])].join(" ");
    if (!isSealedText(text)) return mayBePlain ? text : notSealedText;
    try {
      return (await this.#opener.openWords(text, to)).text;
    } catch (error) {
      troubleOf(error);
      return unopenedText;
    }
  }

  /** @param {string} alias */
  #nameOf(alias) {
    return [...this.#aliases].find(([, one]) => one === alias)?.[0] ?? alias;
  }

  /**
   * A piece of what is being written or printed: it shows for moments, and then its event does.
   * @param {string} text @param {string} of The message, or the call. @returns {Promise<string|undefined>}
   */
  async live(text, of) {
    try {
      return (await this.#opener.openLive(text, of)).text;
    } catch (error) {
      troubleOf(error);
      return undefined;
    }
  }

  // What lists say

  /** @param {Summary} sent @returns {Promise<Summary>} */
  async summary(sent) {
    this.#mark();
    const { operation, file, todo, error, statusReason, steering, line: _, ...rest } = sent;
    const trouble = await this.#takeLine(sent);
    this.heard = Math.max(this.heard, sent.seq);
    const line = this.#line?.line;
    /** @type {Record<string, string|undefined>} */ const said = line ?? { title: sealedTitle };
    const saying = trouble && trouble !== "noKey" ? doubtWords[trouble] : operation && said.operation;
    const opened = {
      ...rest, ...Object.fromEntries(ofLine.map((name) => [name, said[name]])),
      ...(saying ? { operation: saying } : {}), ...(file && said.file ? { file: said.file } : {}), ...(error && said.error ? { error: said.error } : {}),
      ...(todo ? { todo: { ...todo, current: todo.current && said.current } } : {}),
      ...(statusReason ?? said.reason ? { statusReason: statusReason ?? said.reason } : {}),
      ...(steering ? { steering: await this.#steering(steering) } : {}),
    };
    return openedFrom(opened, sent);
  }

  /** @param {Summary} sent @returns {Promise<Trouble|undefined>} */
  async #takeLine({ line: text, seq }) {
    if (text === undefined || text === this.#line?.text) return undefined;
    try {
      const { number, epoch, line } = await this.#opener.openLine(text);
      if (this.#isOld(epoch, seq) && this.#line) return "oldKey";
      // One that is older says what was.
      if (!this.#line || number >= this.#line.number) this.#line = { text, number, line };
      return undefined;
    } catch (error) {
      return troubleOf(error);
    }
  }

  /** @param {import("./wire").SteeringOffer} sent @returns {Promise<import("./wire").SteeringOffer>} */
  async #steering(sent) {
    const { sealed, wraps: _, ...rest } = sent;
    if (sealed !== undefined && sealed !== this.#offer?.text) {
      try {
        const { number, event: { head } } = await this.#opener.openEvent(sealed, "steering.offered");
        if (!this.#offer || number >= this.#offer.number) {
          this.#offer = { text: sealed, number, head };
          this.#aliases = new Map([...pairsOf(head.commands, sent.commands), ...pairsOf(head.projects?.map(nameIn), sent.projects?.map(nameIn))]);
        }
      } catch (error) {
        troubleOf(error);
      }
    }
    const own = { consent: this.host || rest.consent, seals: true };
    // Names that stand for others are shown to nobody.
    if (!this.#offer) return { ...rest, ...own, commands: undefined, projects: rest.projects && [] };
    return { .../** @type {import("./wire").SteeringOffer} */ (this.#offer.head), ...own };
  }

  // Approvals

  /** @param {import("./wire").Approval} sent @returns {Promise<import("./wire").Approval>} */
  async approval(sent) {
    this.#mark();
    const opened = { ...sent, request: await this.#request(sent) };
    const { questions } = shownApproval(opened).request.body ?? {};
    if (Array.isArray(questions)) this.#questions.set(sent.approval, questions);
    const decided = sent.decision && { decision: await this.#decision(sent.decision, sent.approval, sent.seq <= this.#plainUntil) };
    return openedFrom(/** @type {import("./wire").Approval} */ ({ ...opened, ...decided }), sent);
  }

  /** @param {import("./wire").Approval} sent @returns {Promise<Event>} One that is not its host's is not whole: it can be denied. */
  async #request({ approval, request, seq, stage }) {
    const sealed = sealedIn(request);
    /** @type {Trouble|undefined} */ let trouble = seq > this.#plainUntil ? "unsealed" : undefined;
    if (sealed !== undefined) {
      try {
        const { epoch, event } = await this.#opener.openEvent(sealed, request.kind);
        const isLate = this.#isOld(epoch, seq) && stage === "pending" && !this.#asked.has(approval);
        trouble = event.head.approval !== approval ? "cannotOpen" : isLate ? "oldKey" : undefined;
        if (!trouble) {
          this.#asked.add(approval);
          return event;
        }
      } catch (error) {
        trouble = troubleOf(error);
      }
    }
    if (!trouble) return request;
    const { kind, at, head } = request;
    if (trouble === "noKey") return { kind, at, head: { ...head, tool: sealedTool } };
    return { kind, at, head: { approval, kind: head.kind, tool: "", title: doubtWords[trouble], digest: head.digest, cut: true } };
  }

  // What is sealed for it

  /** @param {string} text @param {string} to The command's id, or the approval. @returns {Promise<string>} */
  async sealed(text, to) {
    if (!this.hasKey || !this.#sealing) throw new CommandError({ code: "notSigned", message: `${this.hostName} has not given its key to this browser` });
    const sealed = await this.#sealing.sealWords(text, to, newestEpochIn(this.#hosts.pin(this.host)));
    if (sealed.length > promptBytesMax) throw new CommandError({ code: "tooLong", message: "sealed it is longer than the relay takes: put it into a file, and name that" });
    return sealed;
  }

  /** @param {string} name A command, or a project. @returns {string} */
  aliasOf(name) {
    const alias = this.#aliases.get(name);
    if (alias === undefined) throw new CommandError({ code: "notSigned", message: `${this.hostName} does not offer ${name}` });
    return alias;
  }
}

/** @param {{name?: unknown}} one */
const nameIn = ({ name }) => name;

/** @param {unknown} names @param {unknown} aliases @returns {[string, string][]} */
const pairsOf = (names, aliases) => (Array.isArray(names) && Array.isArray(aliases) && names.length === aliases.length ? names.map((name, at) => [String(name), String(aliases[at])]) : []);
