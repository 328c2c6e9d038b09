/**
 * The WebSocket to the relay: greeting, subscriptions, commands, and reconnecting after every kind of loss.
 *
 * ```
 * connecting ─▶ greeting ─▶ catchingUp ─▶ live ⇄ silent
 *      ▲            │            │          │      │
 *      └── waiting ◀┴────────────┴──────────┴──────┘        stopped: a close code forbade reconnecting
 * ```
 * Clock, timers, randomness and socket are arguments, so that tests control them.
 */

import { t } from "./language.js";
import { parsedMessage } from "./numbers.js";

/** @typedef {import("./wire").Message} Message */
/** @typedef {import("./wire").Command} Command */
/** @typedef {import("./wire").Reply} Reply */
/** @typedef {import("./wire").Position} Position */

/** @typedef {"paired"|"unpaired"|"removed"|"unknown"} Standing The relay's answer about this browser; `removed`: its whole workspace was removed. */

/**
 * @typedef {object} Environment
 * @property {() => WebSocket} open             Opens a socket that sends `hello` and subscribes to the workspace by itself.
 * @property {() => number} now                 The time in milliseconds.
 * @property {() => number} random              A random number from 0 up to 1.
 * @property {(run: () => void, milliseconds: number) => any} setTimer
 * @property {(timer: any) => void} clearTimer
 * @property {() => Promise<boolean>} [answers] True if the relay answers a plain HTTP request; if absent, every attempt opens a socket.
 * @property {() => Promise<Standing>} standing    The relay's answer about this browser; called after a refused upgrade.
 */

/**
 * @typedef {object} Listener
 * @property {(message: Message, text: string) => void} message A message, parsed and as received text.
 * @property {(reply: Reply & {session: string}, text: string, give: (reply: Reply) => void) => void} [history] Called with requested older events; passes the reply on by `give`.
 * @property {() => void} state                 Called when the link's state changed.
 * @property {(session: string) => Position|undefined} position The position from which a session's log can continue.
 */

/** @typedef {"idle"|"connecting"|"greeting"|"catchingUp"|"live"|"silent"|"waiting"|"stopped"} Phase */

const backoffFirstMs = 500; // first delay before reconnecting: one round trip on a bad line
const backoffMaxMs = 30_000; // longest delay: a phone taken out of a pocket reaches the relay again within half a minute
const restartingMs = 1_000; // delay if a restarting relay names no time: about how long a restart takes
const restartingMaxMs = 60_000;
const socketsMax = 3; // number of failed attempts after which the relay is first asked by HTTP: Firefox delays a page's next socket after each failed one, up to a minute
const settledMs = 5_000; // lifetime of a link after which earlier failures no longer count
const attemptMs = 10_000; // limit of an attempt: if a network drops packets silently, browsers try for minutes
const wakeProbeMs = 4_000; // time for a sign of life from the relay after the page returned to the screen
const commandsMax = 100; // limit of commands that wait for a reply: more than a person can send

/** A refused or lost command. `code` is the wire's error code, or `linkLost`. */
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
  /** The time of the relay's last message, or 0. */
  heardAt = 0;
  /** The time of the next attempt, while waiting. */
  retryAt = 0;
  /** The close code that stopped the link. */
  stopCode = 0;
  /** True if it stopped because its workspace was removed. */
  wasRemoved = false;

  /** @type {Environment} */ #environment;
  /** @type {Listener} */ #listener;
  /** @type {WebSocket|null} */ #socket = null;
  /** @type {object|null} Identifies the current HTTP request that checks whether the relay answers. */ #asked = null;
  /** @type {any} */ #timer = null;
  /** @type {any} */ #pulse = null;
  #failures = 0;
  #liveAt = 0;
  #heartbeat = { pingSeconds: 20, hangUpSeconds: 45 };
  /** The time at which a probed link counts as dead; 0 if no probe is open. */ #probedUntil = 0;
  /** @type {Set<string>} */ #watched = new Set();
  /** @type {Set<string>} Watched sessions that the relay did not know when they were requested. */ #refused = new Set();
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
    // Each handler checks that its socket is the current one, because an abandoned socket may still fire events.
    socket.onopen = () => socket === this.#socket && this.#opened();
    socket.onmessage = (event) => socket === this.#socket && this.#received(event.data);
    socket.onclose = (event) => socket === this.#socket && this.#closed(event.code, event.reason);
    this.#limit();
  }

  /** Closes the link for good, for example after logging out. */
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
   * Called when the page returns to the screen, the network is back, or a person asks. A timer may have slept, and an attempt
   * in progress may use a network that is gone, so it is restarted; a live link is probed first.
   */
  wake() {
    if (this.phase === "idle" || this.phase === "stopped") return;
    if (this.phase === "live") return this.#probe(wakeProbeMs);
    this.#leave();
    this.start();
  }

  /**
   * Subscribes to a session from its log's position.
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
   * Called for news of a session: requests it again if the relay did not know it before.
   * @param {string} session
   */
  exists(session) {
    if (this.#refused.delete(session) && this.#watched.has(session) && this.#greeted) this.#subscribe(session);
  }

  /**
   * Subscribes to a session again, from a snapshot.
   * @param {string} session
   */
  rewatch(session) {
    if (this.#watched.has(session) && this.#greeted) this.#quietly({ type: "subscribe", session });
  }

  /**
   * Sends a command and resolves to its reply.
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

  /** A random id for a command. Not `crypto.randomUUID`, which needs a secure context: a relay on the local network has none. */
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

  /** Sets the time limit of the current phase. */
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
      return; // A message that is not JSON is ignored: the page could not do anything about it, and the link is still good.
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
      // Browsers report a refused upgrade like a network failure; only a plain request can tell 401 from an unreachable relay.
      this.#environment.standing().then((standing) => {
        if (["unpaired", "removed"].includes(standing) && this.phase === "waiting") this.#halt(4401, standing === "removed");
      });
    }
    return this.#wait(this.#backoff());
  }

  /** The delay before the next attempt: doubling up to a limit, and random, so that a thousand pages do not return at once. */
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

  /** Abandons a socket whose peer no longer answers, although the socket still counts as open. */
  #giveUp() {
    this.#leave();
    this.#closed(1006, "");
  }

  #leave() {
    const socket = this.#socket;
    this.#drop(false);
    socket?.close();
  }

  /**
   * Fails the waiting commands. `all` includes those to be sent again, because one of them may have broken the link.
   * @param {boolean} all
   */
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
   * Browsers hide the socket's pings, so silence alone proves nothing. If the relay has been silent for as long as its own
   * pings may take, the link sends it a probe; without an answer before the relay's hang-up time, the link counts as dead.
   */
  #beat() {
    this.#environment.clearTimer(this.#pulse);
    const { pingSeconds, hangUpSeconds } = this.#heartbeat;
    // The absolute difference, because the device's clock may have been set back.
    const silence = Math.abs(this.#environment.now() - this.heardAt);
    if (this.#probedUntil) return this.#silent(Math.max(hangUpSeconds * 1000 - silence, 1000));
    if (silence >= pingSeconds * 1000) return this.#probe(Math.max((hangUpSeconds - pingSeconds) * 1000, wakeProbeMs));
    this.#pulse = this.#environment.setTimer(() => this.#beat(), pingSeconds * 1000 - silence);
    return undefined;
  }

  /**
   * Probes the relay. After a third of `patience` milliseconds the link counts as silent, after all of it as dead.
   * @param {number} patience
   */
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

  /**
   * Marks the link as silent, and gives it up after `milliseconds`.
   * @param {number} milliseconds
   */
  #silent(milliseconds) {
    if (this.phase === "live") this.#become("silent");
    this.#pulse = this.#environment.setTimer(() => (this.#probedUntil ? this.#giveUp() : this.#beat()), milliseconds);
  }

  /**
   * Sends a command whose failure is ignored.
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
