/**
 * Which devices a host trusts, as it says itself: it is asked once while it is here, and tells again when that changes. A device that has come since is
 * announced until a person has read it, and can be told to go.
 *
 * ```
 * ask ⇄ its host ─▶ roll (and again with every change)
 * distrust ⇄ its host ─▶ receipt | refusal
 * ```
 */

import { askLetterOf, base64urlOf, checkReceipt, distrustLetterOf, refusalOf, rollOf } from "./consent.js";
import { t } from "./language.js";
import { distrustedWords, newcomerWords, refusedWords, unansweredDistrustWords } from "./trust-words.js";

/** @typedef {import("./consent.js").TrustedDevice} TrustedDevice */
/** @typedef {import("./keys.js").Pin} Pin */
/** @typedef {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer">} Surroundings */

/**
 * @typedef {object} RollHands What `Trust` knows and does.
 * @property {() => string} id This browser's own.
 * @property {() => Map<string, Pin>} hosts Those that trust this browser.
 * @property {() => string[]} signedHosts Those that are here, as the relay says.
 * @property {(part: import("./keys.js").PinPart) => Promise<void>} keep
 * @property {(news: import("./joining.js").News|null) => void} tell
 * @property {() => import("./joining.js").News|null} news
 */

/** A letter is live only: it is sent again until its host answers, this often and no longer. */
export const rollEveryMs = 5_000;
export const triesMax = 12;

export class Rolls {
  /** @type {Map<string, {count: number, devices: TrustedDevice[]}>} By the id of the host's key. */
  said = new Map();

  /** @type {Surroundings} */ #around;
  /** @type {import("./trust.js").LetterLink} */ #link;
  /** @type {RollHands} */ #trust;
  /** @type {Map<string, {bytes: Uint8Array, tries: number, isAnswered: boolean}>} By host. */ #asks = new Map();
  /** @type {Map<string, {bytes: Uint8Array, tries: number, device: TrustedDevice}>} By host: one at a time. */ #distrusts = new Map();
  #isWaiting = false;

  /** @param {Surroundings} around @param {import("./trust.js").LetterLink} link @param {RollHands} trust */
  constructor(around, link, trust) {
    [this.#around, this.#link, this.#trust] = [around, link, trust];
  }

  /** Hosts may be here that were not, or have gone: one that was started again knows nothing of who asked. */
  met() {
    if (!this.#trust.hosts().size) return;
    const here = new Set(this.#trust.signedHosts().filter((host) => this.#trust.hosts().has(host)));
    for (const host of [...this.#asks.keys()]) if (!here.has(host)) this.#asks.delete(host);
    for (const host of here) if (!this.#asks.has(host)) this.#ask(host);
  }

  /** The connection is another one: what was told meanwhile went nowhere. */
  stirred() {
    this.#asks.clear();
    this.met();
  }

  forget() {
    for (const all of [this.said, this.#asks, this.#distrusts]) all.clear();
  }

  /**
   * The announced device has been read.
   * @param {{host: string, device: string}} newcomer
   */
  async read({ host, device }) {
    const pin = this.#trust.hosts().get(host);
    const ids = this.said.get(host)?.devices.map(({ id }) => id) ?? [];
    try {
      if (pin?.known) await this.#trust.keep({ id: host, known: ids.filter((id) => id === device || pin.known?.includes(id)) });
      this.#announce();
    } catch {
      // Nothing can be kept here: the next roll says it again.
      this.#trust.tell(null);
    }
  }

  /** @param {string} host @param {string} id The device that is to go. */
  async distrust(host, id) {
    const [own, device] = [await this.#around.keys.own(), this.said.get(host)?.devices.find((one) => one.id === id)];
    if (!own || !device) return;
    const bytes = await distrustLetterOf(own, host, id, await this.#around.keys.nextCount(this.#around.now()));
    this.#distrusts.set(host, { bytes, tries: 0, device });
    this.#trust.tell({ tone: "going", words: t`Waiting for the machine to answer …` });
    this.#pulse();
  }

  /**
   * @param {string} host @param {Uint8Array} bytes
   * @returns {Promise<boolean>} Whether it was an answer to a letter from here.
   */
  async take(host, bytes) {
    const [ask, distrust] = [this.#asks.get(host), this.#distrusts.get(host)];
    const roll = ask && (await rollOf(bytes, host, ask.bytes).catch(() => undefined));
    if (ask && roll) {
      ask.isAnswered = true;
      await this.#called(host, roll);
      return true;
    }
    if (ask && (await refusalOf(bytes, host, ask.bytes).catch(() => undefined))) {
      // It trusts this browser no more, or was restored: what is sent to it will say so.
      ask.isAnswered = true;
      return true;
    }
    return distrust !== undefined && this.#gone(host, bytes, distrust);
  }

  /** @param {string} host @param {Uint8Array} bytes @param {{bytes: Uint8Array, device: TrustedDevice}} distrust */
  async #gone(host, bytes, distrust) {
    const refusal = await refusalOf(bytes, host, distrust.bytes).catch(() => undefined);
    if (!refusal && !(await checkReceipt(bytes, host, distrust.bytes).then(() => true, () => false))) return false;
    this.#distrusts.delete(host);
    const name = this.#trust.hosts().get(host)?.name ?? "";
    this.#trust.tell(refusal ? { tone: "bad", words: refusedWords(name, refusal.reason) } : { tone: "good", words: distrustedWords(distrust.device.name, name) });
    return true;
  }

  /** @param {string} host @param {{count: number, devices: TrustedDevice[]}} roll */
  async #called(host, roll) {
    this.said.set(host, roll);
    const pin = this.#trust.hosts().get(host);
    if (!pin) return;
    if (!pin.known) await this.#trust.keep({ id: host, known: this.#earlier(roll.devices) });
    if (this.#trust.news()?.tone !== "going") this.#announce();
    // Lists show it.
    else this.#trust.tell(this.#trust.news());
  }

  /** The device that came first of those that nobody has read of. */
  #announce() {
    for (const [host, { devices }] of this.said) {
      const pin = this.#trust.hosts().get(host);
      const device = [...devices].reverse().find(({ id }) => pin?.known && !pin.known.includes(id));
      if (pin && device) return this.#trust.tell({ tone: "bad", words: newcomerWords(device, devices.find(({ id }) => id === device.by)?.name, pin.name), newcomer: { host, device: device.id } });
    }
    const news = this.#trust.news();
    this.#trust.tell(news?.newcomer ? null : news);
  }

  /** @param {TrustedDevice[]} devices Those that came before this browser, and itself: a roll that was late announces the others. */
  #earlier(devices) {
    return devices.map(({ id }) => id).slice(Math.max(0, devices.findIndex(({ id }) => id === this.#trust.id())));
  }

  /** @param {string} host */
  async #ask(host) {
    const ask = { bytes: new Uint8Array(0), tries: 0, isAnswered: false };
    this.#asks.set(host, ask);
    const own = await this.#around.keys.own().catch(() => undefined);
    if (!own) return;
    ask.bytes = await askLetterOf(own, host);
    this.#pulse();
  }

  /** Sends what is not answered, and comes back until nothing is. */
  #pulse() {
    const open = [...[...this.#asks].filter(([, { bytes, isAnswered }]) => bytes.length && !isAnswered), ...this.#distrusts].filter(([, { tries }]) => tries < triesMax);
    for (const [host, letter] of open) {
      if (!this.#link.isLive) break;
      letter.tries += 1;
      this.#link.command({ type: "letter", to: host, bytes: base64urlOf(letter.bytes) }).catch(() => undefined);
    }
    for (const [host, { tries }] of this.#distrusts) {
      if (tries < triesMax) continue;
      this.#distrusts.delete(host);
      this.#trust.tell({ tone: "bad", words: unansweredDistrustWords(this.#trust.hosts().get(host)?.name ?? "") });
    }
    if (!open.length || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#around.setTimer(() => {
      this.#isWaiting = false;
      this.#pulse();
    }, rollEveryMs);
  }
}
