/**
 * Folds a session's log into the rows that a person reads. Pure: events in, keys of changed rows out.
 *
 * A tool call is one row, from its start to its end; an approval is one row, whatever its outcome; a client's prompt is one row
 * until the conversation has it as the user's message. Usage, to-do lists and status changes have no rows: the summary shows them.
 * A subagent's rows form a thread under the call that started it, except for its approvals: they must not be hidden in a fold.
 */

import { noticesOf } from "./ingress.js";
import { t } from "./language.js";

/** @typedef {import("./wire").Event} Event */
/**
 * @typedef {object} Row
 * @property {string} key     Stable while the log is on screen, also when older events are loaded.
 * @property {number} seq     The row's position.
 * @property {Event} event    The event that made the row.
 * @property {Event} [end]    The event that last changed the row: `tool.finished`, or an approval's newest event.
 * @property {import("./wire").Decision} [decision] For a decided approval.
 * @property {boolean} [denied] True for a tool call that was denied.
 * @property {string} [waitsFor] For a tool call: the approval that it waits for.
 * @property {number} [since]   For a tool call with an approval: the time from which it could run.
 * @property {Event} [change]   For a client's command: the event with its outcome.
 * @property {Row} [said]       For a client's prompt: the user's message that it became, which is shown instead.
 * @property {Row} [prompt]     For a user's message: the client's prompt that it came from.
 * @property {Thread} [within]  For a subagent's row: its thread.
 * @property {Thread} [subagent] The thread below this row.
 * @property {string} [output] For a running tool call: the end of its output so far.
 * @property {boolean} [isCut] True for a tool call that was unfinished when its agent ended.
 * @property {number} version Number of changes, so that a view knows whether it has drawn the latest.
 */

/**
 * @typedef {object} Thread The rows of one subagent.
 * @property {string} agent
 * @property {string} name
 * @property {"running"|"finished"|"stopped"} state `stopped`: the session ended, or continued without the subagent.
 * @property {Row} host       The row above the thread.
 * @property {Row[]} rows     The thread's rows in the order of the log.
 * @property {number} calls   The number of its tool calls.
 * @property {Event} [end]    The event with the subagent's result.
 */

/** Kinds of events that the page shows elsewhere. */
const unlisted = new Set(["usage", "todo.changed", "status.changed", "session.renamed", "steering.offered"]);

/** Kinds of events that the page draws as rows. */
export const known = new Set([
  "session.started", "session.ended", "message", "tool.started", "tool.finished", "file.changed", "approval.requested",
  "subagent.started", "subagent.finished", "budget.crossed", "error", "truncated", "rewound", "steering.requested", "steering.typed",
  // The page's own notices about events that cannot be shown, or are missing.
  "sealing",
]);

/** Stages in which a prompt did not become a message: refused and taken back. */
const unsaid = new Set(["refused", "withdrawn"]);
/** Prompts compared with a new message: the oldest without a message is the likeliest, and few wait at a time. */
const promptsLookedAtMax = 64;

export class Timeline {
  /** @type {Row[]} The rows in the order of the log. */
  rows = [];
  /** @type {Event|null} The newest to-do list. */
  todo = null;
  /** @type {Row[]} Rows of clients' commands in the order of the log. */
  steered = [];
  /** @type {Row[]} Rows of prompts among the commands. */
  prompts = [];

  /** @type {Map<string, Row>} */
  #byKey = new Map();
  /** @type {Map<string, Thread>} Threads by subagent. */
  #threads = new Map();
  /** @type {Map<string, Row>} The newest row of each tool call, including subagents' calls. */
  #calls = new Map();
  /** @type {Set<Row>} Rows that changed since a view last asked. */
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
      // The approval's request may be older than the loaded events; its outcome is then loaded together with it.
      const key = this.#change(`a:${head.approval}`, event);
      if (key) this.#settle(key, event);
      return key ?? (known.has(kind) || approvalKinds.has(kind) ? null : this.#add(`e:${seq}`, seq, event));
    }
    return this.#add(`e:${seq}`, seq, event);
  }

  /**
   * Adds a subagent's start.
   * @param {number} seq @param {Event} event
   * @returns {string} The key of the row above the thread.
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
   * @param {number} seq @param {Event} event The subagent's first known event. @param {Row} [call] The tool call that started it; a call starts one subagent.
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

  /** Marks tool calls as cut off that were unfinished when their agent ended. */
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
   * The thread that an event belongs to. File changes have no thread, because the row of their tool call shows them.
   * @param {number} seq @param {Event} event
   */
  #threadOf(seq, event) {
    const { kind, head } = event;
    if (kind === "file.changed") return head.call ? this.#calls.get(String(head.call))?.within : undefined;
    if (!head.agent || !threaded.has(kind)) return undefined;
    return this.#threads.get(String(head.agent)) ?? this.#thread(seq, event);
  }

  /**
   * A subagent's name.
   * @param {unknown} agent
   */
  nameOf(agent) {
    return this.#threads.get(String(agent))?.name ?? "";
  }

  /**
   * Records that a row has changed, and with it the row above its thread.
   * @param {Row} row
   */
  #touch(row) {
    for (let one = /** @type {Row|undefined} */ (row); one; one = one.within?.host) {
      one.version += 1;
      this.#touched.add(one);
    }
  }

  /**
   * The rows that changed since the last call: a view redraws only those.
   * @returns {Row[]}
   */
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
    if (row) row.decision = { ...rule, by: { client: "rule", name: `the rule ${rule.name}` }, at: event.at, command: event.head.approval };
    return key;
  }

  /**
   * Stores a decision in its row, and marks a denied request's tool call, whose end may arrive before or after the decision.
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
   * Stores a command's outcome in its row. Only the first final one counts. The command may be older than the loaded events.
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
   * Links a user's message to the client's prompt that it came from; the prompt's row is then hidden.
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
   * Shows the live output of a running tool call. It is no event: the complete output comes with the call's end.
   * @param {string} call @param {string} text The end of the output so far.
   * @returns {string|null} The key of the call's row; null if it is not loaded or has ended.
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
    // If an agent reuses a call's id, a new row begins, so that history is not rewritten.
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
    // Logs of older relays contain reports that hosts sent after an approval's end.
    if (row.end && approvalEnds.has(row.end.kind)) return null;
    row.end = event;
    this.#touch(row);
    return row.key;
  }
}

/** Kinds of a subagent's events that belong to its thread. */
const threaded = new Set(["message", "tool.started", "tool.finished"]);

const approvalKinds = new Set([
  "approval.decided", "approval.delivered", "approval.applied", "approval.expired", "approval.cancelled", "approval.stale",
]);

const approvalEnds = new Set(["approval.applied", "approval.expired", "approval.cancelled", "approval.stale"]);

/** Final stages of clients' commands. */
export const finalStages = new Set(["taken", "refused", "withdrawn", "unknown"]);

/** @param {unknown} client @param {unknown} command */
const steeringKey = (client, command) => `s:${client}.${command}`;

/**
 * Normalises typed text for comparison, because terminals change tabs, line ends and trailing blanks.
 * @param {unknown} text
 */
const plain = (text) => (typeof text === "string" ? text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").replace(/[^\S\n]+$/gm, "").replace(/^> /, "").trim() : "");

/** @param {import("./wire").Fields} head */
const callKey = (head) => `t:${head.agent ?? ""}:${head.call}`;
