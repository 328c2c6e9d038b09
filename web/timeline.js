/**
 * A session's log, folded into the rows that a person reads. Pure: events in, keys of the rows that changed out.
 *
 * One tool call is one row, from its start to its end; one approval is one row, whatever became of it; so is what a client
 * sent, until it is in the conversation as the user's own message. Usage, to-do lists and status changes are not rows: the summary shows them.
 * What a subagent does is a thread under the call that started it. What it asks is not: nobody may miss that in a fold.
 */

import { noticesOf } from "./ingress.js";
import { t } from "./language.js";

/** @typedef {import("./wire").Event} Event */
/**
 * @typedef {object} Row
 * @property {string} key     Stable while the log is on screen, also when older events are loaded.
 * @property {number} seq     The row's position.
 * @property {Event} event    The event that made the row.
 * @property {Event} [end]    The event that last changed it: `tool.finished`, or the approval's newest.
 * @property {import("./wire").Decision} [decision] Of an approval that was decided.
 * @property {boolean} [denied] Of a tool call that somebody refused.
 * @property {string} [waitsFor] Of a tool call: the approval without which it does not run.
 * @property {number} [since]   Of a tool call that was asked about: from when on it could run.
 * @property {Event} [change]   Of what a client sent: what has become of it.
 * @property {Row} [said]       Of a client's prompt: the user's message that it became, which is shown instead.
 * @property {Row} [prompt]     Of a user's message: the client's prompt that it was.
 * @property {Thread} [within]  Of a subagent's: its thread.
 * @property {Thread} [subagent] The thread that is under this row.
 * @property {string} [output] Of a tool call that runs: the end of what it has printed so far.
 * @property {boolean} [isCut] A tool call that its agent had not finished when it ended.
 * @property {number} version Counts the changes, so that a view knows what it has drawn.
 */

/**
 * @typedef {object} Thread What one subagent does.
 * @property {string} agent
 * @property {string} name
 * @property {"running"|"finished"|"stopped"} state `stopped`: the session went on without it, or ended.
 * @property {Row} host       The row that it is under.
 * @property {Row[]} rows     In the order of the log.
 * @property {number} calls   Tools that it used.
 * @property {Event} [end]    What it said in the end.
 */

/** Kinds that are told elsewhere on the screen. */
const unlisted = new Set(["usage", "todo.changed", "status.changed", "session.renamed", "steering.offered"]);

/** Kinds that the page knows how to draw as a row of their own. */
export const known = new Set([
  "session.started", "session.ended", "message", "tool.started", "tool.finished", "file.changed", "approval.requested",
  "subagent.started", "subagent.finished", "budget.crossed", "error", "truncated", "rewound", "steering.requested", "steering.typed",
  // What the page says of events that it cannot show, or that are missing.
  "sealing",
]);

/** What a host may have told already when the user's message comes; what was refused or taken back became no message. */
const unsaid = new Set(["refused", "withdrawn"]);
/** Prompts looked at for a message: the oldest that is in no message yet is the likeliest, and few wait at a time. */
const promptsLookedAtMax = 64;

export class Timeline {
  /** @type {Row[]} In the order of the log. */
  rows = [];
  /** @type {Event|null} The newest to-do list. */
  todo = null;
  /** @type {Row[]} What clients sent, in the order of the log. */
  steered = [];
  /** @type {Row[]} The prompts of that. */
  prompts = [];

  /** @type {Map<string, Row>} */
  #byKey = new Map();
  /** @type {Map<string, Thread>} By subagent. */
  #threads = new Map();
  /** @type {Map<string, Row>} The newest row of a tool call, whosever it is. */
  #calls = new Map();
  /** @type {Set<Row>} Rows that changed since a view asked. */
  #touched = new Set();

  /**
   * @param {number} first The number of the first event.
   * @param {Event[]} events
   */
  constructor(first, events) {
    events.forEach((event, index) => this.append(first + index, event));
  }

  /**
   * @param {number} seq @param {Event} event
   * @returns {string|null} The key of the row that is new or changed.
   */
  append(seq, event) {
    const { before, after } = noticesOf(event);
    if (before) this.#add(`b:${seq}`, seq, { ...event, kind: "sealing", head: { words: before } });
    const key = this.#append(seq, event);
    if (after) this.#add(`n:${seq}`, seq, { ...event, kind: "sealing", head: { words: after } });
    return key;
  }

  /** @param {number} seq @param {Event} event @returns {string|null} */
  #append(seq, event) {
    const { kind, head } = event;
    if (kind === "todo.changed") this.todo = event;
    if (kind === "session.started" || kind === "session.ended" || (kind === "status.changed" && head.status === "failed")) this.#stopCalls();
    if (kind === "status.changed" && head.status === "failed" && head.reason) return this.#add(`e:${seq}`, seq, event);
    if (unlisted.has(kind) || (kind === "sealing" && !head.words)) return null;
    if (kind === "session.started" || kind === "session.ended") this.#stopThreads();
    if (kind === "subagent.started" && head.agent) return this.#began(seq, event);
    if (kind === "subagent.finished" && head.agent) return this.#ended(seq, event);
    if (kind === "steering.requested") return this.#asked(seq, event);
    if (kind === "steering.changed") return this.#reached(event);
    if (kind === "message" && head.role === "user" && !head.agent) return this.#said(seq, event);
    if (kind === "tool.started") return this.#add(callKey(head), seq, event);
    if (kind === "approval.requested") return this.#requested(seq, event);
    if (kind === "tool.finished") return this.#change(callKey(head), event) ?? this.#add(callKey(head), seq, event);
    if (kind.startsWith("approval.")) {
      // Its request may lie before what is loaded; then there is nothing to draw it on, and nothing is lost: it will be loaded with it.
      const key = this.#change(`a:${head.approval}`, event);
      if (key) this.#settle(key, event);
      return key ?? (known.has(kind) || approvalKinds.has(kind) ? null : this.#add(`e:${seq}`, seq, event));
    }
    return this.#add(`e:${seq}`, seq, event);
  }

  // Subagents

  /**
   * @param {number} seq @param {Event} event
   * @returns {string} The row that the thread is under.
   */
  #began(seq, event) {
    const { agent, name, call } = event.head;
    const held = this.#threads.get(String(agent));
    const thread = held ?? this.#thread(seq, event, call ? this.#calls.get(String(call)) : undefined);
    thread.name = String(name || t`Subagent`);
    thread.state = "running";
    thread.end = undefined;
    this.#touch(thread.host);
    return thread.host.key;
  }

  /** @param {number} seq @param {Event} event */
  #ended(seq, event) {
    const thread = this.#threads.get(String(event.head.agent)) ?? this.#thread(seq, event);
    if (event.head.name) thread.name = String(event.head.name);
    thread.state = "finished";
    thread.end = event;
    this.#touch(thread.host);
    return thread.host.key;
  }

  /**
   * @param {number} seq @param {Event} event The first that is known of it. @param {Row} [call] What started it; one call starts one.
   * @returns {Thread}
   */
  #thread(seq, event, call) {
    const agent = String(event.head.agent);
    const host = call && !call.subagent ? call : /** @type {Row} */ (this.row(this.#add(`g:${agent}`, seq, event)));
    /** @type {Thread} */
    const thread = { agent, name: t`Subagent`, state: "running", host, rows: [], calls: 0 };
    host.subagent = thread;
    this.#threads.set(agent, thread);
    return thread;
  }

  #stopThreads() {
    for (const thread of this.#threads.values()) {
      if (thread.state !== "running") continue;
      thread.state = "stopped";
      this.#touch(thread.host);
    }
  }

  /** Ends the calls that an agent had not finished when it ended. */
  #stopCalls() {
    for (const row of this.#calls.values()) {
      if (row.event.kind !== "tool.started" || row.end || row.isCut) continue;
      row.isCut = true;
      row.waitsFor = undefined;
      this.#touch(row);
    }
    this.#calls.clear();
  }

  /**
   * Whose thread a row belongs to. What changed a file is told by the call that did.
   * @param {number} seq @param {Event} event
   */
  #threadOf(seq, event) {
    const { kind, head } = event;
    if (kind === "file.changed") return head.call ? this.#calls.get(String(head.call))?.within : undefined;
    if (!head.agent || !threaded.has(kind)) return undefined;
    return this.#threads.get(String(head.agent)) ?? this.#thread(seq, event);
  }

  /** @param {unknown} agent What a subagent is called. */
  nameOf(agent) {
    return this.#threads.get(String(agent))?.name ?? "";
  }

  /** @param {Row} row It changed, and with it what it is in. */
  #touch(row) {
    for (let one = /** @type {Row|undefined} */ (row); one; one = one.within?.host) {
      one.version += 1;
      this.#touched.add(one);
    }
  }

  /** @returns {Row[]} Those that changed since this was called last: a view draws no others again. */
  takeTouched() {
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  /** @param {number} seq @param {Event} event */
  #requested(seq, event) {
    const call = event.head.call ? this.#byKey.get(callKey(event.head)) : undefined;
    const { rule } = event.head;
    if (call && !call.end && !rule) {
      call.waitsFor = String(event.head.approval);
      this.#touch(call);
    }
    const key = this.#add(`a:${event.head.approval}`, seq, event);
    const row = rule && this.#byKey.get(`a:${event.head.approval}`);
    if (row) row.decision = { ...rule, by: { client: "rule", name: t`the rule ${rule.name}` }, at: event.at, command: event.head.approval };
    return key;
  }

  /**
   * Keeps who decided, and marks the call of a request that was denied, whose end may be told before or after.
   * @param {string} key @param {Event} event
   */
  #settle(key, { kind, head, at }) {
    const row = /** @type {Row} */ (this.#byKey.get(key));
    if (kind === "approval.decided") row.decision = head.decision;
    const asked = this.#byKey.get(callKey(row.event.head));
    if (asked && asked.waitsFor === head.approval && kind !== "approval.decided") {
      asked.waitsFor = undefined;
      asked.since = at;
      this.#touch(asked);
    }
    const call = head.outcome === "denied" || head.reason === "deniedLocally" ? this.#byKey.get(callKey(row.event.head)) : undefined;
    if (!call) return;
    call.denied = true;
    this.#touch(call);
  }

  /** @param {number} seq @param {Event} event */
  #asked(seq, event) {
    const key = this.#add(steeringKey(event.head.by?.id, event.head.command), seq, event);
    const row = this.row(key);
    if (row) this.steered.push(row);
    if (row && event.head.action === "prompt") this.prompts.push(row);
    return key;
  }

  /**
   * The first outcome counts: what is told later of the same command is not looked at. What was asked may lie before what is loaded.
   * @param {Event} event
   */
  #reached(event) {
    const row = this.row(steeringKey(event.head.client, event.head.command));
    if (!row || finalStages.has(row.change?.head.stage)) return null;
    for (const one of row.said ? [row, row.said] : [row]) {
      one.change = event;
      this.#touch(one);
    }
    return row.key;
  }

  /**
   * A client's prompt that an agent took becomes a message of its user: then that is its place in the conversation.
   * @param {number} seq @param {Event} event
   */
  #said(seq, event) {
    const key = this.#add(`e:${seq}`, seq, event);
    const row = /** @type {Row} */ (this.row(key));
    const words = plain(event.body?.text);
    const prompt = words === "" ? undefined : this.prompts.slice(-promptsLookedAtMax).find((one) =>
      !one.said && !unsaid.has(one.change?.head.stage) && plain(one.event.body?.text) === words);
    if (prompt) {
      prompt.said = row;
      this.#touch(prompt);
      row.prompt = prompt;
      row.change = prompt.change;
    }
    return key;
  }

  /**
   * What a running call prints is no event: it is shown while it runs, and its whole output comes with its end.
   * @param {string} call @param {string} text The end of all that it has printed.
   * @returns {string|null} The key of its row, where that is here and has not ended.
   */
  printed(call, text) {
    const row = this.#calls.get(call);
    if (!row || row.end || row.event.kind !== "tool.started") return null;
    row.output = text;
    this.#touch(row);
    return row.key;
  }

  /** @param {string} key @returns {Row|undefined} */
  row(key) {
    return this.#byKey.get(key);
  }

  /** @param {string} key @param {number} seq @param {Event} event */
  #add(key, seq, event) {
    // An agent that uses a call's id again starts another row rather than rewriting history.
    const free = this.#byKey.has(key) ? `${key}:${seq}` : key;
    /** @type {Row} */
    const row = { key: free, seq, event, version: 0 };
    const thread = key.startsWith("g:") ? undefined : this.#threadOf(seq, event);
    if (thread) {
      row.within = thread;
      thread.rows.push(row);
      if (event.kind.startsWith("tool.")) thread.calls += 1;
      this.#touch(thread.host);
    } else {
      this.rows.push(row);
    }
    if (event.kind.startsWith("tool.") && event.head.call) this.#calls.set(String(event.head.call), row);
    this.#byKey.set(free, row);
    if (free !== key) this.#byKey.set(key, row);
    return free;
  }

  /** @param {string} key @param {Event} event @returns {string|null} */
  #change(key, event) {
    const row = this.#byKey.get(key);
    if (!row || (row.event.kind === "tool.started" && row.end)) return null;
    // Logs of older relays hold reports that hosts made after the end of an approval.
    if (row.end && approvalEnds.has(row.end.kind)) return null;
    row.end = event;
    this.#touch(row);
    return row.key;
  }
}

/** Kinds that are in a subagent's thread, where they are a subagent's. */
const threaded = new Set(["message", "tool.started", "tool.finished"]);

const approvalKinds = new Set([
  "approval.decided", "approval.delivered", "approval.applied", "approval.expired", "approval.cancelled", "approval.stale",
]);

const approvalEnds = new Set(["approval.applied", "approval.expired", "approval.cancelled", "approval.stale"]);

/** Stages of what clients sent that are ends. */
export const finalStages = new Set(["taken", "refused", "withdrawn", "unknown"]);

/** @param {unknown} client @param {unknown} command */
const steeringKey = (client, command) => `s:${client}.${command}`;

/**
 * A text as terminals leave it of what was typed: they change tabs, line ends and what is at the end of a line.
 * @param {unknown} text
 */
const plain = (text) => (typeof text === "string" ? text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").replace(/[^\S\n]+$/gm, "").replace(/^> /, "").trim() : "");

/** @param {import("./wire").Fields} head */
const callKey = (head) => `t:${head.agent ?? ""}:${head.call}`;
