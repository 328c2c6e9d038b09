/**
 * The WebSocket to the relay: greeting, subscriptions, commands, and coming back after every kind of loss.
 *
 * ```
 * connecting ─▶ greeting ─▶ catchingUp ─▶ live ⇄ silent
 *      ▲            │            │          │      │
 *      └── waiting ◀┴────────────┴──────────┴──────┘        stopped: a close code said not to come back
 * ```
 * The clock, the timers, the dice and the socket are arguments, so that tests can hold all four.
 */

import { t } from "./language.js";
import { parsedMessage } from "./numbers.js";

/** @typedef {import("./wire").Message} Message */
/** @typedef {import("./wire").Command} Command */
/** @typedef {import("./wire").Reply} Reply */
/** @typedef {import("./wire").Position} Position */

/** @typedef {"paired"|"unpaired"|"removed"|"unknown"} Standing What an ordinary request says: `removed` is the whole workspace. */

/**
 * @typedef {object} Environment
 * @property {() => WebSocket} open             Opens the socket, which by itself says hello and subscribes to the workspace.
 * @property {() => number} now                 Milliseconds.
 * @property {() => number} random              0 up to 1.
 * @property {(run: () => void, milliseconds: number) => any} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => Promise<boolean>} [answers] Whether the relay answers an ordinary request; without it each attempt is a socket.
 * @property {() => Promise<Standing>} standing Asked when an upgrade was refused.
 */

/**
 * @typedef {object} Listener
 * @property {(message: Message, text: string) => void} message With its text.
 * @property {(reply: Reply & {session: string}, text: string, give: (reply: Reply) => void) => void} [history] Events that were asked for have come: takes them, and gives them on.
 * @property {() => void} state                 The link's state changed.
 * @property {(session: string) => Position|undefined} position Where the session's log can go on from.
 */

/** @typedef {"idle"|"connecting"|"greeting"|"catchingUp"|"live"|"silent"|"waiting"|"stopped"} Phase */

const backoffFirstMs = 500; // one round trip of a bad line
const backoffMaxMs = 30_000; // a phone in a pocket finds the relay again within half a minute
const restartingMs = 1_000; // the relay said it is restarting, and not when to come back: about how long that takes
const restartingMaxMs = 60_000;
const socketsMax = 3; // attempts that fail before the relay is asked first: Firefox holds a page's next socket back for longer after each one that failed, up to a minute
const settledMs = 5_000; // a link that lived this long was a good one: forget the failures before it
const attemptMs = 10_000; // a network that swallows packets refuses nothing: browsers themselves try for minutes
const wakeProbeMs = 4_000; // a page that comes back to the screen waits this long for a sign of life
const commandsMax = 100; // commands that wait for a reply: more than hands can make

/** An answer that was not the wanted one. `code` is the wire's, or `linkLost`. */
export class CommandError extends Error {
  /** @param {import("./wire").WireError} error */
  constructor({ code, message, winner }) {
    super(message);
    this.code = code;
    this.winner = winner;
  }
}

export class Link {
  /** @type {Phase} */
  phase = "idle";
  /** When the relay was last heard, or 0. */
  heardAt = 0;
  /** When the next attempt is due, while waiting. */
  retryAt = 0;
  /** The close code that stopped the link. */
  stopCode = 0;
  /** True if it stopped because its workspace was removed. */
  wasRemoved = false;

  /** @type {Environment} */ #environment;
  /** @type {Listener} */ #listener;
  /** @type {WebSocket|null} */ #socket = null;
  /** @type {object|null} The question whether the relay answers, before a socket is opened. */ #asked = null;
  /** @type {any} */ #timer = null;
  /** @type {any} */ #pulse = null;
  #failures = 0;
  #liveAt = 0;
  #heartbeat = { pingSeconds: 20, hangUpSeconds: 45 };
  /** When the link is dead unless the relay was heard; 0 while nothing was asked. */ #probedUntil = 0;
  /** @type {Set<string>} */ #watched = new Set();
  /** @type {Set<string>} Watched, but not known to the relay when it was asked. */ #refused = new Set();
  /** @type {Map<string, {message: Command, again: boolean, resolve: (reply: Reply) => void, reject: (error: CommandError) => void}>} */
  #commands = new Map();

  /** @param {Environment} environment @param {Listener} listener */
  constructor(environment, listener) {
    this.#environment = environment;
    this.#listener = listener;
  }

  get isLive() {
    return this.phase === "live";
  }

  start() {
    if (this.#socket || this.#asked) return;
    this.#cancel();
    this.#become("connecting");
    this.#limit();
    if (this.#failures < socketsMax || !this.#environment.answers) return this.#open();
    const asked = {};
    this.#asked = asked;
    this.#environment.answers().then((isThere) => {
      if (asked !== this.#asked) return;
      this.#asked = null;
      if (isThere) return this.#open();
      this.#leave();
      this.#wait(this.#backoff());
    });
  }

  #open() {
    const socket = this.#environment.open();
    this.#socket = socket;
    // Each handler asks whether its socket is still the one: a socket that was given up may still speak.
    socket.onopen = () => socket === this.#socket && this.#opened();
    socket.onmessage = (event) => socket === this.#socket && this.#received(event.data);
    socket.onclose = (event) => socket === this.#socket && this.#closed(event.code, event.reason);
    this.#limit();
  }

  /** Says goodbye and stays away, as after logging out. */
  stop() {
    this.#cancel();
    const socket = this.#socket;
    this.#asked = null;
    this.#socket = null;
    socket?.close(1000);
    this.stopCode = 1000;
    this.#become("stopped");
  }

  /**
   * The page came to the screen, the network came back, or a person asked: a timer may have slept, and an attempt that has not become a live link
   * may go by a network that is gone. So it begins anew; a live link is asked first.
   */
  wake() {
    if (this.phase === "idle" || this.phase === "stopped") return;
    if (this.phase === "live") return this.#probe(wakeProbeMs);
    this.#leave();
    this.start();
  }

  /**
   * Follows a session from its log's position.
   * @param {string} session
   */
  watch(session) {
    this.#watched.add(session);
    if (this.#greeted) this.#subscribe(session);
  }

  /** @param {string} session */
  unwatch(session) {
    if (this.#watched.delete(session) && this.#greeted) this.#quietly({ type: "unsubscribe", session });
  }

  /**
   * There is news of the session: if the relay did not know it when it was asked for, it does now.
   * @param {string} session
   */
  exists(session) {
    if (this.#refused.delete(session) && this.#watched.has(session) && this.#greeted) this.#subscribe(session);
  }

  /**
   * Follows the session again, from a snapshot.
   * @param {string} session
   */
  rewatch(session) {
    if (this.#watched.has(session) && this.#greeted) this.#quietly({ type: "subscribe", session });
  }

  /**
   * Sends a command and gives its reply.
   * @param {Command} message
   * @param {{id?: string, again?: boolean}} [options] `again`: send it once more, with the same id, if the link breaks before the reply.
   * @returns {Promise<Reply>}
   */
  command(message, options = {}) {
    const { id = this.freshID(), again = false } = options;
    return new Promise((resolve, reject) => {
      if (this.#commands.size >= commandsMax) return reject(crowded());
      if (!this.#greeted && !again) return reject(lost());
      this.#commands.set(id, { message, again, resolve, reject });
      if (this.#greeted) this.#send({ ...message, id });
      return undefined;
    });
  }

  /** An id for a command. `crypto.randomUUID` would need a secure context, which a relay on the local network is not. */
  freshID() {
    return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  get #greeted() {
    return this.phase === "catchingUp" || this.phase === "live" || this.phase === "silent";
  }

  #opened() {
    this.#become("greeting");
    this.#limit();
  }

  /** For the phase that begins. */
  #limit() {
    this.#environment.clearTimer(this.#timer);
    this.#timer = this.#environment.setTimer(() => this.#giveUp(), attemptMs);
  }

  /** @param {unknown} data */
  #received(data) {
    this.heardAt = this.#environment.now();
    this.#probedUntil = 0;
    /** @type {Message} */
    let message;
    const text = String(data);
    try {
      message = parsedMessage(text);
    } catch {
      return; // Not JSON: nothing that this page could do something about, and no reason to lose the link.
    }
    if (message.type === "welcome") this.#welcomed(message);
    if (message.type === "reply") this.#replied(message, text);
    else this.#listener.message(message, text);
    if (message.type === "snapshot" && message.session === undefined && this.phase === "catchingUp") {
      this.#liveAt = this.#environment.now();
      this.#become("live");
    } else if (this.phase === "silent") {
      this.#become("live");
    }
  }

  /** @param {import("./wire").Welcome} welcome */
  #welcomed(welcome) {
    this.#cancel();
    this.#heartbeat = welcome.heartbeat ?? this.#heartbeat;
    this.#become("catchingUp");
    this.#watched.forEach((session) => this.#subscribe(session));
    for (const [id, { message, again }] of this.#commands) if (again) this.#send({ ...message, id });
    this.#beat();
  }

  /** @param {string} session */
  #subscribe(session) {
    const after = this.#listener.position(session);
    this.command(after ? { type: "subscribe", session, after } : { type: "subscribe", session })
      .catch(({ code }) => code === "notFound" && this.#refused.add(session));
  }

  /** @param {Reply} reply @param {string} text */
  #replied(reply, text) {
    const waiting = this.#commands.get(reply.id);
    this.#commands.delete(reply.id);
    if (reply.error) waiting?.reject(new CommandError(reply.error));
    else if (waiting?.message.type === "history" && this.#listener.history) this.#listener.history({ ...reply, session: waiting.message.session }, text, waiting.resolve);
    else waiting?.resolve(reply);
  }

  /** @param {number} code @param {string} reason */
  #closed(code, reason) {
    const greeted = this.#greeted;
    this.#drop(code === 1002 || code === 1003 || code === 1007 || code === 1009);
    if (greeted && this.#environment.now() - this.#liveAt >= settledMs) this.#failures = 0;
    if (code >= 4400 && code <= 4499) return this.#halt(code, reason.includes("workspace was removed"));
    const named = Number.parseInt(reason.match(/\d+/)?.[0] ?? "", 10);
    if (code === 4029) return this.#wait((named || 10) * 1000);
    if (code === 4000) return this.#wait(Math.min(named >= 0 ? named : restartingMs * (1 + this.#environment.random()), restartingMaxMs));
    if (!greeted && code === 1006) {
      // A refused upgrade looks like a network failure from here; only an ordinary request can tell 401 from nobody there.
      this.#environment.standing().then((standing) => {
        if (["unpaired", "removed"].includes(standing) && this.phase === "waiting") this.#halt(4401, standing === "removed");
      });
    }
    return this.#wait(this.#backoff());
  }

  /** Capped, doubling, and at random within the whole span: a thousand pages must not come back at the same moment. */
  #backoff() {
    const span = Math.min(backoffMaxMs, backoffFirstMs * 2 ** this.#failures);
    this.#failures += 1;
    return span * (0.5 + this.#environment.random() / 2);
  }

  /** @param {number} milliseconds */
  #wait(milliseconds) {
    this.retryAt = this.#environment.now() + milliseconds;
    this.#become("waiting");
    this.#timer = this.#environment.setTimer(() => this.start(), milliseconds);
  }

  /** @param {number} code @param {boolean} wasRemoved */
  #halt(code, wasRemoved) {
    this.#cancel();
    this.stopCode = code;
    this.wasRemoved = wasRemoved;
    this.#become("stopped");
    for (const { reject } of this.#commands.values()) reject(lost());
    this.#commands.clear();
  }

  /** The peer is not there any more, whatever the socket says. */
  #giveUp() {
    this.#leave();
    this.#closed(1006, "");
  }

  #leave() {
    const socket = this.#socket;
    this.#drop(false);
    socket?.close();
  }

  /** @param {boolean} all Whether also the commands that would be sent again are given up: one of them may be what broke the link. */
  #drop(all) {
    this.#cancel();
    this.#asked = null;
    this.#socket = null;
    for (const [id, { again, reject }] of this.#commands) {
      if (again && !all) continue;
      this.#commands.delete(id);
      reject(lost());
    }
  }

  #cancel() {
    this.#environment.clearTimer(this.#timer);
    this.#environment.clearTimer(this.#pulse);
    this.#timer = null;
    this.#pulse = null;
    this.#probedUntil = 0;
  }

  /**
   * Browsers hide the socket's pings, so silence alone proves nothing. When the relay has not been heard for as long as it
   * lets its own pings wait, it is asked something; without an answer before its hang-up time, the link is dead.
   */
  #beat() {
    this.#environment.clearTimer(this.#pulse);
    const { pingSeconds, hangUpSeconds } = this.#heartbeat;
    // A clock that is set back says as little of when that was as one that is set forward.
    const silence = Math.abs(this.#environment.now() - this.heardAt);
    if (this.#probedUntil) return this.#silent(Math.max(hangUpSeconds * 1000 - silence, 1000));
    if (silence >= pingSeconds * 1000) return this.#probe(Math.max((hangUpSeconds - pingSeconds) * 1000, wakeProbeMs));
    this.#pulse = this.#environment.setTimer(() => this.#beat(), pingSeconds * 1000 - silence);
    return undefined;
  }

  /** @param {number} patience Milliseconds for the answer: the link is called silent after a third, dead after all. */
  #probe(patience) {
    const until = this.#environment.now() + patience;
    if (this.#probedUntil && this.#probedUntil <= until) return;
    this.#environment.clearTimer(this.#pulse);
    this.#probedUntil = until;
    this.#quietly({ type: "ping" });
    this.#pulse = this.#environment.setTimer(() => {
      if (this.#probedUntil) this.#silent((patience * 2) / 3);
      else this.#beat();
    }, patience / 3);
  }

  /** @param {number} milliseconds Until it is given up. */
  #silent(milliseconds) {
    if (this.phase === "live") this.#become("silent");
    this.#pulse = this.#environment.setTimer(() => (this.#probedUntil ? this.#giveUp() : this.#beat()), milliseconds);
  }

  /**
   * Sends a command whose failure needs no words.
   * @param {Command} message
   */
  #quietly(message) {
    this.command(message).catch(() => undefined);
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message));
  }

  /** @param {Phase} phase */
  #become(phase) {
    this.phase = phase;
    this.#listener.state();
  }
}

const crowded = () => new CommandError({ code: "tooMany", message: t`Too many commands wait for a reply.` });
const lost = () => new CommandError({ code: "linkLost", message: t`The connection broke before the relay answered.` });
