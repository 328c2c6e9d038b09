/**
 * Which hosts trust this browser, how one more comes to, and what is signed for them.
 *
 * ```
 * a link's `k` ─▶ asked ─▶ accepted ─▶ join ⇄ its host ─▶ admit: pinned
 *                   └▶ declined          └▶ refused, or ten minutes are over
 * ```
 * The secret of a link never goes to the relay: letters carry what only those can make who have it. What is wanted of the browser, the link and the clock are
 * arguments, so that tests can hold them.
 */

import { ConsentError, admitOf, base64urlOf, bytesOfBase64url, decisionSignatureOf, isKeyID, joinLetterOf, linkSecretOf, refusalOf, shortCodeOf, steeringSignatureOf } from "./consent.js";
import { CommandError } from "./link.js";
import { consentOf } from "./shown.js";
import { damagedWords, insecureWords, leftOutWords, refusedWords, storageWords, unansweredWords, unreadWords, untrustedWords } from "./trust-words.js";

/** @typedef {import("./keys.js").Pin} Pin */
/** @typedef {import("./keys.js").LinkSecret} LinkSecret */
/** @typedef {import("./wire").Command} Command */
/** @typedef {{tone: "going"|"good"|"bad", words: string, code?: string}} News What a person is told; `code` is to be the same at the host's terminal. */

/**
 * @typedef {object} TrustSurroundings
 * @property {boolean} isSecure  Whether this is a secure context: elsewhere a browser signs nothing.
 * @property {Pick<import("./keys.js").KeyStore, "own"|"make"|"nextCount"|"hosts"|"pin"|"unpin"|"secrets"|"keepSecret"|"dropSecret"|"keepPageKey"|"forget">} keys
 * @property {() => string} pageKey For the worker, which shows what such a host asks and signs what is decided there.
 * @property {() => Storage} storage Throws where site data is blocked.
 * @property {() => Promise<unknown>} persist Asks the browser not to clear what is kept here.
 * @property {() => number} now  Milliseconds.
 * @property {(run: () => void, milliseconds: number) => any} setTimer
 * @property {() => string} name What this browser is called.
 * @property {() => void} tellTabs Other tabs read again what is kept.
 */

/** A letter is live only: it is sent again until its host answers. */
export const letterEveryMs = 5_000;
/** As long as a host takes the secret of a link. */
export const linkSecretMs = 10 * 60_000;
/** Links under way at a time; of more the oldest goes. */
const linkSecretsMax = 4;
/** Hosts that are asked at a time by a link for every host of a machine: as many letters as the relay takes of one client, 60 a minute. */
const lettersMax = 5;
/** Where this browser remembers that it had keys, apart from where they are: a browser that cleared those says so. */
const place = "heliograph.trust";

export class Trust {
  /** What is kept has been read. */
  isKnown = false;
  /** Why this browser cannot sign at all, as a sentence. */
  reason = "";
  /** It could, and what it needs for that is gone. */
  isLost = false;
  /** The first part of this browser's own id; empty while it has no keys. */
  code = "";
  /** @type {Map<string, Pin>} By the id of the host's key. */
  hosts = new Map();
  /** @type {string|null} A link's `k` that waits for a person's word. */
  asked = null;
  /** @type {News|null} */
  news = null;

  /** @type {TrustSurroundings} */ #around;
  /** @type {Pick<import("./link.js").Link, "command"|"isLive">} */ #link;
  /** @type {import("./store.js").State} */ #state;
  /** @type {() => void} */ #changed;
  /** @type {LinkSecret[]} */ #secrets = [];
  /** @type {Promise<void>} */ #known;
  /** @type {Promise<void>} Letters are taken one after the other. */ #taken = Promise.resolve();
  #isPulsing = false;
  /** Counts the times that letters went out: of many hosts others are asked each time. */ #turn = 0;

  /**
   * @param {TrustSurroundings} around @param {Pick<import("./link.js").Link, "command"|"isLive">} link
   * @param {import("./store.js").State} state @param {() => void} changed
   */
  constructor(around, link, state, changed) {
    [this.#around, this.#link, this.#state, this.#changed] = [around, link, state, changed];
    this.#known = this.#read();
  }

  // Whom

  /**
   * The session's host, where it takes nothing without a signature.
   * @param {string} session @returns {string|undefined} The id of its key.
   */
  signedHost(session) {
    return (this.#state.sessions.get(session) ?? this.#state.hosts.get(session))?.steering?.consent;
  }

  /**
   * Why this browser cannot sign for a host, as a sentence; empty where it can, or need not.
   * @param {string|undefined} host @param {string} name What it is called.
   */
  obstacle(host, name) {
    if (host === undefined || this.hosts.has(host)) return "";
    return this.isKnown ? this.reason || untrustedWords(name, this.isLost) : "…";
  }

  /** @param {string} session @param {string} name */
  steeringObstacle(session, name) {
    return this.obstacle(this.signedHost(session), name);
  }

  /**
   * Why an approval cannot be allowed or answered from here; empty where it can.
   * @param {import("./wire").Approval} approval As it is shown. @param {string} name Its host's.
   */
  approvalObstacle({ session, request }, name) {
    const consent = consentOf(request);
    if (!consent) return this.signedHost(session) === undefined ? "" : leftOutWords;
    return "problem" in consent ? unreadWords(consent.problem) : this.obstacle(consent.host, name);
  }

  // Links

  /**
   * A link brought a secret.
   * @param {string} k @param {boolean} isMeant A person has said so already, by pairing with it.
   */
  async offered(k, isMeant) {
    await this.#known;
    try {
      linkSecretOf(k);
    } catch {
      return this.#tell({ tone: "bad", words: damagedWords });
    }
    if (this.reason) return this.#tell({ tone: "bad", words: this.reason });
    this.asked = k;
    return isMeant ? this.accept() : this.#changed();
  }

  /** The person wants what the link is for. */
  async accept() {
    const k = this.asked;
    if (!k) return;
    this.asked = null;
    try {
      const own = await this.#around.keys.make();
      this.#around.persist().catch(() => undefined);
      await this.#own(own);
      const secret = { k, at: this.#around.now(), letters: {}, answered: [] };
      await this.#around.keys.keepSecret(secret);
      this.#secrets = [...this.#secrets.filter((one) => one.k !== k), secret];
      for (const old of this.#secrets.splice(0, this.#secrets.length - linkSecretsMax)) await this.#around.keys.dropSecret(old.k);
    } catch {
      return this.#fail();
    }
    this.#tell({ tone: "going", words: "Waiting for the machine to answer …" });
    return this.#pulse();
  }

  decline() {
    this.asked = null;
    this.#changed();
  }

  /** What was told has been read. */
  dismiss() {
    this.news = null;
    this.#changed();
  }

  /** @param {string} host The id of its key. */
  async forget(host) {
    await this.#around.keys.unpin(host);
    this.hosts.delete(host);
    this.#around.tellTabs();
    this.#changed();
  }

  /** The link is live, or other hosts are here: letters go out. */
  stirred() {
    if (this.#secrets.length && !this.#isPulsing) this.#pulse();
  }

  /** A person logged out: nobody who uses this browser after them signs with its keys. */
  async loggedOut() {
    this.#secrets = [];
    this.hosts.clear();
    this.code = "";
    try {
      this.#around.storage().removeItem(place);
    } catch {
      // Nothing was kept.
    }
    await this.#around.keys.forget().catch(() => undefined);
  }

  /** Another tab has changed what is kept. */
  async changedElsewhere() {
    await this.#known;
    this.hosts.clear();
    this.#secrets = [];
    this.#known = this.#read();
    await this.#known;
  }

  /** @param {import("./wire").Message} message Whatever the relay says. */
  received(message) {
    if (message.type !== "letter") return;
    this.#taken = this.#taken.then(() => this.#take(message.from, message.bytes)).catch(() => undefined);
  }

  // What is signed

  /**
   * @param {import("./wire").Approval} approval As it is shown. @param {import("./decisions.js").Verdict} verdict
   * @returns {Promise<string|undefined>} Nothing where none is needed.
   */
  async signedDecision({ session, approval, request }, verdict) {
    const consent = consentOf(request);
    const isPlain = verdict.decision === "deny" && verdict.message === undefined && verdict.offer === undefined;
    if (!consent) return undefined;
    await this.#known;
    const own = "problem" in consent || !this.hosts.has(consent.host) ? undefined : await this.#around.keys.own();
    if (!own || "problem" in consent) {
      if (isPlain) return undefined;
      throw notSigned("this browser is not trusted by its host");
    }
    return decisionSignatureOf(own, { host: consent.host, session, approval, text: consent.text, digest: request.head.digest, verdict, issuedAt: this.#around.now() });
  }

  /**
   * @template {Command} C
   * @param {C} command @param {string} id Under which it is sent.
   * @returns {Promise<C>} With its signature, where its host wants one.
   */
  async signed(command, id) {
    const host = "session" in command && command.session ? this.signedHost(command.session) : undefined;
    if (host === undefined || !needsSignature(command)) return command;
    await this.#known;
    const own = this.hosts.has(host) ? await this.#around.keys.own() : undefined;
    if (!own) throw notSigned("this browser is not trusted by its host");
    const count = await this.#around.keys.nextCount(this.#around.now());
    return { ...command, signature: await steeringSignatureOf(own, { host, id, command, count }) };
  }

  // Inside

  async #read() {
    if (!this.#around.isSecure) {
      this.reason = insecureWords;
    } else {
      try {
        const { keys, now } = this.#around;
        const own = await keys.own();
        for (const pin of own ? await keys.hosts() : []) this.hosts.set(pin.id, pin);
        this.isLost = !own && this.#remembered;
        if (own) await this.#own(own);
        for (const secret of await keys.secrets()) {
          if (own && isFresh(secret, now())) this.#secrets.push(secret);
          else await keys.dropSecret(secret.k);
        }
      } catch {
        this.reason = storageWords;
      }
    }
    this.isKnown = true;
    this.#changed();
    this.stirred();
  }

  get #remembered() {
    try {
      return this.#around.storage().getItem(place) !== null;
    } catch {
      return false;
    }
  }

  /** @param {import("./keys.js").OwnKeys} own */
  async #own({ id }) {
    this.code = shortCodeOf(id);
    this.isLost = false;
    await this.#around.keys.keepPageKey(this.#around.pageKey());
    try {
      this.#around.storage().setItem(place, this.code);
    } catch {
      // Site data is blocked: then nothing else is kept either.
    }
  }

  #fail() {
    this.reason = storageWords;
    this.#tell({ tone: "bad", words: storageWords });
  }

  /** @param {News} news */
  #tell(news) {
    this.news = news;
    this.#changed();
  }

  /** Sends what is not answered, and comes back until nothing is under way. */
  async #pulse() {
    if (this.#isPulsing) return;
    this.#isPulsing = true;
    try {
      for (const secret of [...this.#secrets]) {
        if (isFresh(secret, this.#around.now())) await this.#send(secret);
        else await this.#end(secret);
      }
    } catch {
      this.#fail();
    } finally {
      this.#isPulsing = false;
      if (this.#secrets.length) this.#around.setTimer(() => this.stirred(), letterEveryMs);
    }
  }

  /** @param {LinkSecret} secret */
  async #send(secret) {
    if (!this.#link.isLive) return;
    const own = await this.#around.keys.own();
    if (!own) return;
    const { hostID } = linkSecretOf(secret.k);
    const seen = [...this.#state.sessions.values(), ...this.#state.hosts.values()]
      .flatMap(({ host, steering }) => (host.connected && steering?.consent) || []).filter(isKeyID);
    const wanted = (hostID ? [base64urlOf(hostID)] : [...new Set(seen)].filter((host) => !this.hosts.has(host))).filter((host) => !secret.answered.includes(host));
    const start = wanted.length > lettersMax ? (this.#turn * lettersMax) % wanted.length : 0;
    this.#turn += 1;
    for (const host of [...wanted, ...wanted].slice(start, start + Math.min(lettersMax, wanted.length))) {
      if (!Object.hasOwn(secret.letters, host)) {
        secret.letters[host] = await joinLetterOf(own, secret.k, host, this.#around.name());
        await this.#around.keys.keepSecret(secret);
      }
      // It may not be there just now; the next pulse asks again.
      this.#link.command({ type: "letter", to: host, bytes: base64urlOf(secret.letters[host]) }).catch(() => undefined);
    }
  }

  /** @param {LinkSecret} secret Its time is over, or it has done its work. */
  async #end(secret) {
    this.#secrets = this.#secrets.filter((one) => one !== secret);
    await this.#around.keys.dropSecret(secret.k);
    if (this.news?.tone === "going") this.#tell({ tone: "bad", words: unansweredWords });
  }

  /** @param {string} from The id of its key, as the relay says. @param {string} text */
  async #take(from, text) {
    const bytes = bytesOfBase64url(text, "letter");
    for (const secret of this.#secrets) {
      const letter = Object.hasOwn(secret.letters, from) && secret.letters[from];
      if (!letter || secret.answered.includes(from)) continue;
      try {
        const points = await admitOf(bytes, secret.k, from, letter);
        return await this.#admitted(secret, from, points);
      } catch (error) {
        if (!(error instanceof ConsentError)) throw error;
        const refusal = await refusalOf(bytes, from, letter).catch(() => undefined);
        if (refusal !== undefined) return await this.#refused(secret, from, refusal);
      }
    }
    return undefined;
  }

  /** @param {LinkSecret} secret @param {string} host @param {import("./consent.js").Points} points */
  async #admitted(secret, host, points) {
    const pin = { id: host, ...points, name: this.#nameOf(host), since: this.#around.now() };
    await this.#around.keys.pin(pin);
    this.hosts.set(host, pin);
    this.#around.tellTabs();
    secret.answered.push(host);
    this.#tell({ tone: "good", words: `${pin.name} trusts this browser now. Its terminal shows the same code:`, code: this.code });
    // One that is for every host of a machine stays for those that come within its time.
    if (linkSecretOf(secret.k).hostID) await this.#end(secret);
    else await this.#around.keys.keepSecret(secret);
  }

  /** @param {LinkSecret} secret @param {string} host @param {string} reason */
  async #refused(secret, host, reason) {
    secret.answered.push(host);
    await this.#around.keys.keepSecret(secret);
    // Hosts of other machines are asked, too, and know nothing of it.
    if (!linkSecretOf(secret.k).hostID && reason === "unknownSecret") return;
    this.#tell({ tone: "bad", words: refusedWords(this.#nameOf(host), reason) });
    if (linkSecretOf(secret.k).hostID) await this.#end(secret);
  }

  /** @param {string} host What the relay calls it, or the first part of its id. */
  #nameOf(host) {
    const known = [...this.#state.sessions.values(), ...this.#state.hosts.values()].find(({ steering }) => steering?.consent === host);
    return known?.host.name ?? shortCodeOf(bytesOfBase64url(host, "host"));
  }
}

/** @param {Pin} pin The first part of its id. */
export const codeOfHost = ({ id }) => shortCodeOf(bytesOfBase64url(id, "host"));

/** @param {LinkSecret} secret @param {number} now */
const isFresh = ({ at }, now) => Math.abs(now - at) < linkSecretMs;

/**
 * Whether it may give an agent more freedom; the rest takes some away, or only asks.
 * @param {Command} command @returns {command is import("./consent.js").Prompt|import("./consent.js").Steering}
 */
const needsSignature = (command) =>
  ["prompt", "mode", "model", "start", "resume"].includes(command.type) || (command.type === "askAll" && !command.on);

/** @param {string} reason */
const notSigned = (reason) => new CommandError({ code: "notSigned", message: reason });
