/**
 * Opens sealed messages of hosts in the order of their arrival, and seals commands to such hosts.
 *
 * The page shows only content that opened; the relay's own fields serve lists. Content that does not open, is repeated, late or missing is reported to the person.
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
 * @property {() => number} now The time in milliseconds.
 * @property {(session: string) => Summary|undefined} summary The known summary of a session.
 * @property {(session: string) => void} again Requests a session's log again.
 */

/** Time after a new key for which content sealed with the previous key is still accepted, because it may be on its way. */
const settledMs = 30_000;
/** Maximum number of new keys of a host that are pending within that time; the time of a further one starts when there is room. */
const settlingMax = 64;

/** The name prefix of sessions that represent their hosts. */
const deskPrefix = "heliograph-";

/** Maximum number of relay ids that are remembered for a host: more than one person's relays give it. */
const relayedMax = 16;

/** @param {Summary} summary */
const isMarked = ({ steering, line }) => line !== undefined || steering?.seals === true || steering?.wraps !== undefined || steering?.sealed !== undefined;

export class Opening {
  /** @type {OpeningSurroundings} */ #around;
  /** @type {Map<string, SealedSession>} */ #sessions = new Map();
  /** @type {Map<string, string>} Hosts' key ids by the relay's host id: for sessions without an offer this is the only link to a key. */ #hosts = new Map();
  /** @type {Map<string, {wraps: unknown, relayed: string, since?: number}>} Offered wraps by host, with the host's relay id and the time of the pin that opened them. */ #offered = new Map();
  /** @type {Map<string, {settled: number, next: {epoch: number, at: number}[]}>} For each host, the newest key that was known for `settledMs`, and the newer ones. */ #epochs = new Map();
  /** @type {Map<string, Summary|Approval>} Summaries and approvals that could not be opened without a key. */ #closed = new Map();
  /** @type {Map<string, number>} The highest epoch seen in any content of a host. */ #highest = new Map();
  /** A session turned out to belong to another host than was known. */ #isRebound = false;

  /** @param {OpeningSurroundings} around */
  constructor(around) {
    this.#around = around;
  }

  /**
   * True if the message may need opening, or affects sealed messages.
   * @param {any} message
   */
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

  /**
   * True if the session's host seals, by its offer or its pin, whatever the relay leaves out.
   * @param {Summary} summary
   */
  #seals(summary) {
    return isMarked(summary) || this.#sealingHost(summary) !== undefined;
  }

  /**
   * The key id of the session's host, if it is pinned and has sealed.
   * @param {Summary} summary @returns {string|undefined}
   */
  #sealingHost({ host, steering }) {
    for (const { id, epochs, relayed } of this.#around.trust.hosts.values()) if (epochs?.size && (steering?.consent === id || relayed?.includes(host.id))) return id;
    return undefined;
  }

  /**
   * True if the approval is sealed or has to be, because its session was, or because it names a host that seals.
   * @param {Approval} approval
   */
  #isOfSealed({ session, approval, request }) {
    if (this.#sessions.has(session) || sealedIn(request) !== undefined) return true;
    const consent = consentOf(shownEvent(request, session, approval));
    return consent !== undefined && "host" in consent && Boolean(this.#around.trust.hosts.get(consent.host)?.epochs?.size);
  }

  /** True if an offer can be unwrapped that could not when it arrived, because this browser has pinned its host since. */
  get #isStirred() {
    for (const [host, offer] of this.#offered) if (this.#isLearnable(host, offer)) return true;
    return false;
  }

  /** @param {string} host @param {{since?: number}} offer */
  #isLearnable(host, { since }) {
    const pin = this.#around.trust.hosts.get(host);
    return pin !== undefined && pin.since !== since;
  }

  /**
   * Opens messages for the code behind the ingress.
   * @param {any[]} messages @returns {Promise<any[]>}
   */
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
      // The reply carries older events that the page requested.
      case "reply": return [{ ...message, events: await session.events(message.first, message.events) }];
      case "deltas":
      case "output": {
        const text = await session.live(message.text, message.message ?? message.call, type === "deltas" ? "…" : "");
        return text === undefined ? [] : [{ ...message, text }];
      }
      // Removed sessions are not dropped here, because a session may return.
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
    // A host that was forgotten and then trusted again may start with fewer epochs.
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

  /**
   * Called when a session's log is requested from the position that is loaded here.
   * @param {string} session
   */
  followed(session) {
    this.#sessions.get(session)?.followed();
  }

  /**
   * Unwraps the keys that hosts offer this device.
   * @param {Summary[]} summaries @returns {Promise<Set<string>>} The hosts with a new key.
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
      // The pin may have been removed or replaced while the keys were unwrapped.
      const held = trust.hosts.get(host);
      if (held?.since !== pin.since) continue;
      const { relayed = [] } = held;
      if (!(epochs ?? held.epochs) || (!epochs && relayed.includes(offer.relayed))) continue;
      const part = { id: host, ...(epochs ? { epochs } : {}), relayed: [...new Set([...relayed, offer.relayed])].slice(-relayedMax) };
      trust.hosts.set(host, { ...held, ...part });
      // If the browser cannot store the keys, they are unwrapped again on the next visit.
      trust.keep(part).catch(() => undefined);
      if (!epochs) continue;
      this.#settledOf(host);
      found.add(host);
    }
    return found;
  }

  /**
   * Opens content that waited for a key.
   * @param {Set<string>} hosts Hosts with a new key.
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

  /**
   * The sealed session of that name; undefined if commands to it are sent in the open. A session that was sealed once stays so.
   * @param {string} name @returns {SealedSession|undefined}
   */
  #sealedFor(name) {
    const held = this.#sessions.get(name);
    const summary = held ? undefined : this.#around.summary(name);
    if (summary && this.#seals(summary)) throw refused(t`${summary.host.name} seals what is said, and this session has not come like that`);
    return held;
  }

  /**
   * @template {import("./wire").Command} C
   * @param {C} command @param {string} id The command's id. @returns {Promise<C>} The command, sealed if its host requires that.
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

  /**
   * Seals a picture for a session, if its host seals. The result is what the relay stores.
   * @param {string} name @param {Uint8Array} bytes @returns {Promise<Uint8Array>}
   */
  async picture(name, bytes) {
    return this.#sealedFor(name)?.picture(bytes) ?? bytes;
  }

  /**
   * Opens a picture of a session's prompts. A picture of a session's start was sealed for the session that represents its host.
   * @param {string} name @param {string} digest @param {Uint8Array} bytes The stored bytes. @returns {Promise<Uint8Array>}
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
   * Opens a terminal screen. `id` is the id of the command that requested it.
   * @param {string} name @param {string} id @param {import("./wire").Screen} screen
   * @returns {Promise<import("./wire").Screen>}
   */
  async screen(name, id, screen) {
    return this.#sealedFor(name)?.screen(screen.sealed, id) ?? screen;
  }

  /**
   * Seals a verdict, if the approval's host requires that.
   * @param {Pick<Approval, "session"|"approval"|"request">} asked @param {Verdict} verdict @returns {Promise<Verdict>}
   */
  async verdict({ session: name, approval, request }, verdict) {
    const session = sealedIn(asSent(request)) === undefined ? this.#sealedFor(name) : this.#of(name);
    if (!session) return verdict;
    if (verdict.decision === "deny" && verdict.message !== undefined) return { ...verdict, message: await session.sealed(verdict.message, approval) };
    if (verdict.decision === "edit") return { ...verdict, edit: await session.sealed(verdict.edit, approval) };
    if (verdict.decision !== "answer") return verdict;
    return { ...verdict, answers: await Promise.all(verdict.answers.map(async ({ text, ...answer }) => ({
      // The relay sees a sealed choice only by its position, from 1.
      ...answer, ...(answer.indexes ? { choices: answer.indexes.map((place) => String(place + 1)) } : {}), ...(text === undefined ? {} : { text: await session.sealed(text, approval) }),
    }))) };
  }
}

/** The media type under which the relay stores a sealed picture. */
const sealedPicture = "application/x-heliograph-sealed";

/** The relay's limit for a rule's text, in bytes. */
const ruleBytesMax = 4096;

/** @param {Uint8Array} bytes */
const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
