/**
 * Keeps each host's list of trusted devices. Each connected host is asked once, and sends its list again after every change. A new device is
 * announced until a person has read of it, and can be removed.
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
 * @typedef {object} RollHands What `Trust` provides to its parts.
 * @property {() => string} id This browser's key id.
 * @property {() => Map<string, Pin>} hosts Hosts that trust this browser, by key id.
 * @property {() => string[]} signedHosts Connected hosts that require signatures, according to the relay.
 * @property {(part: import("./keys.js").PinPart) => Promise<void>} keep
 * @property {(news: import("./joining.js").News|null) => void} tell
 * @property {() => import("./joining.js").News|null} news
 */

/** Interval at which a letter is sent again until its host answers, because the relay does not store letters. */
export const rollEveryMs = 5_000;
export const triesMax = 12;

export class Rolls {
  /** @type {Map<string, {count: number, devices: TrustedDevice[]}>} Each host's last list, by the host's key id. */
  said = new Map();

  /** @type {Surroundings} */ #around;
  /** @type {import("./trust.js").LetterLink} */ #link;
  /** @type {RollHands} */ #trust;
  /** @type {Map<string, {bytes: Uint8Array, tries: number, isAnswered: boolean}>} Unanswered requests for a list, by host. */ #asks = new Map();
  /** @type {Map<string, {bytes: Uint8Array, tries: number, device: TrustedDevice}>} The removal in progress at each host. */ #distrusts = new Map();
  #isWaiting = false;

  /** @param {Surroundings} around @param {import("./trust.js").LetterLink} link @param {RollHands} trust */
  constructor(around, link, trust) {
    [this.#around, this.#link, this.#trust] = [around, link, trust];
  }

  /** Called when hosts have connected or disconnected: a restarted host no longer knows who asked for its list. */
  met() {
    if (!this.#trust.hosts().size) return;
    const here = new Set(this.#trust.signedHosts().filter((host) => this.#trust.hosts().has(host)));
    for (const host of [...this.#asks.keys()]) if (!here.has(host)) this.#asks.delete(host);
    for (const host of here) if (!this.#asks.has(host)) this.#ask(host);
  }

  /** Sends all letters again after a reconnect, because letters sent meanwhile are lost. */
  stirred() {
    this.#asks.clear();
    this.met();
  }

  forget() {
    for (const all of [this.said, this.#asks, this.#distrusts]) all.clear();
  }

  /**
   * Called when the person has read the announcement of a device.
   * @param {{host: string, device: string}} newcomer
   */
  async read({ host, device }) {
    const pin = this.#trust.hosts().get(host);
    const ids = this.said.get(host)?.devices.map(({ id }) => id) ?? [];
    try {
      if (pin?.known) await this.#trust.keep({ id: host, known: ids.filter((id) => id === device || pin.known?.includes(id)) });
      this.#announce();
    } catch {
      // The browser could not store that, so the next list announces the device again.
      this.#trust.tell(null);
    }
  }

  /**
   * Asks a host to remove a device.
   * @param {string} host @param {string} id
   */
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
   * @returns {Promise<boolean>} True if the bytes answer a letter of this browser.
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
      // The host no longer trusts this browser, or was restored; its next refusal will show that.
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
    // While another message is in progress no device is announced; the views are redrawn, because they show the list.
    else this.#trust.tell(this.#trust.news());
  }

  /** Announces the oldest unread device. */
  #announce() {
    for (const [host, { devices }] of this.said) {
      const pin = this.#trust.hosts().get(host);
      const device = [...devices].reverse().find(({ id }) => pin?.known && !pin.known.includes(id));
      if (pin && device) return this.#trust.tell({ tone: "bad", words: newcomerWords(device, devices.find(({ id }) => id === device.by)?.name, pin.name), newcomer: { host, device: device.id } });
    }
    const news = this.#trust.news();
    this.#trust.tell(news?.newcomer ? null : news);
  }

  /**
   * The devices that were trusted before this browser, and this browser: a first list announces only later ones.
   * @param {TrustedDevice[]} devices
   */
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

  /** Sends unanswered letters, and repeats until none is left. */
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
