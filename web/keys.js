/**
 * What this browser keeps for consent, in IndexedDB: its own two keys, which no script can read out, the hosts that it trusts, and the secrets of links that
 * are under way. Page and worker share it.
 *
 * Losing it costs nothing but pairing again: there is no other copy, on purpose.
 */

import { keyIDOf } from "./consent.js";

/** @typedef {import("./consent.js").Points} Points */
/** @typedef {{sign: CryptoKey, box: CryptoKey, points: Points, id: Uint8Array}} OwnKeys */
/** @typedef {{id: string, sign: Uint8Array, box: Uint8Array, name: string, since: number, known?: string[], epochs?: Map<number, CryptoKey>, relayed?: string[]}} Pin A host: the id of its key, what it called itself, the devices that it trusts as far as a person here has read, the keys of what it seals, and what the relay calls it then. */
/** @typedef {Partial<Pick<Pin, "known"|"epochs"|"relayed">> & {id: string}} PinPart */
/** @typedef {{id: Uint8Array, point: Uint8Array, code: string, hosts: Record<string, "asked"|"taken">}} KeptPasskey The browser's id of it, its public key, and how it stands at each host. */
/**
 * @typedef {object} LinkSecret
 * @property {string} k       What the link carried.
 * @property {number} at      When it was opened.
 * @property {Record<string, Uint8Array>} letters What was made for each host: sent again, it is the same letter.
 * @property {string[]} answered Hosts that said yes or no.
 */

const name = "heliograph.consent";
const version = 1;
/** The one record of its store. */
const own = "own";

export class KeyStore {
  /** @type {Promise<IDBDatabase>|undefined} */ #opened;

  /** @returns {Promise<OwnKeys|undefined>} */
  async own() {
    return this.#do("keys", "readonly", (store) => store.get(own));
  }

  /**
   * Those that are there, or new ones. Of two tabs that make some at once both get the same.
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
   * The number of the next prompt. Taken in one transaction, so that two tabs never give the same; above the clock, so that a profile that was restored from a
   * backup goes on above what it gave after it.
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
   * Keeps what has changed of a pin, and a new one as a whole: what others of this browser wrote meanwhile stays.
   * @param {Pin|PinPart} part @returns {Promise<Pin|undefined>} As it is now; nothing if the host was forgotten.
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
   * Of this browser besides: what the page shows the relay, for its worker, which has no other place to look, and its passkey.
   * @param {"page"|"passkey"} name @returns {Promise<any>}
   */
  kept(name) {
    return this.#do("keys", "readonly", (store) => store.get(name));
  }

  /** @param {"page"|"passkey"} name @param {string|KeptPasskey} value */
  keep(name, value) {
    return this.#do("keys", "readwrite", (store) => store.put(value, name));
  }

  /** Everything goes, as when a person logs out. */
  async forget() {
    (await this.#opened)?.close();
    this.#opened = undefined;
    await new Promise((resolve, reject) => {
      const asked = indexedDB.deleteDatabase(name);
      // Other tabs close theirs when they are told, and the browser deletes it then.
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
        // Another tab that deletes it waits for this one.
        asked.result.onversionchange = () => {
          gone();
          asked.result.close();
        };
        resolve(asked.result);
      };
    });
  }

  /**
   * One record, in one transaction.
   * @param {string} place @param {string} key @param {(held: any) => any} changed Nothing where it stays as it is.
   * @returns {Promise<any>} As it is now.
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
   * One transaction, which is on the disk when this is done.
   * @param {string} place @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} work Gives the request whose result is wanted.
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
