/**
 * This browser's data for signed consent, in IndexedDB: its two private keys, which scripts cannot export, the hosts that it trusts, and secrets of links in
 * progress. Page and service worker share it.
 *
 * If it is lost, the browser has to be paired again: on purpose there is no other copy.
 */

import { keyIDOf } from "./consent.js";

/** @typedef {import("./consent.js").Points} Points */
/** @typedef {{sign: CryptoKey, box: CryptoKey, points: Points, id: Uint8Array}} OwnKeys */
/**
 * @typedef {{id: string, sign: Uint8Array, box: Uint8Array, name: string, since: number, known?: string[], epochs?: Map<number, CryptoKey>, relayed?:
 * string[]}} Pin A trusted host. `known`: its trusted devices that the person here has seen; `epochs`: its content keys; `relayed`: the relay's ids
 * of the host.
 */
/** @typedef {Partial<Pick<Pin, "known"|"epochs"|"relayed">> & {id: string}} PinPart */
/**
 * @typedef {{id: Uint8Array, point: Uint8Array, code: string, hosts: Record<string, "asked"|"taken">}} KeptPasskey A passkey: its credential id, its
 * public key, and its state at each host.
 */
/**
 * @typedef {object} LinkSecret
 * @property {string} k       The link's parameter `k`.
 * @property {number} at      The time at which the link was opened.
 * @property {Record<string, Uint8Array>} letters The letter to each host, kept so that a repetition is the same letter.
 * @property {string[]} answered Hosts that accepted or refused.
 */

const name = "heliograph.consent";
const version = 1;
/** The key of the single record in the store of own keys. */
const own = "own";

export class KeyStore {
  /** @type {Promise<IDBDatabase>|undefined} */ #opened;

  /** @returns {Promise<OwnKeys|undefined>} */
  async own() {
    return this.#do("keys", "readonly", (store) => store.get(own));
  }

  /**
   * The existing keys, or new ones. Two tabs that create keys at once get the same ones.
   * @returns {Promise<OwnKeys>}
   */
  async make() {
    const held = await this.own();
    if (held) return held;
    const [sign, box] = await Promise.all([
      crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]),
      crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, ["deriveKey"]),
    ]);
    const points = { sign: await pointOf(sign), box: await pointOf(box) };
    const made = { sign: sign.privateKey, box: box.privateKey, points, id: await keyIDOf(points.sign) };
    return this.#change("keys", own, (other) => other ?? made);
  }

  /**
   * The count of the next command. Taken in one transaction, so that two tabs never use the same; not below the clock, so that a profile restored from a backup continues above the counts used after the backup.
   * @param {number} now Milliseconds.
   * @returns {Promise<number>}
   */
  nextCount(now) {
    return this.#change("counts", own, (last) => Math.max((last ?? 0) + 1, Math.floor(now)));
  }

  /** @returns {Promise<Pin[]>} */
  hosts() {
    return this.#do("hosts", "readonly", (store) => store.getAll());
  }

  /**
   * Stores the changed fields of a pin, or a new pin: fields that other tabs wrote meanwhile are kept.
   * @param {Pin|PinPart} part @returns {Promise<Pin|undefined>} The stored pin; undefined if the host was forgotten meanwhile.
   */
  pin(part) {
    return this.#change("hosts", part.id, (held) => (held || /** @type {Pin} */ (part).sign ? { ...held, ...part } : undefined));
  }

  /** @param {string} id */
  unpin(id) {
    return this.#do("hosts", "readwrite", (store) => store.delete(id));
  }

  /** @returns {Promise<LinkSecret[]>} */
  secrets() {
    return this.#do("secrets", "readonly", (store) => store.getAll());
  }

  /** @param {LinkSecret} secret */
  keepSecret(secret) {
    return this.#do("secrets", "readwrite", (store) => store.put(secret, secret.k));
  }

  /** @param {string} k */
  dropSecret(k) {
    return this.#do("secrets", "readwrite", (store) => store.delete(k));
  }

  /**
   * Reads another record: the page's half of the credential, which the service worker can read only here, or the passkey.
   * @param {"page"|"passkey"} name @returns {Promise<any>}
   */
  kept(name) {
    return this.#do("keys", "readonly", (store) => store.get(name));
  }

  /** @param {"page"|"passkey"} name @param {string|KeptPasskey} value */
  keep(name, value) {
    return this.#do("keys", "readwrite", (store) => store.put(value, name));
  }

  /** Deletes everything, for example when a person logs out. */
  async forget() {
    (await this.#opened)?.close();
    this.#opened = undefined;
    await new Promise((resolve, reject) => {
      const asked = indexedDB.deleteDatabase(name);
      // Other tabs close the database when they are notified; the browser then deletes it.
      asked.onsuccess = asked.onblocked = resolve;
      asked.onerror = () => reject(asked.error);
    });
  }

  /** @returns {Promise<IDBDatabase>} */
  #open() {
    const gone = () => { this.#opened = undefined; };
    return new Promise((resolve, reject) => {
      const asked = indexedDB.open(name, version);
      asked.onupgradeneeded = () => ["keys", "counts", "hosts", "secrets"].forEach((place) => asked.result.createObjectStore(place));
      asked.onerror = () => {
        gone();
        reject(asked.error);
      };
      asked.onsuccess = () => {
        asked.result.onclose = gone;
        // The database is closed, because another tab's deletion waits for that.
        asked.result.onversionchange = () => {
          gone();
          asked.result.close();
        };
        resolve(asked.result);
      };
    });
  }

  /**
   * Changes a record in one transaction.
   * @param {string} place @param {string} key @param {(held: any) => any} changed Returns undefined to leave the record unchanged.
   * @returns {Promise<any>} The record afterwards.
   */
  #change(place, key, changed) {
    /** @type {any} */ let now;
    return this.#do(place, "readwrite", (store) => {
      const held = store.get(key);
      held.onsuccess = () => {
        now = changed(held.result);
        if (now !== undefined) store.put(now, key);
      };
      return held;
    }).then(() => now);
  }

  /**
   * Runs one transaction; resolves once it is committed.
   * @param {string} place @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} work Returns the request whose result is returned.
   * @returns {Promise<any>}
   */
  async #do(place, mode, work) {
    const database = await (this.#opened ??= this.#open());
    return new Promise((resolve, reject) => {
      const transaction = database.transaction(place, mode, { durability: "strict" });
      const request = work(transaction.objectStore(place));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  }
}

/** @param {CryptoKeyPair} pair */
const pointOf = async ({ publicKey }) => new Uint8Array(await crypto.subtle.exportKey("raw", publicKey));
