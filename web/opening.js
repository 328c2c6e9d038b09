/**
 * Opens what hosts that seal have sent for this device, message by message in the order in which they came, and seals what is sent to such hosts.
 *
 * What opens is all that is shown of it: what the relay says beside is for lists. What does not open, or comes twice, too late or not at all, is said.
 */

import { learned, newestEpochIn } from "./epochs.js";
import { SealedSession, sealedIn } from "./sealed-session.js";

/** @typedef {import("./wire").Message} Message */
/** @typedef {import("./wire").Summary} Summary */
/** @typedef {import("./wire").Approval} Approval */
/** @typedef {import("./wire").Event} Event */
/** @typedef {import("./decisions.js").Verdict} Verdict */

/**
 * @typedef {object} OpeningSurroundings
 * @property {Pick<import("./trust.js").Trust, "hosts"|"ready">} trust
 * @property {(pin: import("./keys.js").Pin) => Promise<unknown>} keep With the keys of what its host seals.
 * @property {() => Promise<import("./keys.js").OwnKeys|undefined>} own
 * @property {() => number} now Milliseconds.
 * @property {(session: string) => void} again Asks for a session's log again.
 */

/** After a new key has come, what was sealed before is still under way for a while. */
const settledMs = 30_000;

/** @param {Summary} summary */
const isSealed = ({ steering, line }) => line !== undefined || steering?.seals === true || steering?.wraps !== undefined || steering?.sealed !== undefined;

export class Opening {
  /** @type {OpeningSurroundings} */ #around;
  /** @type {Map<string, SealedSession>} */ #sessions = new Map();
  /** @type {Map<string, string>} Ids of keys by what the relay calls their hosts: a session without an offer has no other. */ #hosts = new Map();
  /** @type {Map<string, {wraps: unknown, since?: number}>} What hosts offer, and since when the pin is that it was opened with. */ #offered = new Map();
  /** @type {Map<string, {epoch: number, at: number}>} */ #newest = new Map();
  /** @type {Map<string, Summary|Approval>} What did not open for want of a key. */ #closed = new Map();

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
        if (message.session === undefined) return message.sessions.some(isSealed) || message.approvals.some((/** @type {Approval} */ one) => this.#isOfSealed(one));
        return this.#sessions.has(message.session) || isSealed(message.summary) || message.events.some((/** @type {Event} */ one) => sealedIn(one) !== undefined);
      case "summary": return this.#sessions.has(message.summary.session) || isSealed(message.summary);
      case "approval": return this.#isOfSealed(message.approval);
      default: return this.#sessions.has(message.session) || message.events?.some((/** @type {Event} */ one) => sealedIn(one) !== undefined) === true;
    }
  }

  /** @param {Approval} approval */
  #isOfSealed({ session, request }) {
    return this.#sessions.has(session) || sealedIn(request) !== undefined;
  }

  /** A host offered keys before this browser had pinned it, or pinned it anew: whoever trusts it says more right after. */
  get #isStirred() {
    for (const [host, { since }] of this.#offered) if (this.#sinceOf(host) !== since && this.#sinceOf(host) !== undefined) return true;
    return false;
  }

  /** @param {string} host */
  #sinceOf(host) {
    return this.#around.trust.hosts.get(host)?.since;
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
      const approvals = await Promise.all(message.approvals.map((/** @type {Approval} */ one) => this.#approval(one)));
      return [{ ...message, sessions, approvals }, ...await this.#reopened(isNew)];
    }
    if (type === "summary") {
      const isNew = await this.#learn([message.summary]);
      return [{ type, summary: await this.#summary(message.summary) }, ...await this.#reopened(isNew)];
    }
    if (type === "approval") return [{ type, approval: await this.#approval(message.approval) }];
    if (type === "snapshot") return [await this.#snapshot(message)];
    const session = this.#of(message.session, () => message.first + message.events.length - 1);
    switch (type) {
      case "events": return [{ ...message, events: await session.events(message.first, message.events, { numbering: message.epoch, follows: true }) }];
      // Older events that were asked for.
      case "reply": return [{ ...message, events: await session.events(message.first, message.events) }];
      case "deltas":
      case "output": {
        const text = await session.live(message.text, message.message ?? message.call);
        return text === undefined ? [] : [{ ...message, text }];
      }
      case "removed": this.#sessions.delete(message.session);
    }
    return [message];
  }

  /** @param {import("./wire").SessionSnapshot} message */
  async #snapshot(message) {
    await this.#learn([message.summary]);
    const summary = await this.#summary(message.summary);
    const session = this.#of(message.session, () => message.seq);
    session.isClosed = false;
    const approvals = await Promise.all(message.approvals.map((one) => this.#approval(one)));
    return { ...message, summary, approvals, events: await session.events(message.first, message.events, { numbering: message.epoch, follows: false }) };
  }

  // Whose it is

  /** @param {string} name @param {() => number} seq The last event of it that was heard of. */
  #of(name, seq) {
    const held = this.#sessions.get(name);
    if (held) return held;
    const made = new SealedSession(name, seq(), { pin: (host) => this.#around.trust.hosts.get(host), newest: (host) => this.#newestOf(host) });
    this.#sessions.set(name, made);
    return made;
  }

  /** @param {string} host */
  #newestOf(host) {
    const epoch = newestEpochIn(this.#around.trust.hosts.get(host));
    const held = this.#newest.get(host);
    if (held?.epoch !== epoch) this.#newest.set(host, { epoch, at: this.#around.now() });
    return { epoch, isSettled: held?.epoch === epoch && this.#around.now() - held.at > settledMs };
  }

  /**
   * What hosts offer for this device.
   * @param {Summary[]} summaries @returns {Promise<Set<string>>} The hosts of which a new key is here.
   */
  async #learn(summaries) {
    for (const { host, steering } of summaries) {
      if (steering?.consent === undefined || !steering.seals) continue;
      this.#hosts.set(host.id, steering.consent);
      if (steering.wraps) this.#offered.set(steering.consent, { wraps: steering.wraps });
    }
    /** @type {Set<string>} */ const found = new Set();
    const { trust } = this.#around;
    for (const [host, offer] of this.#offered) {
      const pin = trust.hosts.get(host);
      if (!pin || pin.since === offer.since) continue;
      offer.since = pin.since;
      const own = await this.#around.own();
      const epochs = own && await learned(own, pin, offer.wraps).catch(() => undefined);
      if (!epochs) continue;
      trust.hosts.set(host, { ...pin, epochs });
      // A browser that keeps nothing gets them again.
      this.#around.keep({ ...pin, epochs }).catch(() => undefined);
      found.add(host);
    }
    return found;
  }

  /**
   * What did not open for want of a key that is here now.
   * @param {Set<string>} hosts Of which one has just come.
   */
  async #reopened(hosts) {
    const opened = [];
    for (const [key, sent] of [...this.#closed]) {
      if (!this.#sessions.get(sent.session)?.hasKey) continue;
      this.#closed.delete(key);
      opened.push("request" in sent ? { type: "approval", approval: await this.#approval(sent) } : { type: "summary", summary: await this.#summary(sent) });
    }
    for (const [name, session] of this.#sessions) {
      if (!session.isClosed || !hosts.has(session.host)) continue;
      session.isClosed = false;
      this.#around.again(name);
    }
    return opened;
  }

  // What is opened

  /** @param {Summary} sent @returns {Promise<Summary>} */
  async #summary(sent) {
    if (!this.#sessions.has(sent.session) && !isSealed(sent)) return sent;
    const session = this.#of(sent.session, () => sent.seq);
    const host = sent.steering?.consent ?? this.#hosts.get(sent.host.id);
    if (host !== undefined) session.isOf(host);
    session.hostName = sent.host.name;
    const opened = await session.summary(sent);
    this.#keepClosed(sent.session, session, sent);
    return opened;
  }

  /** @param {Approval} sent @returns {Promise<Approval>} */
  async #approval(sent) {
    if (!this.#isOfSealed(sent)) return sent;
    const session = this.#of(sent.session, () => sent.seq);
    this.#keepClosed(`${sent.session}/${sent.approval}`, session, sent);
    return session.approval(sent);
  }

  /** @param {string} key @param {SealedSession} session @param {Summary|Approval} sent */
  #keepClosed(key, session, sent) {
    if (session.hasKey) this.#closed.delete(key);
    else this.#closed.set(key, sent);
  }

  // What is sealed

  /**
   * @template {import("./wire").Command} C
   * @param {C} command @param {string} id Under which it is sent. @returns {Promise<C>} As its host takes it.
   */
  async command(command, id) {
    const fields = /** @type {{session: string, type: string, text?: string, project?: string, command?: boolean}} */ (command);
    const session = this.#of(fields.session, () => 0);
    const { text } = fields;
    const project = fields.project === undefined ? {} : { project: session.aliasOf(fields.project) };
    if (text === undefined || !["prompt", "start", "resume"].includes(fields.type)) return { ...command, ...project };
    if (!fields.command) return { ...command, ...project, text: await session.sealed(text, id) };
    const [, name, rest] = /^(\S*)\s*(.*)$/s.exec(text) ?? [];
    return { ...command, text: [session.aliasOf(name), ...(rest ? [await session.sealed(rest, id)] : [])].join(" ") };
  }

  /**
   * @param {{session: string, approval: string}} asked @param {Verdict} verdict @returns {Promise<Verdict>} As the relay and the host take it.
   */
  async verdict({ session: name, approval }, verdict) {
    const session = this.#of(name, () => 0);
    if (verdict.decision === "deny" && verdict.message !== undefined) return { ...verdict, message: await session.sealed(verdict.message, approval) };
    if (verdict.decision !== "answer") return verdict;
    return { ...verdict, answers: await Promise.all(verdict.answers.map(async ({ text, ...answer }) => ({
      // In what the relay reads, a choice is called by its place, from 1.
      ...answer, ...(answer.indexes ? { choices: answer.indexes.map((place) => String(place + 1)) } : {}), ...(text === undefined ? {} : { text: await session.sealed(text, approval) }),
    }))) };
  }
}
