/** One session of a host that seals: opens its content, reports faults, and seals commands for it. */

import { bytesOfBase64url, isKeyID } from "./consent.js";
import { newestEpochIn } from "./epochs.js";
import { notice, openedFrom } from "./ingress.js";
import { t } from "./language.js";
import { Ledger } from "./ledger.js";
import { CommandError } from "./link.js";
import { isSealedText, SealingError, SessionSealing } from "./sealing.js";
import {
  behindWords, doubtWords, missingWords, noKeyWords, notSealedText, openedUpWords, ownReasons, sealedTitle, sealedTool, skippedWords, unopenedText,
} from "./sealing-words.js";
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
 * @property {(host: string) => number} settled The newest epoch whose key has been known for so long that no content of older ones is on its way; 0 if there is none.
 * @property {() => number} now
 * @property {(since: number) => boolean} isSettled True if all content on its way at that time has arrived.
 * @property {(host: string, epoch: number) => void} saw Reports the epoch of opened content.
 * @property {(host: string) => number} highest The highest epoch seen in the host's content.
 */

/** @param {Event} event @returns {unknown} */
export const sealedIn = ({ kind, head, body }) => body?.sealed ?? (kind === "steering.offered" ? head.sealed : undefined);

/**
 * True for events that the relay itself writes and that are therefore never sealed.
 * @param {Event} event
 */
const isOfRelay = ({ kind, head }) =>
  ["approval.decided", "approval.expired", "budget.crossed", "steering.requested", "truncated"].includes(kind)
  || (kind === "approval.stale" && ["tooMany", "sessionEnded"].includes(head.reason)) || (kind === "steering.changed" && head.stage === "refused" && head.reason === "its host had just gone");

/** Messages and tool calls in progress whose received bytes are counted. */
const placesMax = 256;
/** The fields of a summary that are read from its sealed line. */
const ofLine = ["title", "project", "cwd", "folder", "branch"];

/** @param {unknown} error @returns {Trouble} */
const troubleOf = (error) => {
  if (error instanceof SealingError) return error.code;
  throw error;
};

export class SealedSession {
  /** The host's key id; empty while unknown. */
  host = "";
  /** An event of the log could not be opened without a key. */
  isClosed = false;
  /** The summary, or the last opened approval, could not be opened without a key. */
  isShut = false;

  /** @type {string} */ #session;
  /** @type {Hosts} */ #hosts;
  #relayedName = t`its host`;
  /** @type {SessionSealing|undefined} */ #sealing;
  #hasOpened = false;
  /** Content of this session arrived sealed; until then unsealed content may be from before its host sealed, and is shown with a mark. */ #isSealed = false;
  /** @type {Map<string, any[]>} Questions by approval. */ #questions = new Map();
  /** @type {Map<string, string>} Names by their alias in commands. */ #aliases = new Map();
  #ledger = new Ledger();
  /** The relay's log epoch that the ledger belongs to. */ #numbering = "";
  /** The last delivered event's `seq`, and the time since which the log has been followed without a gap. */ #heard = 0;
  #followedAt = 0;
  /** The number of events from before the host sealed, according to the host. */ #plainMax = 0;
  /** @type {Map<string, {number: number, epoch: number}>} The highest event number and epoch by host, which survive a new numbering of the relay. */ #highest = new Map();
  /** From this epoch on content has to be sealed with it or a newer one, except for events up to `oldUntil`. */ #since = { epoch: 0, oldUntil: 0 };
  /** @type {Trouble|undefined} The trouble with the last event. */ #lastTrouble;
  /** @type {{text: string, number: number, line: Record<string, string>}|undefined} */ #line;
  /** @type {{text: string, number: number, head: import("./wire").Fields}|undefined} */ #offer;
  /** @type {Set<string>} Approvals whose request was accepted. */ #asked = new Set();
  /** @type {Map<string, number>} Received bytes of each message or output in progress. */ #places = new Map();
  /** The relay claims that the host no longer seals. */ #isOpenedUp = false;

  /** @param {string} session @param {Hosts} hosts */
  constructor(session, hosts) {
    [this.#session, this.#hosts] = [session, hosts];
  }

  /**
   * Binds the session to a host. After content opened with a host's key, the session stays that host's as long as it is trusted.
   * @param {string} host The host's key id.
   */
  isOf(host) {
    if (this.host === host || !isKeyID(host) || (this.#hasOpened && this.#pin)) return;
    this.host = host;
    [this.#ledger, this.#since, this.#line, this.#offer, this.#plainMax] = [new Ledger(), { epoch: 0, oldUntil: 0 }, undefined, undefined, 0];
    this.#sealing = new SessionSealing(host, this.#session, (epoch) => this.#hosts.pin(host)?.epochs?.get(epoch));
  }

  get #pin() {
    return this.#hosts.pin(this.host);
  }

  /** The host's name at the time when it was trusted. */
  get #hostName() {
    return this.#pin?.name ?? this.#relayedName;
  }

  /** @returns {SessionSealing} */
  get #opener() {
    if (!this.#sealing || !newestEpochIn(this.#pin)) throw new SealingError("noKey", "host", t`no key of its host is here`);
    return this.#sealing;
  }

  /**
   * @template {{epoch: number}} T
   * @param {Promise<T>} opening @returns {Promise<T>}
   */
  async #opening(opening) {
    try {
      const opened = await opening;
      this.#hasOpened = true;
      this.#hosts.saw(this.host, opened.epoch);
      return opened;
    } catch (error) {
      if (error instanceof SealingError) this.#hosts.saw(this.host, error.epoch);
      throw error;
    }
  }

  /** Called when the log is requested from a known position. */
  followed() {
    this.#followedAt = this.#hosts.now();
  }

  /**
   * @param {number} first @param {Event[]} events
   * @param {{numbering: string, follows: boolean}} [end] For the newest events only: the relay's log epoch, and whether they follow the last known event.
   * @returns {Promise<Event[]>} Equally many events, opened.
   */
  async events(first, events, end) {
    const readings = await Promise.all(events.map((event) => this.#read(event)));
    const epoch = this.#hosts.settled(this.host);
    // If the log has been followed since before a new key came, no event sealed with an older key can still arrive.
    if (end?.follows && this.#since.epoch < epoch && this.#hosts.isSettled(this.#followedAt)) this.#since = { epoch, oldUntil: this.#heard };
    if (end && this.#numbering !== end.numbering) [this.#ledger, this.#numbering, this.#heard] = [new Ledger(), end.numbering, 0];
    const last = first + events.length - 1;
    const found = readings.flatMap((reading, at) => {
      const entry = this.#entryOf(reading, first + at, events[at]);
      return entry ? [entry] : [];
    });
    const { doubts, missing, missingAfter } = this.#ledger.take(first, last, found, this.#plainMax);
    if (end) this.#heard = Math.max(this.#heard, last);
    let before = end?.follows ? this.#lastTrouble : undefined;
    // The last event number that was read, and the number of events after it without one.
    let [number, wrongs] = [0, 0];
    const opened = await Promise.all(readings.map(async (reading, at) => {
      const seq = first + at;
      const wrong = reading.trouble ?? doubts.get(seq);
      const isAgain = wrong !== undefined && wrong === before;
      before = wrong;
      this.isClosed ||= wrong === "noKey";
      if (wrong) wrongs += 1;
      else if (reading.number) [number, wrongs] = [this.#count(reading.number, reading.epoch ?? 0), 0];
      const isBare = wrong === "unsealed" && !this.#isSealed;
      if (isBare && !isAgain) notice(reading.event, { before: doubtWords.unsealed });
      if (isBare) return reading.event;
      const shown = wrong ? said(reading.event, isAgain ? "" : this.#wordsFor(wrong)) : reading.number ? reading.event : await this.#withWords(reading.event, seq);
      const count = wrong ? 0 : missing.get(seq) ?? 0;
      // The host reports its own losses by an event, so they are no fault of the relay.
      if (count && !(reading.event.kind === "truncated" && count <= (reading.event.head.count ?? Infinity))) notice(shown, { before: missingWords(count) });
      return shown === events[at] ? shown : openedFrom(shown, events[at]);
    }));
    if (end) this.#lastTrouble = before;
    const newest = opened.at(-1);
    // A log that is sent again must reach at least its former end.
    const lost = end && !end.follows && number ? (this.#highest.get(this.host)?.number ?? 0) - number - wrongs : missingAfter;
    if (lost > 0 && newest) notice(newest, { after: missingWords(lost) });
    return opened;
  }

  /** @param {number} number @param {number} epoch */
  #count(number, epoch) {
    const held = this.#highest.get(this.host) ?? { number: 0, epoch: 0 };
    this.#highest.set(this.host, { number: Math.max(held.number, number), epoch: Math.max(held.epoch, epoch) });
    return number;
  }

  /** @param {Trouble} trouble */
  #wordsFor(trouble) {
    return trouble === "noKey" ? noKeyWords(this.#hostName, this.#pin !== undefined) : doubtWords[trouble];
  }

  /** @param {Event} event @returns {Promise<Reading>} */
  async #read(event) {
    const sealed = sealedIn(event);
    if (sealed === undefined) return { event };
    this.#isSealed = true;
    try {
      return await this.#opening(this.#opener.openEvent(sealed, event.kind));
    } catch (error) {
      return { event, trouble: troubleOf(error) };
    }
  }

  /** @param {Reading} reading @param {number} seq @param {Event} sent @returns {import("./ledger.js").Numbered|import("./ledger.js").Counted|import("./ledger.js").Skipped|import("./ledger.js").Plain|undefined} */
  #entryOf(reading, seq, sent) {
    const { number, epoch, trouble } = reading;
    if (number !== undefined && epoch !== undefined) {
      if (epoch >= this.#since.epoch || seq <= this.#since.oldUntil) return { seq, number, epoch };
      reading.trouble = "oldKey";
      return undefined;
    }
    if (trouble) return { seq, counts: 1 };
    if (!isOfRelay(sent)) return { seq, isPlain: true };
    const { count } = sent.head;
    return sent.kind === "truncated" && count > 0 ? { seq, skips: count } : undefined;
  }

  /**
   * Opens a person's words in an event that the relay wrote. `seq` is the event's number.
   * @param {Event} event @param {number} seq
   */
  async #withWords(event, seq) {
    const { kind, head, body } = event;
    const mayBePlain = !this.#isSealed || (this.#plainMax > 0 && !this.#ledger.isBehindSealed(seq));
    if (kind === "truncated" && !mayBePlain && body === undefined && head.count > 0) return said(event, skippedWords(head.count));
    if (kind === "steering.requested") return this.#command(event, mayBePlain);
    if (kind === "approval.decided" && head.decision) return { ...event, head: { ...head, decision: await this.#decision(head.decision, String(head.approval), mayBePlain) } };
    return event;
  }

  /**
   * Opens the sealed fields of a command. `mayBePlain`: it may be from before its host sealed.
   * @param {Event} event @param {boolean} mayBePlain @returns {Promise<Event>}
   */
  async #command(event, mayBePlain) {
    const { head, body } = event;
    const opened = async (/** @type {Record<string, unknown>|undefined} */ fields, /** @type {string[]} */ names) => Object.fromEntries(await Promise.all(
      names.filter((name) => fields?.[name]).map(async (name) => [name, await this.#opened(String(fields?.[name]), String(head.command), mayBePlain)])));
    const [words, text] = [await opened(head, ["rule", "toml"]), await opened(body, ["text"])];
    return { ...event, head: { ...head, ...words }, ...(body ? { body: { ...body, ...text } } : {}) };
  }

  /**
   * @param {Decision} decision @param {string} approval @param {boolean} mayBePlain The decision may be from before its host sealed.
   * @returns {Promise<Decision>} The decision with the labels that the person saw.
   */
  async #decision(decision, approval, mayBePlain) {
    const text = (/** @type {string} */ words) => this.#opened(words, approval, mayBePlain);
    if (decision.decision === "deny" && decision.message !== undefined) return { ...decision, message: await text(decision.message) };
    if (decision.decision === "edit") return { ...decision, edit: await text(decision.edit) };
    if (decision.decision !== "answer") return decision;
    const questions = this.#questions.get(approval) ?? [];
    return { ...decision, answers: await Promise.all(decision.answers.map(async (answer) => {
      const choices = questions.find(({ id }) => id === answer.question)?.choices;
      const labels = answer.indexes && choices ? answer.indexes.map((place) => String(choices[place]?.label ?? place + 1)) : answer.choices;
      return { ...answer, choices: labels, ...(answer.text === undefined ? {} : { text: await text(answer.text) }) };
    })) };
  }

  /** @param {string} text @param {string} to The id of the command or approval. @param {boolean} mayBePlain @returns {Promise<string>} */
  async #opened(text, to, mayBePlain) {
    // A command of the agent is sent as an alias of its name, followed by its arguments.
    const [, alias, rest] = /^(~[\w-]+)(?: (.*))?$/s.exec(text) ?? [];
    if (alias) return [this.#aliases.get(alias) ?? alias, ...(rest ? [await this.#opened(rest, to, mayBePlain)] : [])].join(" ");
    if (!isSealedText(text)) return mayBePlain ? text : notSealedText;
    try {
      return (await this.#opening(this.#opener.openWords(text, to))).text;
    } catch (error) {
      troubleOf(error);
      return unopenedText;
    }
  }

  /**
   * Opens a piece of a message or output in progress, which is shown until its event arrives.
   * @param {string} text @param {string} of The id of the message or tool call. @param {string} hole The text shown for missing pieces.
   * @returns {Promise<string|undefined>} Undefined if it cannot be opened, or has already been received.
   */
  async live(text, of, hole) {
    try {
      const piece = await this.#opening(this.#opener.openLive(text, of));
      const place = this.#places.get(of) ?? 0;
      if (piece.place < place || piece.epoch < this.#hosts.highest(this.host)) return undefined;
      this.#places.delete(of);
      this.#places.set(of, piece.place + piece.size);
      if (this.#places.size > placesMax) this.#places.delete(String(this.#places.keys().next().value));
      return piece.place > place ? hole + piece.text : piece.text;
    } catch (error) {
      troubleOf(error);
      return undefined;
    }
  }

  /** @param {Summary} sent @returns {Promise<Summary>} */
  async summary(sent) {
    this.#relayedName = sent.host.name;
    const { operation, file, todo, error, statusReason, steering, line: _, host, ...rest } = sent;
    this.#isSealed ||= sent.line !== undefined || steering?.seals === true || steering?.sealed !== undefined;
    const trouble = await this.#takeLine(sent);
    const isOfferShut = await this.#takeOffer(steering);
    this.isShut = trouble === "noKey" || isOfferShut;
    this.#isOpenedUp = steering !== undefined && !steering.seals && !steering.sealed;
    const closed = this.#isSealed ? { title: sealedTitle } : { ...sent, operation: undefined };
    const line = /** @type {Record<string, string|undefined>} */ (this.#line?.line ?? closed);
    const saying = !this.#isSealed ? doubtWords.unsealed : trouble && trouble !== "noKey" ? doubtWords[trouble] : operation && (operation === "A sealed request" && line.asks || line.operation);
    const reason = ownReasons.has(statusReason ?? "") ? statusReason : line.reason;
    const opened = {
      ...rest, ...Object.fromEntries(ofLine.map((name) => [name, line[name]])), host: { ...host, name: this.#hostName },
      ...(saying ? { operation: saying } : {}), ...(file && line.file ? { file: line.file } : {}), ...(error && line.error ? { error: line.error } : {}),
      ...(todo ? { todo: { ...todo, current: todo.current && line.current } } : {}), ...(reason ? { statusReason: reason } : {}),
      ...(steering ? { steering: this.#steering(steering) } : {}),
    };
    return openedFrom(opened, sent);
  }

  /** @param {Summary} sent @returns {Promise<Trouble|undefined>} */
  async #takeLine({ line: text }) {
    if (text === undefined || text === this.#line?.text) return undefined;
    try {
      const { number, epoch, line, from } = await this.#opening(this.#opener.openLine(text));
      if (this.#line && epoch < this.#hosts.settled(this.host)) return "oldKey";
      // A line with a lower number is outdated.
      if (!this.#line || number >= this.#line.number) [this.#line, this.#plainMax] = [{ text, number, line }, from === undefined ? 0 : from - 1];
      return undefined;
    } catch (error) {
      return troubleOf(error);
    }
  }

  /**
   * Reads the sealed part of an offer. Resolves to true if its key is missing.
   * @param {import("./wire").SteeringOffer|undefined} sent @returns {Promise<boolean>}
   */
  async #takeOffer(sent) {
    const text = sent?.sealed;
    if (text === undefined || text === this.#offer?.text) return false;
    try {
      const { number, epoch, event: { head } } = await this.#opening(this.#opener.openEvent(text, "steering.offered"));
      if (this.#offer && number < this.#offer.number) return false;
      this.#offer = { text, number, head };
      for (const name of this.#named) for (const one of new Set([epoch, newestEpochIn(this.#pin)])) this.#aliases.set(await this.#opener.alias(name, one), name);
      return false;
    } catch (error) {
      return troubleOf(error) === "noKey";
    }
  }

  /**
   * The names in the host's offer that commands refer to.
   * @returns {string[]}
   */
  get #named() {
    const { commands, projects } = this.#offer?.head ?? {};
    return [...(Array.isArray(commands) ? commands : []), ...(Array.isArray(projects) ? projects.map((one) => one?.name) : [])].map(String);
  }

  /** @param {import("./wire").SteeringOffer} sent @returns {import("./wire").SteeringOffer} */
  #steering({ sealed: _, wraps: __, ...rest }) {
    const own = { consent: this.host || rest.consent, seals: true };
    if (this.#offer) return { .../** @type {import("./wire").SteeringOffer} */ (this.#offer.head), ...own };
    // Aliases are never shown, and actions that cannot be sealed are not offered.
    const actions = rest.actions.filter((action) => !action.startsWith("rule"));
    const agents = rest.agents?.map(({ name, title, modes, models }) => ({ name, title, modes, models }));
    return { ...rest, ...own, actions, agents, commands: undefined, projects: rest.projects && [], pictures: undefined, screen: undefined, rules: undefined };
  }

  /**
   * Opens an approval. `isLive`: it arrived as a live message.
   * @param {import("./wire").Approval} sent @param {boolean} isLive @returns {Promise<import("./wire").Approval>}
   */
  async approval(sent, isLive) {
    const opened = { ...sent, request: await this.#request(sent, isLive) };
    const { questions } = shownApproval(opened).request.body ?? {};
    if (Array.isArray(questions)) this.#questions.set(sent.approval, questions);
    const decided = sent.decision && { decision: await this.#decision(sent.decision, sent.approval, false) };
    return openedFrom(/** @type {import("./wire").Approval} */ ({ ...opened, ...decided }), sent);
  }

  /**
   * Opens an approval's request. A request that is not the host's becomes incomplete: it can be denied only.
   * @param {import("./wire").Approval} sent @param {boolean} isLive @returns {Promise<Event>}
   */
  async #request({ approval, request, stage }, isLive) {
    /** @type {Trouble} */ let trouble = "unsealed";
    const sealed = sealedIn(request);
    if (sealed !== undefined) {
      try {
        const { epoch, event } = await this.#opening(this.#opener.openEvent(sealed, request.kind));
        const isOld = isLive && epoch < this.#hosts.settled(this.host) && stage === "pending" && !this.#asked.has(approval);
        if (event.head.approval === approval && !isOld) {
          this.#asked.add(approval);
          this.isShut = false;
          return event;
        }
        trouble = isOld ? "oldKey" : "cannotOpen";
      } catch (error) {
        trouble = troubleOf(error);
      }
    }
    this.isShut = trouble === "noKey";
    const { kind, at, head } = request;
    if (trouble === "noKey") return { kind, at, head: { ...head, tool: sealedTool } };
    return { kind, at, head: { approval, kind: head.kind, tool: "", title: doubtWords[trouble], digest: head.digest, cut: true } };
  }

  /** @returns {{sealing: SessionSealing, epoch: number}} */
  get #newest() {
    const epoch = newestEpochIn(this.#pin);
    if (!epoch || !this.#sealing) throw refused(t`${this.#hostName} has not given its key to this browser`);
    if (epoch < this.#hosts.highest(this.host)) throw refused(behindWords(this.#hostName));
    if (this.#isOpenedUp) throw refused(openedUpWords(this.#hostName));
    return { sealing: this.#sealing, epoch };
  }

  /**
   * @param {string} text @param {string} to The id of the command or approval. @param {number} [max] The relay's limit in bytes. @returns
   * {Promise<string>}
   */
  async sealed(text, to, max = promptBytesMax) {
    const { sealing, epoch } = this.#newest;
    const sealed = await sealing.sealWords(text, to, epoch);
    if (sealed.length > max) throw new CommandError({ code: "tooLong", message: t`sealed it is longer than the relay takes: put it into a file, and name that` });
    return sealed;
  }

  /** @param {string} keys Typed bytes in base64url. @param {string} to The command's id. */
  keys(keys, to) {
    const { sealing, epoch } = this.#newest;
    return sealing.sealKeys(bytesOfBase64url(keys, "keys"), to, epoch);
  }

  /** @param {Uint8Array} picture */
  picture(picture) {
    const { sealing, epoch } = this.#newest;
    return sealing.sealPicture(picture, epoch);
  }

  /** @param {Uint8Array} sealed */
  async openedPicture(sealed) {
    return (await this.#opening(this.#opener.openPicture(sealed))).bytes;
  }

  /** @param {unknown} text The sealed screen. @param {string} to The command's id. */
  async screen(text, to) {
    const { epoch, screen } = await this.#opening(this.#opener.openScreen(text, to));
    if (epoch < this.#hosts.highest(this.host)) throw refused(doubtWords.oldKey);
    return screen;
  }

  /**
   * The alias of a command's or project's name.
   * @param {string} name @returns {Promise<string>}
   */
  async alias(name) {
    if (!this.#named.includes(name)) throw refused(t`${this.#hostName} does not offer ${name}`);
    const { sealing, epoch } = this.#newest;
    return sealing.alias(name, epoch);
  }
}

/** @param {string} message */
export const refused = (message) => new CommandError({ code: "notSigned", message });

/**
 * A placeholder with the given words in place of an event.
 * @param {Event} event @param {string} words @returns {Event}
 */
const said = ({ at }, words) => ({ kind: "sealing", at, head: words ? { words } : {} });
