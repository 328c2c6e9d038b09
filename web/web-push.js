/**
 * Notifications on this device by its browser's push service: obstacles, and switching them on and off.
 *
 * ```
 * unknown ─▶ insecure | homeScreen | browser | relay | denied      a person has to change something first
 *         └▶ off ⇄ on
 * ```
 * The page checks the state when *Devices* is opened, and, if notifications are on, each time the page returns to the screen.
 *
 * This device's id is stored only once the relay has accepted the registration, so that "on" means that both ends agree. If the registration
 * was removed on another device, it stays removed: this browser then ends its subscription, too.
 */

import { systemName } from "./browser-name.js";
import { firstChoices } from "./first-choices.js";
import { language, t } from "./language.js";
import { CommandError } from "./link.js";

/** @typedef {"unknown"|"insecure"|"homeScreen"|"browser"|"relay"|"denied"|"off"|"on"} Standing */

/**
 * @typedef {object} Surroundings The browser's functions used here.
 * @property {boolean} isSecure       True in a secure context: only there are service workers and pushes.
 * @property {boolean} isTabOfPhone   True in a Safari tab on an iPhone, where only pages on the Home Screen get pushes.
 * @property {boolean} isAble         True if the browser supports service workers, pushes and notifications.
 * @property {() => Promise<ServiceWorkerRegistration|undefined>} worker The page's registration once its worker runs; undefined if the browser refused it.
 * @property {() => NotificationPermission} permission
 * @property {() => Storage} storage  Throws if site data is blocked.
 * @property {(path: string, options?: RequestInit) => Promise<Response>} ask
 * @property {() => number} now       The time in milliseconds.
 * @property {string} agent           The browser's user agent string.
 */

/** The storage key of this browser's device id at the relay. */
const place = "heliograph.device";
/** Interval at which a page that keeps returning to the screen sends its subscription to the relay, unless that has changed. */
const tellEveryMs = 10 * 60_000;
/** Bytes of an uncompressed P-256 point. */
const keyBytes = 65;

export class WebPush {
  /** @type {Standing} */ standing = "unknown";
  /** A sentence in addition to the state: the relay's reason, or an error. */
  reason = "";
  /** Switching on or off is in progress. */
  isBusy = false;

  /** @type {Surroundings} */ #around;
  /** @type {Pick<import("./link.js").Link, "command"|"isLive"|"freshID">} */ #link;
  /** @type {() => string} */ #name;
  /** @type {() => void} */ #changed;
  /** @type {ServiceWorkerRegistration|undefined} */ #worker;
  /** @type {Uint8Array|null} The relay's public key, fetched before the tap, because the tap must lead to the browser's permission prompt at once. */ #key = null;
  /** The last registration sent to the relay, and its time. */
  #told = { words: "", at: 0 };
  /** @type {Promise<void>|null} */ #refreshing = null;

  /**
   * @param {Surroundings} around
   * @param {Pick<import("./link.js").Link, "command"|"isLive"|"freshID">} link
   * @param {() => string} name This device's name.
   * @param {() => void} changed
   */
  constructor(around, link, name, changed) {
    [this.#around, this.#link, this.#name, this.#changed] = [around, link, name, changed];
  }

  /** The id under which the relay knows this browser as a device; empty if it does not. */
  get device() {
    try {
      return this.#around.storage().getItem(place) ?? "";
    } catch {
      return ""; // Site data is blocked, so there is no service worker either.
    }
  }

  /** Called when the page returns to the screen or its link is live: checks the state, and sends the current subscription to the relay. */
  refresh() {
    this.#refreshing ??= this.#look().finally(() => { this.#refreshing = null; });
    return this.#refreshing;
  }

  /** Called when the page returns to the screen or the link is live: does nothing in a browser without notifications. */
  async returned() {
    if (this.device && this.#link.isLive) await this.refresh();
  }

  /** Called directly by a tap: nothing may be awaited before the browser's permission prompt. */
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

  /** Ends the subscription, even if the relay cannot be reached. */
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

  /** Called after logging out; the relay removes the device by itself. */
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
   * The obstacle that a person has to remove first; null if this page can switch notifications on and off.
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

  /** Compares the browser's subscription with the relay's registration, and corrects either. */
  async #compare() {
    const { pushManager } = /** @type {ServiceWorkerRegistration} */ (this.#worker);
    const key = /** @type {Uint8Array} */ (this.#key);
    let subscription = await pushManager.getSubscription();
    const { device } = this;
    if (subscription && !isSame(subscription.options.applicationServerKey, key)) {
      // The subscription was made with another key of the relay, for example before its data was lost: its pushes would be refused, and it prevents a new
      // subscription.
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

  /**
   * The reason why pushes still arrive in this browser; empty if none do.
   * @returns {Promise<string>}
   */
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

/**
 * Decodes a key from base64url.
 * @param {unknown} text @returns {Uint8Array}
 */
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
