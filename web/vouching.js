/**
 * Introduces a new device to the hosts that trust this browser, by a link shown here.
 *
 * ```
 * open ─join─▶ asked ─accept─▶ vouching: a vouch for each host, and after its receipt an introduction for the newcomer
 *                └─decline─▶ declined
 * ```
 * A person compares the codes on both screens before anything is signed. The secret exists in this page's memory only: closing the page voids the link.
 */

import { base64urlOf, checkReceipt, refusalOf, shortCodeOf } from "./consent.js";
import { t } from "./language.js";
import { rollEveryMs, triesMax } from "./rolls.js";
import { staysHere } from "./route.js";
import { refusedWords } from "./trust-words.js";
import { introductionLetterOf, newcomerOf, refusalLetterOf, vouchLetterOf, vouchingSecretOf } from "./vouch-letters.js";

/** @typedef {import("./keys.js").Pin} Pin */
/**
 * The outcome at one host.
 * @typedef {{tone: "good"|"bad", words: string}} Said
 */

/**
 * @typedef {object} VouchingHands What `Trust` provides to its parts.
 * @property {() => Pin[]} vouchable Connected hosts that accept this browser's vouching, as far as known.
 * @property {(part: import("./keys.js").PinPart) => Promise<void>} keep
 * @property {() => void} changed
 */

/** Time for which a link is shown, regardless of how long the relay accepts its code. */
export const vouchingMs = 10 * 60_000;

/**
 * The link for a new device. Only the code is taken from the relay, because in a link of the relay's own the secret could be sent back to it in a query. If this page is on the relay's own machine, the address is taken from the relay as well, because other machines need it.
 * @param {unknown} given The link from the relay. @param {string} k Empty if this browser cannot vouch. @param {string} here This page's address.
 */
export function linkOf(given, k, here) {
  const [, base, code] = /^(https?:\/\/[^\s?#@\\]+)#pair=([\w-]{4,128})$/.exec(String(given)) ?? [];
  if (!code) throw new Error(t`the relay's link is none`);
  return `${staysHere(here) ? base : here.replace(/[?#].*$/s, "")}#pair=${code}${k && `&k=${k}`}`;
}

export class Vouching {
  /** @type {"closed"|"open"|"asked"|"vouching"|"declined"} */
  stage = "closed";
  /** @type {Said[]} */
  said = [];
  /** Another device has come with the link. */ #second = false;

  /** @type {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer">} */ #around;
  /** @type {import("./trust.js").LetterLink} */ #link;
  /** @type {VouchingHands} */ #trust;
  #k = "";
  #until = 0;
  /** @type {import("./vouch-letters.js").Newcomer|null} */ #newcomer = null;
  /** The new device's last `join` letter, which answers refer to. */ #join = new Uint8Array(0);
  #client = "";
  /** @type {Map<string, {pin: Pin, bytes: Uint8Array, tries: number}>} Unanswered vouches by host. */ #open = new Map();
  /** @type {Pin[]} */ #brought = [];
  #isWaiting = false;

  /** @param {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer">} around @param {import("./trust.js").LetterLink} link @param {VouchingHands} trust */
  constructor(around, link, trust) {
    [this.#around, this.#link, this.#trust] = [around, link, trust];
  }

  /** The device that asks to join, with the short code that its own screen shows, too. */
  get newcomer() {
    return this.#newcomer && { name: this.#newcomer.name, code: shortCodeOf(this.#newcomer.id) };
  }

  /**
   * Starts with a new secret.
   * @param {string} client The relay's id of this browser.
   * @returns {Promise<{k: string, hosts: string[]}>} `k`: the link's parameter, empty if this browser cannot vouch; `hosts`: the names of the hosts that it is for.
   */
  async open(client) {
    this.forget();
    const hosts = this.#trust.vouchable().map(({ name }) => name);
    const own = hosts.length ? await this.#around.keys.own() : undefined;
    if (!own) return { k: "", hosts: [] };
    [this.#k, this.#until] = [vouchingSecretOf(own.id, client), this.#around.now() + vouchingMs];
    this.stage = "open";
    return { k: this.#k, hosts };
  }

  /** Ends the link, because it is no longer shown. Vouching that the person accepted continues. */
  close() {
    if (this.stage !== "vouching") this.forget();
  }

  forget() {
    [this.stage, this.#k, this.#newcomer, this.#client, this.said, this.#brought, this.#second] = ["closed", "", null, "", [], [], false];
    this.#open.clear();
  }

  /**
   * Handles a letter of another device. Only a `join` made with this link has an effect.
   * @param {string} client The relay's id of the other device. @param {Uint8Array} bytes
   */
  async take(client, bytes) {
    if (this.stage === "open" && this.#around.now() > this.#until) this.forget();
    const own = this.stage === "closed" ? undefined : await this.#around.keys.own();
    const newcomer = own && (await newcomerOf(bytes, this.#k, own.id).catch(() => undefined));
    if (!own || !newcomer) return;
    if (this.#newcomer && keysOf(newcomer) !== keysOf(this.#newcomer)) {
      this.#send(client, await refusalLetterOf(own, bytes, "usedSecret"));
      if (!this.#second) this.#say("bad", secondWords);
      this.#second = true;
      return;
    }
    [this.#join, this.#client] = [bytes, client];
    if (!this.#newcomer) {
      [this.#newcomer, this.stage] = [newcomer, "asked"];
      this.#trust.changed();
    } else if (this.stage !== "asked") {
      await this.#answer(own);
    }
  }

  /** Called when the person has confirmed that the codes are the same. */
  async accept() {
    const [own, newcomer] = [await this.#around.keys.own(), this.#newcomer];
    if (this.stage !== "asked" || !own || !newcomer) return;
    this.stage = "vouching";
    const [pins, count] = [this.#trust.vouchable(), await this.#around.keys.nextCount(this.#around.now())];
    for (const pin of pins) {
      // The person here knows the new device, so it need not be announced.
      if (pin.known) await this.#trust.keep({ id: pin.id, known: [...pin.known, base64urlOf(newcomer.id)] });
      this.#open.set(pin.id, { pin, bytes: await vouchLetterOf(own, pin.id, newcomer, count), tries: 0 });
    }
    if (!pins.length) {
      this.#say("bad", nobodyHereWords);
      await this.#answer(own);
    }
    this.#trust.changed();
    await this.#pulse();
  }

  async decline() {
    const own = await this.#around.keys.own();
    if (this.stage !== "asked" || !own) return;
    this.stage = "declined";
    this.#trust.changed();
    await this.#answer(own);
  }

  /**
   * @param {string} host The host's key id. @param {Uint8Array} bytes
   * @returns {Promise<boolean>} True if the bytes are the host's answer to a vouch.
   */
  async answered(host, bytes) {
    const [own, asked] = [await this.#around.keys.own(), this.#open.get(host)];
    if (!own || !asked) return false;
    const refusal = await refusalOf(bytes, host, asked.bytes).catch(() => undefined);
    if (!refusal && !(await checkReceipt(bytes, host, asked.bytes).then(() => true, () => false))) return false;
    this.#open.delete(host);
    if (refusal) {
      this.#say("bad", notBroughtWords(asked.pin.name, refusal.reason));
    } else {
      this.#brought.push(asked.pin);
      this.#say("good", broughtWords(asked.pin.name, this.newcomer?.name ?? ""));
    }
    await this.#answer(own);
    return true;
  }

  /** @param {"good"|"bad"} tone @param {string} words */
  #say(tone, words) {
    this.said = [...this.said, { tone, words }];
    this.#trust.changed();
  }

  /**
   * Sends the new device all introductions so far.
   * @param {import("./keys.js").OwnKeys} own
   */
  async #answer(own) {
    if (this.stage === "declined" || (!this.#brought.length && !this.#open.size)) return this.#send(this.#client, await refusalLetterOf(own, this.#join, "notTrusted"));
    for (const pin of this.#brought) {
      this.#send(this.#client, await introductionLetterOf(own, this.#k, this.#join, pin, this.#brought.length + this.#open.size));
    }
  }

  /**
   * Sends a letter to the new device. It is not repeated, because the new device asks again until it has everything.
   * @param {string} client @param {Uint8Array} bytes
   */
  #send(client, bytes) {
    this.#link.command({ type: "letter", client, bytes: base64urlOf(bytes) }).catch(() => undefined);
  }

  /** Sends unanswered vouches, and repeats until none is left. */
  async #pulse() {
    for (const [host, vouch] of [...this.#open]) {
      if (vouch.tries < triesMax) {
        vouch.tries += 1;
        this.#link.command({ type: "letter", to: host, bytes: base64urlOf(vouch.bytes) }).catch(() => undefined);
      } else {
        this.#open.delete(host);
        this.#say("bad", unansweredVouchWords(vouch.pin.name));
        const own = await this.#around.keys.own();
        if (own) await this.#answer(own);
      }
    }
    if (!this.#open.size || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#around.setTimer(() => {
      this.#isWaiting = false;
      this.#pulse();
    }, rollEveryMs);
  }
}

/** @param {import("./vouch-letters.js").Newcomer} newcomer */
const keysOf = ({ points }) => `${base64urlOf(points.sign)}.${base64urlOf(points.box)}`;

/** @param {string} host @param {string} device */
const broughtWords = (host, device) => t`${host} trusts ${device} now.`;

/** @param {string} host @param {string} reason */
const notBroughtWords = (host, reason) => (reason === "notTrusted" ? t`${host} does not let this browser bring others.`
  : reason === "distrusted" ? t`${host} was told not to trust that device. Only its terminal can bring it back: heliograph host trust.`
  : refusedWords(host, reason));

/** @param {string} host */
const unansweredVouchWords = (host) => t`${host} has not answered: whether it trusts the device is not known. At that machine: heliograph host devices.`;

const nobodyHereWords = t`None of the machines that trust this browser is connected now.`;

const secondWords = t`Another device has this link, too, and was refused.`;
