/**
 * Opens what hosts that seal have sent for this device, message by message in the order in which they came, and seals what is sent to such hosts.
 *
 * What opens is all that is shown of it: what the relay says beside is for lists. What does not open, or comes twice, too late or not at all, is said.
 */

import { sha256 } from "./consent.js";
import { learned, newestEpochIn } from "./epochs.js";
import { asSent } from "./ingress.js";
import { t } from "./language.js";
import { refused, SealedSession, sealedIn } from "./sealed-session.js";
import { doubtWords } from "./sealing-words.js";
import { consentOf, shownEvent } from "./shown.js";

/** @typedef {import("./wire").Message} Message */
/** @typedef {import("./wire").Summary} Summary */
/** @typedef {import("./wire").Approval} Approval */
/** @typedef {import("./wire").Event} Event */
/** @typedef {import("./decisions.js").Verdict} Verdict */

/**
 * @typedef {object} OpeningSurroundings
 * @property {Pick<import("./trust.js").Trust, "hosts"|"ready"|"keep">} trust
 * @property {() => Promise<import("./keys.js").OwnKeys|undefined>} own
 * @property {() => number} now Milliseconds.
 * @property {(session: string) => Summary|undefined} summary What is known of a session.
 * @property {(session: string) => void} again Asks for a session's log again.
 */

/** After a new key has come, what was sealed before is still under way for a while. */
const settledMs = 30_000;
/** New keys of one host within that time. One beyond these counts from when there is room. */
const settlingMax = 64;

/** Of sessions that represent their hosts. */
const deskPrefix = "heliograph-";

/** Ids that a relay has called a host by: more than one person has of them. */
const relayedMax = 16;

/** @param {Summary} summary */
const isMarked = ({ steering, line }) => line !== undefined || steering?.seals === true || steering?.wraps !== undefined || steering?.sealed !== undefined;

export class Opening {
  /** @type {OpeningSurroundings} */ #around;
  /** @type {Map<string, SealedSession>} */ #sessions = new Map();
  /** @type {Map<string, string>} Ids of keys by what the relay calls their hosts: a session without an offer has no other. */ #hosts = new Map();
  /** @type {Map<string, {wraps: unknown, relayed: string, since?: number}>} What hosts offer, what the relay calls them, and since when the pin is that it was opened with. */ #offered = new Map();
  /** @type {Map<string, {settled: number, next: {epoch: number, at: number}[]}>} By host: its newest key that has been here for `settledMs`, and those that follow. */ #epochs = new Map();
  /** @type {Map<string, Summary|Approval>} What did not open for want of a key. */ #closed = new Map();
  /** @type {Map<string, number>} The highest epoch in anything of a host. */ #highest = new Map();
  /** A session is known to be another host's than before. */ #isRebound = false;

  /** @param {OpeningSurroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /** @param {any} message Whether something of it, or before it, may be sealed for this browser. */
  concerns(message) {
    return this.#isStirred || this.#isSealed(message);
  }

  /** @param {any} message */
  #isSealed(message) {
    switch (message.type) {
      case "snapshot":
        if (message.session === undefined) return message.sessions.some((/** @type {Summary} */ one) => this.#seals(one)) || message.approvals.some((/** @type {Approval} */ one) => this.#isOfSealed(one));
        return this.#sessions.has(message.session) || this.#seals(message.summary) || message.events.some((/** @type {Event} */ one) => sealedIn(one) !== undefined);
      case "summary": return this.#sessions.has(message.summary.session) || this.#seals(message.summary);
      case "approval": return this.#isOfSealed(message.approval);
      default: return this.#sessions.has(message.session) || message.events?.some((/** @type {Event} */ one) => sealedIn(one) !== undefined) === true;
    }
  }

  /** @param {Summary} summary Whether its host seals, by what stands there or as its pin remembers: whatever the relay leaves out. */
  #seals(summary) {
    return isMarked(summary) || this.#sealingHost(summary) !== undefined;
  }

  /** @param {Summary} summary @returns {string|undefined} The id of its host's key, if that is pinned and has sealed. */
  #sealingHost({ host, steering }) {
    for (const { id, epochs, relayed } of this.#around.trust.hosts.values()) if (epochs?.size && (steering?.consent === id || relayed?.includes(host.id))) return id;
    return undefined;
  }

  /** @param {Approval} approval Whether it is sealed, or has to be: its session was, or it names a host that seals, in whatever session. */
  #isOfSealed({ session, approval, request }) {
    if (this.#sessions.has(session) || sealedIn(request) !== undefined) return true;
    const consent = consentOf(shownEvent(request, session, approval));
    return consent !== undefined && "host" in consent && Boolean(this.#around.trust.hosts.get(consent.host)?.epochs?.size);
  }

  /** A host offered keys before this browser had pinned it, or pinned it anew: whoever trusts it says more right after. */
  get #isStirred() {
    for (const [host, offer] of this.#offered) if (this.#isLearnable(host, offer)) return true;
    return false;
  }

  /** @param {string} host @param {{since?: number}} offer */
  #isLearnable(host, { since }) {
    const pin = this.#around.trust.hosts.get(host);
    return pin !== undefined && pin.since !== since;
  }

  /** @param {any[]} messages @returns {Promise<any[]>} What they say, for all that is behind this. */
  async open(messages) {
    await this.#around.trust.ready;
    const opened = [];
    for (const message of messages) {
      if (this.#isStirred) opened.push(...await this.#reopened(await this.#learn([])));
      opened.push(...(this.#isSealed(message) ? await this.#open(message) : [message]));
    }
    return opened;
  }

  /** @param {any} message */
  async #open(message) {
    const { type } = message;
    if (type === "snapshot" && message.session === undefined) {
      const isNew = await this.#learn(message.sessions);
      const sessions = await Promise.all(message.sessions.map((/** @type {Summary} */ one) => this.#summary(one)));
      const approvals = await Promise.all(message.approvals.map((/** @type {Approval} */ one) => this.#approval(one, false)));
      return [{ ...message, sessions, approvals }, ...await this.#reopened(isNew)];
    }
    if (type === "summary") {
      const isNew = await this.#learn([message.summary]);
      return [{ type, summary: await this.#summary(message.summary) }, ...await this.#reopened(isNew)];
    }
    if (type === "approval") return [{ type, approval: await this.#approval(message.approval, true) }];
    if (type === "snapshot") return [await this.#snapshot(message)];
    const session = this.#of(message.session);
    switch (type) {
      case "events": return [{ ...message, events: await session.events(message.first, message.events, { numbering: message.epoch, follows: true }) }];
      // Older events that were asked for.
      case "reply": return [{ ...message, events: await session.events(message.first, message.events) }];
      case "deltas":
      case "output": {
        const text = await session.live(message.text, message.message ?? message.call, type === "deltas" ? "…" : "");
        return text === undefined ? [] : [{ ...message, text }];
      }
      // One that was removed, too, is remembered: it may come back.
      default: return [message];
    }
  }

  /** @param {import("./wire").SessionSnapshot} message */
  async #snapshot(message) {
    await this.#learn([message.summary]);
    const summary = await this.#summary(message.summary);
    const session = this.#of(message.session);
    session.isClosed = false;
    const approvals = await Promise.all(message.approvals.map((one) => this.#approval(one, false)));
    return { ...message, summary, approvals, events: await session.events(message.first, message.events, { numbering: message.epoch, follows: false }) };
  }

  // Whose it is

  /** @param {string} name */
  #of(name) {
    const held = this.#sessions.get(name);
    if (held) return held;
    const { trust, now } = this.#around;
    const made = new SealedSession(name, {
      pin: (host) => trust.hosts.get(host), now,
      isSettled: (since) => this.#isSettled(since),
      settled: (host) => this.#settledOf(host),
      saw: (host, epoch) => this.#saw(host, epoch),
      highest: (host) => this.#highest.get(host) ?? 0,
    });
    this.#sessions.set(name, made);
    return made;
  }

  /** @param {number} since */
  #isSettled(since) { return this.#around.now() - since > settledMs; }

  /** @param {string} host */
  #settledOf(host) {
    const epoch = newestEpochIn(this.#around.trust.hosts.get(host));
    let held = this.#epochs.get(host);
    const last = held?.next.at(-1)?.epoch ?? held?.settled ?? 0;
    // A host that was forgotten, and trusts this browser anew, may have fewer.
    if (!held || epoch < last) this.#epochs.set(host, (held = { settled: 0, next: [{ epoch, at: this.#around.now() }] }));
    else if (epoch > last && held.next.length < settlingMax) held.next.push({ epoch, at: this.#around.now() });
    for (let [first] = held.next; first && this.#isSettled(first.at); [first] = held.next) {
      held.settled = first.epoch;
      held.next.shift();
    }
    return held.settled;
  }

  /** @param {string} host @param {number} epoch */
  #saw(host, epoch) {
    if (epoch > (this.#highest.get(host) ?? 0)) this.#highest.set(host, epoch);
  }

  /** @param {string} session Its log is asked for from where it is held here. */
  followed(session) {
    this.#sessions.get(session)?.followed();
  }

  /**
   * Learns the keys that hosts offer for this device.
   * @param {Summary[]} summaries @returns {Promise<Set<string>>} The hosts of which a new key is here.
   */
  async #learn(summaries) {
    for (const { host, steering } of summaries) {
      if (steering?.consent === undefined || !steering.seals) continue;
      this.#hosts.set(host.id, steering.consent);
      if (!Array.isArray(steering.wraps)) continue;
      this.#offered.set(steering.consent, { wraps: steering.wraps, relayed: host.id });
      for (const one of steering.wraps) this.#saw(steering.consent, one?.epoch);
    }
    /** @type {Set<string>} */ const found = new Set();
    const { trust } = this.#around;
    for (const [host, offer] of this.#offered) {
      const pin = trust.hosts.get(host);
      if (!pin || !this.#isLearnable(host, offer)) continue;
      offer.since = pin.since;
      const own = await this.#around.own();
      const epochs = own && await learned(own, pin, offer.wraps).catch(() => undefined);
      // It may be forgotten meanwhile, or trusted anew.
      const held = trust.hosts.get(host);
      if (held?.since !== pin.since) continue;
      const { relayed = [] } = held;
      if (!(epochs ?? held.epochs) || (!epochs && relayed.includes(offer.relayed))) continue;
      const part = { id: host, ...(epochs ? { epochs } : {}), relayed: [...new Set([...relayed, offer.relayed])].slice(-relayedMax) };
      trust.hosts.set(host, { ...held, ...part });
      // A browser that keeps nothing gets them again.
      trust.keep(part).catch(() => undefined);
      if (!epochs) continue;
      this.#settledOf(host);
      found.add(host);
    }
    return found;
  }

  /**
   * Opens content that waited for a key that is here now.
   * @param {Set<string>} hosts Of which one has just come.
   */
  async #reopened(hosts) {
    const opened = [];
    const closed = hosts.size || this.#isRebound ? [...this.#closed] : [];
    this.#isRebound = false;
    for (const [key, sent] of closed) {
      this.#closed.delete(key);
      opened.push("request" in sent ? { type: "approval", approval: await this.#approval(sent, false) } : { type: "summary", summary: await this.#summary(sent) });
    }
    for (const [name, session] of this.#sessions) {
      if (!session.isClosed || !hosts.has(session.host)) continue;
      session.isClosed = false;
      this.#around.again(name);
    }
    return opened;
  }

  // Opening

  /** @param {Summary} sent @returns {Promise<Summary>} */
  async #summary(sent) {
    if (!this.#sessions.has(sent.session) && !this.#seals(sent)) return sent;
    const session = this.#of(sent.session);
    const host = this.#sealingHost(sent) ?? sent.steering?.consent ?? this.#hosts.get(sent.host.id);
    const before = session.host;
    if (host !== undefined) session.isOf(host);
    this.#isRebound ||= session.host !== before;
    const opened = await session.summary(sent);
    this.#keepClosed(sent.session, session, sent);
    return opened;
  }

  /** @param {Approval} sent @param {boolean} isLive @returns {Promise<Approval>} */
  async #approval(sent, isLive) {
    if (!this.#isOfSealed(sent)) return sent;
    const session = this.#of(sent.session);
    const opened = await session.approval(sent, isLive);
    this.#keepClosed(`${sent.session}/${sent.approval}`, session, sent);
    return opened;
  }

  /** @param {string} key @param {SealedSession} session @param {Summary|Approval} sent */
  #keepClosed(key, session, sent) {
    if (session.isShut) this.#closed.set(key, sent);
    else this.#closed.delete(key);
  }

  // Sealing

  /**
   * @param {string} name @returns {SealedSession|undefined} Nothing where what is sent is sent in the open. Once a session was sealed, it is.
   */
  #sealedFor(name) {
    const held = this.#sessions.get(name);
    const summary = held ? undefined : this.#around.summary(name);
    if (summary && this.#seals(summary)) throw refused(t`${summary.host.name} seals what is said, and this session has not come like that`);
    return held;
  }

  /**
   * @template {import("./wire").Command} C
   * @param {C} command @param {string} id Under which it is sent. @returns {Promise<C>} As its host takes it.
   */
  async command(command, id) {
    const { session: name = "", text, project, rule, toml, keys, pictures, command: isCommand } =
      /** @type {{session?: string, text?: string, project?: string, rule?: string, toml?: string, keys?: string, pictures?: {type: string}[], command?: boolean}} */ (command);
    const session = this.#sealedFor(name);
    if (!session) return command;
    if (pictures?.some(({ type }) => type !== sealedPicture)) throw refused(t`its host seals what is said, and this picture would pass the relay in the open`);
    const named = {
      ...(project === undefined ? {} : { project: await session.alias(project) }), ...(rule === undefined ? {} : { rule: await session.sealed(rule, id) }),
      ...(toml ? { toml: await session.sealed(toml, id, ruleBytesMax) } : {}), ...(keys === undefined ? {} : { keys: await session.keys(keys, id) }),
    };
    if (text === undefined) return { ...command, ...named };
    if (!isCommand) return { ...command, ...named, text: await session.sealed(text, id) };
    const [, first, rest] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
    return { ...command, text: [await session.alias(first), ...(rest ? [await session.sealed(rest, id)] : [])].join(" ") };
  }

  /** @param {string} name A session. @param {Uint8Array} bytes A picture. @returns {Promise<Uint8Array>} As the relay keeps it. */
  async picture(name, bytes) {
    return this.#sealedFor(name)?.picture(bytes) ?? bytes;
  }

  /**
   * A picture of a session's prompts, or of the start of one: that was brought for the session of its host.
   * @param {string} name @param {string} digest @param {Uint8Array} bytes As the relay keeps it. @returns {Promise<Uint8Array>}
   */
  async openedPicture(name, digest, bytes) {
    const session = this.#sessions.get(name);
    if (!session) return bytes;
    if (hexOf(await sha256(bytes)) !== digest) throw refused(doubtWords.cannotOpen);
    const desks = [...this.#sessions].filter(([other, { host }]) => other.startsWith(deskPrefix) && host === session.host);
    /** @type {unknown} */ let problem;
    for (const one of [session, ...desks.map(([, desk]) => desk)]) {
      try {
        return await one.openedPicture(bytes);
      } catch (error) {
        problem ??= error;
      }
    }
    throw problem;
  }

  /**
   * @param {string} name A session. @param {string} id Of the command that asked. @param {import("./wire").Screen} screen
   * @returns {Promise<import("./wire").Screen>} As its host has drawn it.
   */
  async screen(name, id, screen) {
    return this.#sealedFor(name)?.screen(screen.sealed, id) ?? screen;
  }

  /**
   * @param {Pick<Approval, "session"|"approval"|"request">} asked @param {Verdict} verdict @returns {Promise<Verdict>} As the relay and the host take it.
   */
  async verdict({ session: name, approval, request }, verdict) {
    const session = sealedIn(asSent(request)) === undefined ? this.#sealedFor(name) : this.#of(name);
    if (!session) return verdict;
    if (verdict.decision === "deny" && verdict.message !== undefined) return { ...verdict, message: await session.sealed(verdict.message, approval) };
    if (verdict.decision !== "answer") return verdict;
    return { ...verdict, answers: await Promise.all(verdict.answers.map(async ({ text, ...answer }) => ({
      // In what the relay reads, a choice is called by its place, from 1.
      ...answer, ...(answer.indexes ? { choices: answer.indexes.map((place) => String(place + 1)) } : {}), ...(text === undefined ? {} : { text: await session.sealed(text, approval) }),
    }))) };
  }
}

/** The relay's name for the type of a picture that it cannot see. */
const sealedPicture = "application/x-heliograph-sealed";

/** Of a rule, as the relay takes it. */
const ruleBytesMax = 4096;

/** @param {Uint8Array} bytes */
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
