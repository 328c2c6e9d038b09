/**
 * Notifications on this device, by the push service of its browser: what prevents them, and switching them on and off.
 *
 * ```
 * unknown ─▶ insecure | homeScreen | browser | relay | denied      somebody else has to do something first
 *         └▶ off ⇄ on
 * ```
 * A page asks about them when somebody looks at *Devices*, and, where they are on, each time that somebody comes back.
 *
 * The name of this device is kept once the relay has taken the registration, so that "on" means that both ends know of it. A registration that
 * was taken back elsewhere stays taken back: this browser then gives its subscription up too.
 */

import { systemName } from "./browser-name.js";
import { firstChoices } from "./devices.js";
import { language, t } from "./language.js";
import { CommandError } from "./link.js";

/** @typedef {"unknown"|"insecure"|"homeScreen"|"browser"|"relay"|"denied"|"off"|"on"} Standing */

/**
 * @typedef {object} Surroundings What of the browser is used.
 * @property {boolean} isSecure       Whether this is a secure context: there is no worker and no push elsewhere.
 * @property {boolean} isTabOfPhone   A tab of Safari on an iPhone, where only a page on the Home Screen is told anything.
 * @property {boolean} isAble         Whether the browser has workers, pushes and notifications at all.
 * @property {() => Promise<ServiceWorkerRegistration|undefined>} worker The page's, once it runs; none where the browser refused it.
 * @property {() => NotificationPermission} permission
 * @property {() => Storage} storage  Throws where site data is blocked.
 * @property {(path: string, options?: RequestInit) => Promise<Response>} ask
 * @property {() => number} now       Milliseconds.
 * @property {string} agent           The browser's own description of itself.
 */

/** Where this browser remembers under which name the relay knows it. */
const place = "heliograph.device";
/** A page that comes to the screen again and again tells the relay so often at most, unless its subscription is another. */
const tellEveryMs = 10 * 60_000;
/** A P-256 point, uncompressed. */
const keyBytes = 65;

export class WebPush {
  /** @type {Standing} */ standing = "unknown";
  /** What a person should know in addition to the standing, as a sentence: the relay's reason, or what went wrong. */
  reason = "";
  /** Something is under way that was asked for. */
  isBusy = false;

  /** @type {Surroundings} */ #around;
  /** @type {Pick<import("./link.js").Link, "command"|"isLive"|"freshID">} */ #link;
  /** @type {() => string} */ #name;
  /** @type {() => void} */ #changed;
  /** @type {ServiceWorkerRegistration|undefined} */ #worker;
  /** @type {Uint8Array|null} The relay's: fetched before anybody taps, as the tap must lead to the browser's question at once. */ #key = null;
  /** What the relay was told last, and when. */
  #told = { words: "", at: 0 };
  /** @type {Promise<void>|null} */ #refreshing = null;

  /**
   * @param {Surroundings} around
   * @param {Pick<import("./link.js").Link, "command"|"isLive"|"freshID">} link
   * @param {() => string} name What this device is called.
   * @param {() => void} changed
   */
  constructor(around, link, name, changed) {
    [this.#around, this.#link, this.#name, this.#changed] = [around, link, name, changed];
  }

  /** Under which name the relay knows this browser as a device; empty: it does not. */
  get device() {
    try {
      return this.#around.storage().getItem(place) ?? "";
    } catch {
      return ""; // Site data is blocked; there is no worker then either.
    }
  }

  /** The page came to the screen, or its link is live: checks the state of things, and tells the relay the present address for pushes. */
  refresh() {
    this.#refreshing ??= this.#look().finally(() => { this.#refreshing = null; });
    return this.#refreshing;
  }

  /** Somebody is back, or the link is: a browser that gets no pushes is not asked about them. */
  async returned() {
    if (this.device && this.#link.isLive) await this.refresh();
  }

  /** Straight from a tap: nothing may come between it and the browser's own question. */
  async switchOn() {
    if (!this.#worker || !this.#key || this.isBusy) return;
    const subscribing = this.#worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: this.#key });
    this.#begin();
    try {
      await this.#register(await subscribing, this.device || this.#link.freshID());
      this.#stand("on");
    } catch (error) {
      this.#failed(/** @type {Error} */ (error));
    }
    this.#end();
  }

  /** Nothing comes to this browser any more, whether or not the relay hears of it. */
  async switchOff() {
    this.#begin();
    const { device } = this;
    const problem = await this.#leave();
    this.#stand(problem ? this.standing : "off", problem);
    if (!problem && device) {
      try {
        await this.#link.command({ type: "forget", device });
      } catch (error) {
        const { code, message } = /** @type {CommandError} */ (error);
        if (code !== "notFound") this.reason = t`It is off here. The relay was not told, and finds out with its next push: ${message}`;
      }
    }
    this.#end();
  }

  /** This browser is logged out: the relay forgets it by itself. */
  async loggedOut() {
    await this.#leave();
    this.#told = { words: "", at: 0 };
    this.#stand("unknown");
    this.#changed();
  }

  async #look() {
    if (this.isBusy) return;
    try {
      const standing = await this.#obstacle();
      if (this.isBusy) return;
      if (standing) this.#stand(standing.standing, standing.reason);
      else await this.#compare();
    } catch (error) {
      this.#stand("unknown", t`The browser does not say whether it has a subscription: ${/** @type {Error} */ (error).message}`);
    }
    this.#changed();
  }

  /**
   * What somebody else has to change first; nothing where it is for this page to switch on or off.
   * @returns {Promise<{standing: Standing, reason?: string}|null>}
   */
  async #obstacle() {
    const { isSecure, isTabOfPhone, isAble } = this.#around;
    if (!isSecure) return { standing: "insecure" };
    if (isTabOfPhone) return { standing: "homeScreen" };
    if (!isAble) return { standing: "browser" };
    if (this.#around.permission() === "denied") return { standing: "denied" };
    this.#worker ??= await this.#around.worker();
    if (!this.#worker) return { standing: "browser", reason: t`It accepts no service worker from this page, for example because it does not trust the certificate.` };
    try {
      const response = await this.#around.ask("/v1/push/key", { cache: "no-store" });
      const said = await response.json().catch(() => null);
      if (response.status === 404) return { standing: "relay", reason: said?.error?.message ?? t`It is older than this page, or another server answers in its place.` };
      if (!response.ok) throw new Error(said?.error?.message ?? t`The relay answered ${response.status}.`);
      this.#key = keyFrom(said?.key);
      return null;
    } catch (error) {
      if (this.standing === "on" || this.standing === "off") return { standing: this.standing, reason: this.reason };
      return { standing: "unknown", reason: error instanceof TypeError ? t`The relay cannot be reached.` : /** @type {Error} */ (error).message };
    }
  }

  /** Brings what this browser has and what the relay knows together. */
  async #compare() {
    const { pushManager } = /** @type {ServiceWorkerRegistration} */ (this.#worker);
    const key = /** @type {Uint8Array} */ (this.#key);
    let subscription = await pushManager.getSubscription();
    const { device } = this;
    if (subscription && !isSame(subscription.options.applicationServerKey, key)) {
      // It belongs to another key of the relay's, as after its data was lost: its pushes would all be refused. It also prevents a new one.
      await subscription.unsubscribe();
      subscription = null;
      if (device) subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }).catch(() => null);
      if (device && !subscription) return this.#stand("off", t`The relay has a new key: switch notifications on again.`);
    }
    if (!device) return this.#stand("off");
    if (!subscription) return this.#stand("off", t`The browser has switched them off, as it does after a long time or a change in its settings. Switch them on again.`);
    return this.#keepUp(subscription, device);
  }

  /** @param {PushSubscription} subscription @param {string} device */
  async #keepUp(subscription, device) {
    const isTold = this.#told.words === wordsOf(subscription);
    if (!this.#link.isLive || (isTold && this.#around.now() - this.#told.at < tellEveryMs)) return this.#stand("on");
    try {
      const { devices = [] } = await this.#link.command({ type: "devices" });
      if (!devices.some((known) => known.device.device === device)) {
        await this.#leave();
        return this.#stand("off", t`They were switched off for this browser from elsewhere.`);
      }
      await this.#register(subscription, device);
      return this.#stand("on");
    } catch (error) {
      return this.#stand("on", t`The relay was not told the new address for pushes: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {PushSubscription} subscription @param {string} device */
  async #register(subscription, device) {
    const { endpoint, keys } = subscription.toJSON();
    await this.#link.command({
      type: "device",
      device: {
        device, name: this.#name(), system: systemName(this.#around.agent), language: language.tag,
        web: { endpoint: String(endpoint), p256dh: String(keys?.p256dh), auth: String(keys?.auth) }, ...firstChoices,
      },
    });
    this.#around.storage().setItem(place, device);
    this.#told = { words: wordsOf(subscription), at: this.#around.now() };
  }

  /** @returns {Promise<string>} Why pushes still come to this browser; empty where they do not. */
  async #leave() {
    try {
      const subscription = await (this.#worker ?? (this.device ? await this.#around.worker() : undefined))?.pushManager.getSubscription();
      if (subscription && !(await subscription.unsubscribe())) return t`The browser did not give up its subscription. Try again.`;
      if (this.device) this.#around.storage().removeItem(place);
      return "";
    } catch (error) {
      return t`The browser did not give up its subscription: ${/** @type {Error} */ (error).message}`;
    }
  }

  /** @param {Error} error */
  #failed(error) {
    if (this.#around.permission() === "denied") return this.#stand("denied");
    if (error instanceof CommandError) return this.#stand("off", t`The relay did not take it: ${error.message}`);
    if (error.name === "NotAllowedError") return this.#stand("off", t`The browser was not allowed to. Tap again, and choose Allow when it asks.`);
    return this.#stand("off", t`The browser did not reach its push service: ${error.message}`);
  }

  /** @param {Standing} standing @param {string} [reason] */
  #stand(standing, reason = "") {
    [this.standing, this.reason] = [standing, reason];
  }

  #begin() {
    this.isBusy = true;
    this.#changed();
  }

  #end() {
    this.isBusy = false;
    this.#changed();
  }
}

/** @param {PushSubscription} subscription */
const wordsOf = (subscription) => JSON.stringify(subscription.toJSON());

/** @param {unknown} text In base64url. @returns {Uint8Array} */
function keyFrom(text) {
  const bytes = Uint8Array.from(atob(String(text).replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
  if (bytes.length !== keyBytes || bytes[0] !== 4) throw new Error(t`The relay's key for pushes is not valid.`);
  return bytes;
}

/** @param {ArrayBuffer|null} given @param {Uint8Array} wanted */
function isSame(given, wanted) {
  if (!given || given.byteLength !== wanted.length) return false;
  const bytes = new Uint8Array(given);
  return wanted.every((byte, at) => byte === bytes[at]);
}
