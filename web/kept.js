/**
 * The relay's last messages, kept on this device so that the page can show them without a connection. Sealed content stays sealed: the keys that open it
 * cannot be exported by scripts. Deleted together with this browser's key. Kept approvals cannot be decided, and the relay's messages replace everything here.
 */

import { asSent } from "./ingress.js";
import { jsonText, parsedMessage } from "./numbers.js";

/** @typedef {import("./wire").Message} Message */
/** @typedef {{at: number, text: string}} Leaf */
/**
 * @typedef {object} Shelf The storage for kept messages.
 * @property {(name: string) => Promise<Leaf|undefined>} get
 * @property {(name: string, leaf: Leaf) => Promise<unknown>} put
 * @property {(name: string) => Promise<unknown>} drop
 * @property {() => Promise<string[]>} names
 * @property {() => Promise<unknown>} forget
 */

/** Sessions that are kept, most recent first: some weeks of one person's work. */
const sessionsMax = 300;
/** Events that are kept of a session, from its end: a screen and some pages before it. */
const eventsMax = 300;
/** Bytes of a kept log, which may have fewer events for that: phones give a page little room. */
const logBytesMax = 1_000_000;
/** Sessions whose events are kept: the last opened ones. */
const logsMax = 12;

/** Age above which kept content is not shown, because a browser revoked meanwhile would not know. */
const keptMs = 7 * 86_400_000;

const workspace = "workspace";
const log = (/** @type {string} */ session) => `log ${session}`;

export class Kept {
  #shelf;
  #now;
  /** @type {Map<string, number>} The last event's number of each session when it was kept. */ #written = new Map();
  #forgotten = 0;

  /** @param {Shelf} shelf @param {() => number} now */
  constructor(shelf, now) {
    this.#shelf = shelf;
    this.#now = now;
  }

  /**
   * The kept workspace as messages for the store, but without the mark of the last page, so that it counts as incomplete until the relay answers.
   * @returns {Promise<{at: number, messages: Message[]}|undefined>}
   */
  async workspace() {
    const leaf = await this.#read(workspace);
    return leaf && { at: leaf.at, messages: leaf.value };
  }

  /** @param {string} session @returns {Promise<Message|undefined>} */
  async log(session) {
    return (await this.#read(log(session)))?.value;
  }

  /** @param {import("./store.js").State} state */
  async keep(state) {
    if (!state.loaded || !state.welcome) return;
    const at = this.#now();
    const begun = this.#forgotten;
    const sessions = [...state.sessions.values()].sort((a, b) => b.lastActivityAt - a.lastActivityAt).slice(0, sessionsMax);
    const approvals = [...state.approvals.values()].filter(({ stage }) => stage === "pending");
    await this.#shelf.put(workspace, { at, text: jsonText([state.welcome, { type: "snapshot", sessions: sessions.map(asSent), approvals: approvals.map(asSent), more: true }]) });
    for (const { session, seq, last, epoch, events } of state.logs.values()) {
      if (begun !== this.#forgotten) return;
      const summary = state.sessions.get(session);
      // A log whose reader is far back lacks the newest events, so it is not kept.
      if (!summary || last < seq || this.#written.get(session) === seq) continue;
      for (let count = Math.min(events.length, eventsMax); count > 0; count = Math.floor(count / 2)) {
        const text = jsonText({ type: "snapshot", session, epoch, first: seq - count + 1, seq, events: events.slice(-count).map(asSent), summary: asSent(summary), approvals: [] });
        if (text.length > logBytesMax) continue;
        await this.#shelf.put(log(session), { at, text });
        this.#written.set(session, seq);
        break;
      }
    }
    await this.#prune();
  }

  /** Deletes everything, after a logout or a change of workspace. */
  async forget() {
    this.#forgotten += 1;
    this.#written.clear();
    await this.#shelf.forget();
  }

  async #prune() {
    const names = (await this.#shelf.names()).filter((name) => name !== workspace);
    if (names.length <= logsMax) return;
    const leaves = await Promise.all(names.map(async (name) => ({ name, at: (await this.#shelf.get(name))?.at ?? 0 })));
    for (const { name } of leaves.sort((a, b) => b.at - a.at).slice(logsMax)) await this.#shelf.drop(name);
  }

  /**
   * Reads a stored entry; undefined if there is none, or one that this page did not write.
   * @param {string} name @returns {Promise<{at: number, value: any}|undefined>}
   */
  async #read(name) {
    try {
      const leaf = await this.#shelf.get(name);
      return leaf && this.#now() - leaf.at < keptMs ? { at: leaf.at, value: parsedMessage(leaf.text) } : undefined;
    } catch {
      return undefined;
    }
  }
}

const database = "heliograph.kept";

/**
 * The storage of this browser.
 * @returns {Shelf}
 */
export function browserShelf() {
  /** @type {Promise<IDBDatabase>|undefined} */ let opened;
  const open = () => (opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(database, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("leaves");
    asked.onerror = () => reject(asked.error);
    asked.onsuccess = () => {
      asked.result.onversionchange = () => asked.result.close();
      resolve(asked.result);
    };
  }));
  /** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} work @returns {Promise<any>} */
  const ask = async (mode, work) => {
    const held = await open();
    return new Promise((resolve, reject) => {
      const request = work(held.transaction("leaves", mode).objectStore("leaves"));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
  };
  return {
    get: (name) => ask("readonly", (store) => store.get(name)),
    put: (name, leaf) => ask("readwrite", (store) => store.put(leaf, name)),
    drop: (name) => ask("readwrite", (store) => store.delete(name)),
    names: () => ask("readonly", (store) => store.getAllKeys()),
    forget: () => ask("readwrite", (store) => store.clear()),
  };
}
