/**
 * How hosts come to trust this browser, by the secret of a link: one of their own, or one of a device that vouches.
 *
 * ```
 * a link's `k` ─▶ asked ─▶ accepted ─▶ join ⇄ its host ─▶ admit: pinned
 *                   └▶ declined          └▶ refused, or ten minutes are over
 *                         join ⇄ a device ─▶ introductions: each host pinned
 * ```
 * The secret never goes to the relay: letters carry what only those can make who have it.
 */

import { ConsentError, admitOf, base64urlOf, introductionOf, isKeyID, joinLetterOf, linkSecretOf, refusalOf } from "./consent.js";
import { t } from "./language.js";
import { comparingWords, damagedWords, introducedWords, notIntroducedWords, refusedWords, trustedWords, unansweredDeviceWords, unansweredWords } from "./trust-words.js";

/** @typedef {import("./keys.js").LinkSecret} LinkSecret */
/** @typedef {import("./keys.js").OwnKeys} OwnKeys */
/** @typedef {import("./consent.js").Points & {name: string}} Admitted The keys of a host, and what it calls itself. */
/** @typedef {{tone: "going"|"good"|"bad", words: string, code?: string, newcomer?: {host: string, device: string}}} News What a person is told; `code` is to be the same on the other screen, `newcomer` a device that can be told to go. */

/**
 * @typedef {object} TrustHands What `Trust` knows and does for its parts.
 * @property {() => string} reason Why this browser cannot sign at all; empty where it can.
 * @property {() => Promise<OwnKeys>} make Its keys, made if there are none.
 * @property {() => string} code The first part of its id.
 * @property {(host: string) => boolean} isTrusted
 * @property {() => string[]} signedHosts Those that are here and want signatures, as the relay says.
 * @property {(host: string, admitted: Admitted) => Promise<void>} pin
 * @property {(host: string) => string} nameOf
 * @property {(news: News|null) => void} tell
 * @property {() => News|null} news What was told last.
 * @property {() => void} fail Nothing can be kept in this browser.
 */

/** A letter is live only: it is sent again until its host answers. */
export const letterEveryMs = 5_000;
/** As long as a host or device takes the secret of its link. */
export const linkSecretMs = 10 * 60_000;
/** That of a relay's link for all hosts of its machine: the first of them may be set up when the page has been looked at for a while. */
export const machineSecretMs = 24 * 60 * 60_000;
/** Links under way at a time; of more the oldest goes. */
const linkSecretsMax = 4;
/** Hosts that are asked at a time by a link for every host of a machine: as many letters as the relay takes of one client, 60 a minute. */
const lettersMax = 5;

export class Joining {
  /** @type {string|null} A link's `k` that waits for a person's word. */
  asked = null;

  /** @type {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer"|"name"|"persist">} */ #around;
  /** @type {import("./trust.js").LetterLink} */ #link;
  /** @type {TrustHands} */ #trust;
  /** @type {LinkSecret[]} */ #secrets = [];
  #isPulsing = false;
  /** Counts the times that letters went out: of many hosts others are asked each time. */ #turn = 0;

  /**
   * @param {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer"|"name"|"persist">} around
   * @param {import("./trust.js").LetterLink} link @param {TrustHands} trust
   */
  constructor(around, link, trust) {
    [this.#around, this.#link, this.#trust] = [around, link, trust];
  }

  /**
   * Takes up what an earlier visit left under way.
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
   * A link brought a secret.
   * @param {string} k @param {boolean} isMeant A person has said so already.
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

  /** The person wants what the link is for. */
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

  /** The link is live, or other hosts are here: letters go out. */
  stirred() {
    if (this.#secrets.length && !this.#isPulsing) this.#pulse();
  }

  /** Hosts may be here that were not before: those that have had no letter are asked. */
  met() {
    if (this.#secrets.some((secret) => this.#wanted(secret).some((host) => !Object.hasOwn(secret.letters, host)))) this.stirred();
  }

  /**
   * An answer to a join, or not; what is made up changes nothing.
   * @param {string} from The id of the host's key, as the relay says. @param {Uint8Array} bytes
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
   * An answer of a device that shows a link, or not; what is made up changes nothing.
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

  /** Sends what is not answered, and comes back until nothing is under way. */
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
      // It may not be there just now; the next pulse asks again.
      this.#link.command(voucher ? { type: "letter", client: voucher.client, bytes } : { type: "letter", to: host, bytes }).catch(() => undefined);
    }
  }

  /** @param {LinkSecret} secret @returns {string[]} The hosts that have not answered, or the device that has not brought all of its own. */
  #wanted({ k, answered }) {
    const { hostID, voucher } = linkSecretOf(k);
    if (voucher) return [base64urlOf(voucher.id)];
    const hosts = hostID ? [base64urlOf(hostID)] : [...new Set(this.#trust.signedHosts())].filter((host) => isKeyID(host) && !this.#trust.isTrusted(host));
    return hosts.filter((host) => !answered.includes(host));
  }

  /** @param {LinkSecret} secret Its time is over, or it has done its work. */
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
    // Hosts of other machines are asked, too, and know nothing of it.
    if (linkSecretOf(secret.k).hostID || reason !== "unknownSecret") this.#trust.tell({ tone: "bad", words: refusedWords(this.#trust.nameOf(host), reason) });
    await this.#answered(secret, host);
  }

  /** @param {LinkSecret} secret One that is for every host of a machine stays for those that come within its time. @param {string} host */
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
