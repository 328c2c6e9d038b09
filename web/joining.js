/**
 * Establishes hosts' trust in this browser by the secret of a link: a host's own link, or the link of a device that vouches.
 *
 * ```
 * a link's `k` ─▶ asked ─▶ accepted ─▶ join ⇄ its host ─▶ admit: pinned
 *                   └▶ declined          └▶ refused, or ten minutes are over
 *                         join ⇄ a device ─▶ introductions: each host pinned
 * ```
 * The secret is never sent to the relay: letters carry only tags, which prove knowledge of it.
 */

import { ConsentError, admitOf, base64urlOf, introductionOf, isKeyID, joinLetterOf, linkSecretOf, refusalOf } from "./consent.js";
import { t } from "./language.js";
import { comparingWords, damagedWords, introducedWords, notIntroducedWords, refusedWords, trustedWords, unansweredDeviceWords, unansweredWords } from "./trust-words.js";

/** @typedef {import("./keys.js").LinkSecret} LinkSecret */
/** @typedef {import("./keys.js").OwnKeys} OwnKeys */
/** @typedef {import("./consent.js").Points & {name: string}} Admitted A host's keys and its own name. */
/**
 * @typedef {{tone: "going"|"good"|"bad", words: string, code?: string, newcomer?: {host: string, device: string}}} News A message for the person;
 * `code` has to equal the one on the other screen, `newcomer` is a device that can be removed.
 */

/**
 * @typedef {object} TrustHands What `Trust` provides to its parts.
 * @property {() => string} reason The reason why this browser cannot sign; empty if it can.
 * @property {() => Promise<OwnKeys>} make This browser's keys, created if there are none.
 * @property {() => string} code The short code of this browser's key.
 * @property {(host: string) => boolean} isTrusted
 * @property {() => string[]} signedHosts Known hosts that require signatures, according to the relay.
 * @property {(host: string, admitted: Admitted) => Promise<void>} pin
 * @property {(host: string) => string} nameOf
 * @property {(news: News|null) => void} tell
 * @property {() => News|null} news The last message.
 * @property {() => void} fail Reports that this browser cannot store keys.
 */

/** Interval at which a letter is sent again until its host answers, because the relay does not store letters. */
export const letterEveryMs = 5_000;
/** Time for which a host or device accepts the secret of its link. */
export const linkSecretMs = 10 * 60_000;
/** Time for which the secret for all hosts of a relay's machine is accepted: a host may be set up only after the page has been open for a while. */
export const machineSecretMs = 24 * 60 * 60_000;
/** Maximum number of links in progress; a further one replaces the oldest. */
const linkSecretsMax = 4;
/** Hosts that are asked at a time: the relay accepts 60 letters a minute from a client. */
const lettersMax = 5;

export class Joining {
  /** @type {string|null} The parameter `k` of a link that waits for the person's consent. */
  asked = null;

  /** @type {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer"|"name"|"persist">} */ #around;
  /** @type {import("./trust.js").LetterLink} */ #link;
  /** @type {TrustHands} */ #trust;
  /** @type {LinkSecret[]} */ #secrets = [];
  #isPulsing = false;
  /** Number of rounds in which letters were sent, so that each round asks other hosts. */ #turn = 0;

  /**
   * @param {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer"|"name"|"persist">} around
   * @param {import("./trust.js").LetterLink} link @param {TrustHands} trust
   */
  constructor(around, link, trust) {
    [this.#around, this.#link, this.#trust] = [around, link, trust];
  }

  /**
   * Resumes the links of an earlier visit.
   * @param {boolean} hasKeys
   */
  async read(hasKeys) {
    this.#secrets = [];
    for (const secret of await this.#around.keys.secrets()) {
      if (hasKeys && this.#isFresh(secret)) this.#secrets.push(secret);
      else await this.#around.keys.dropSecret(secret.k);
    }
  }

  forget() {
    this.#secrets = [];
  }

  /**
   * Called with the secret of an opened link.
   * @param {string} k @param {boolean} isMeant The person has consented already.
   */
  async offered(k, isMeant) {
    try {
      linkSecretOf(k);
    } catch {
      return this.#trust.tell({ tone: "bad", words: damagedWords });
    }
    const reason = this.#trust.reason();
    if (reason) return this.#trust.tell({ tone: "bad", words: reason });
    this.asked = k;
    return isMeant ? this.accept() : this.#trust.tell(null);
  }

  /** Called when the person consents. */
  async accept() {
    const k = this.asked;
    if (!k) return;
    this.asked = null;
    try {
      await this.#trust.make();
      this.#around.persist().catch(() => undefined);
      const secret = { k, at: this.#around.now(), letters: {}, answered: [] };
      await this.#around.keys.keepSecret(secret);
      this.#secrets = [...this.#secrets.filter((one) => one.k !== k), secret];
      for (const old of this.#secrets.splice(0, this.#secrets.length - linkSecretsMax)) await this.#around.keys.dropSecret(old.k);
    } catch {
      return this.#trust.fail();
    }
    const { hostID, voucher } = linkSecretOf(k);
    this.#trust.tell(voucher ? { tone: "going", words: comparingWords, code: this.#trust.code() } : hostID ? { tone: "going", words: t`Waiting for the machine to answer …` } : null);
    return this.#pulse();
  }

  decline() {
    this.asked = null;
    this.#trust.tell(null);
  }

  /** Called when the link is live or the hosts have changed: sends letters. */
  stirred() {
    if (this.#secrets.length && !this.#isPulsing) this.#pulse();
  }

  /** Sends letters to hosts that have appeared since the last round. */
  met() {
    if (this.#secrets.some((secret) => this.#wanted(secret).some((host) => !Object.hasOwn(secret.letters, host)))) this.stirred();
  }

  /**
   * Handles a host's answer to a `join` letter. A forged one has no effect.
   * @param {string} from The host's key id, according to the relay. @param {Uint8Array} bytes
   */
  async take(from, bytes) {
    for (const secret of this.#secrets) {
      const letter = Object.hasOwn(secret.letters, from) && secret.letters[from];
      if (!letter || secret.answered.includes(from)) continue;
      try {
        return await this.#admitted(secret, from, await admitOf(bytes, secret.k, from, letter));
      } catch (error) {
        if (!(error instanceof ConsentError)) throw error;
        const refusal = await refusalOf(bytes, from, letter).catch(() => undefined);
        if (refusal) return await this.#refused(secret, from, refusal.reason);
      }
    }
    return undefined;
  }

  /**
   * Handles the answer of a vouching device. A forged one has no effect.
   * @param {Uint8Array} bytes
   */
  async takeOfDevice(bytes) {
    for (const secret of this.#secrets) {
      const { voucher } = linkSecretOf(secret.k);
      const id = voucher ? base64urlOf(voucher.id) : "";
      const letter = Object.hasOwn(secret.letters, id) && secret.letters[id];
      if (!voucher || !letter) continue;
      try {
        return await this.#introduced(secret, await introductionOf(bytes, secret.k, id, letter));
      } catch (error) {
        if (!(error instanceof ConsentError)) throw error;
        const refusal = await refusalOf(bytes, id, letter).catch(() => undefined);
        if (!refusal) continue;
        this.#trust.tell({ tone: "bad", words: notIntroducedWords(refusal.reason) });
        return await this.#end(secret);
      }
    }
    return undefined;
  }

  /** @param {LinkSecret} secret @param {Admitted & {id: string, hosts: number}} introduction */
  async #introduced(secret, { id, hosts, ...host }) {
    if (!secret.answered.includes(id)) {
      await this.#trust.pin(id, host);
      this.#trust.tell({ tone: "good", words: introducedWords(host.name), code: this.#trust.code() });
      secret.answered.push(id);
    }
    if (secret.answered.length >= hosts) await this.#end(secret);
    else await this.#around.keys.keepSecret(secret);
  }

  /** Sends unanswered letters, and repeats until none is left. */
  async #pulse() {
    if (this.#isPulsing) return;
    this.#isPulsing = true;
    try {
      for (const secret of [...this.#secrets]) {
        if (this.#isFresh(secret)) await this.#send(secret);
        else await this.#end(secret);
      }
    } catch {
      this.#trust.fail();
    } finally {
      this.#isPulsing = false;
      if (this.#secrets.some((secret) => this.#wanted(secret).length)) this.#around.setTimer(() => this.stirred(), letterEveryMs);
    }
  }

  /** @param {LinkSecret} secret */
  async #send(secret) {
    if (!this.#link.isLive) return;
    const own = await this.#around.keys.own();
    if (!own) return;
    const wanted = this.#wanted(secret);
    const start = wanted.length > lettersMax ? (this.#turn * lettersMax) % wanted.length : 0;
    this.#turn += 1;
    for (const host of [...wanted, ...wanted].slice(start, start + Math.min(lettersMax, wanted.length))) {
      if (!Object.hasOwn(secret.letters, host)) {
        secret.letters[host] = await joinLetterOf(own, secret.k, host, this.#around.name());
        await this.#around.keys.keepSecret(secret);
      }
      const [bytes, { voucher }] = [base64urlOf(secret.letters[host]), linkSecretOf(secret.k)];
      // The addressee may be offline; the next round sends the letter again.
      this.#link.command(voucher ? { type: "letter", client: voucher.client, bytes } : { type: "letter", to: host, bytes }).catch(() => undefined);
    }
  }

  /**
   * The hosts that have not answered, or the vouching device until it has introduced all of its hosts.
   * @param {LinkSecret} secret @returns {string[]}
   */
  #wanted({ k, answered }) {
    const { hostID, voucher } = linkSecretOf(k);
    if (voucher) return [base64urlOf(voucher.id)];
    const hosts = hostID ? [base64urlOf(hostID)] : [...new Set(this.#trust.signedHosts())].filter((host) => isKeyID(host) && !this.#trust.isTrusted(host));
    return hosts.filter((host) => !answered.includes(host));
  }

  /**
   * Removes a secret that has expired or done its work.
   * @param {LinkSecret} secret
   */
  async #end(secret) {
    this.#secrets = this.#secrets.filter((one) => one !== secret);
    await this.#around.keys.dropSecret(secret.k);
    if (this.#trust.news()?.tone === "going") this.#trust.tell({ tone: "bad", words: linkSecretOf(secret.k).voucher ? unansweredDeviceWords : unansweredWords });
  }

  /** @param {LinkSecret} secret @param {string} host @param {Admitted} admitted */
  async #admitted(secret, host, admitted) {
    await this.#trust.pin(host, admitted);
    this.#trust.tell({ tone: "good", words: trustedWords(admitted.name), code: this.#trust.code() });
    await this.#answered(secret, host);
  }

  /** @param {LinkSecret} secret @param {string} host @param {string} reason */
  async #refused(secret, host, reason) {
    // Links for all hosts of a machine are also tried on other machines' hosts, which do not know the secret.
    if (linkSecretOf(secret.k).hostID || reason !== "unknownSecret") this.#trust.tell({ tone: "bad", words: refusedWords(this.#trust.nameOf(host), reason) });
    await this.#answered(secret, host);
  }

  /**
   * Records a host's answer. A secret for all hosts of a machine stays until it expires, for further hosts.
   * @param {LinkSecret} secret @param {string} host
   */
  async #answered(secret, host) {
    secret.answered.push(host);
    if (linkSecretOf(secret.k).hostID) await this.#end(secret);
    else await this.#around.keys.keepSecret(secret);
  }

  /** @param {LinkSecret} secret */
  #isFresh({ k, at }) {
    const { hostID, voucher } = linkSecretOf(k);
    return Math.abs(this.#around.now() - at) < (hostID || voucher ? linkSecretMs : machineSecretMs);
  }
}
