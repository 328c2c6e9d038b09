/**
 * A session's log, folded into the rows that a person reads. Pure: events in, keys of the rows that changed out.
 *
 * One tool call is one row, from its start to its end; one approval is one row, whatever became of it. Usage, to-do lists and
 * status changes are not rows: the summary shows them.
 */

/** @typedef {import("./wire").Event} Event */
/**
 * @typedef {object} Row
 * @property {string} key     Stable while the log is on screen, also when older events are loaded.
 * @property {number} seq     Where the row stands.
 * @property {Event} event    The event that made the row.
 * @property {Event} [end]    The event that last changed it: `tool.finished`, or the approval's newest.
 * @property {import("./wire").Decision} [decision] Of an approval that was decided.
 * @property {boolean} [denied] Of a tool call that somebody refused.
 * @property {number} version Counts the changes, so that a view knows what it has drawn.
 */

/** Kinds that are told elsewhere on the screen. */
const unlisted = new Set(["usage", "todo.changed", "status.changed", "session.renamed"]);

/** Kinds that the page knows how to draw as a row of their own. */
export const known = new Set([
  "session.started", "session.ended", "message", "tool.started", "tool.finished", "file.changed", "approval.requested",
  "subagent.started", "subagent.finished", "budget.crossed", "error", "truncated", "rewound",
]);

export class Timeline {
  /** @type {Row[]} In the order of the log. */
  rows = [];
  /** @type {Event|null} The newest to-do list. */
  todo = null;

  /** @type {Map<string, Row>} */
  #byKey = new Map();

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
    const { kind, head } = event;
    if (kind === "todo.changed") this.todo = event;
    if (kind === "status.changed" && head.status === "failed" && head.reason) return this.#add(`e:${seq}`, seq, event);
    if (unlisted.has(kind)) return null;
    if (kind === "tool.started") return this.#add(callKey(head), seq, event);
    if (kind === "approval.requested") return this.#add(`a:${head.approval}`, seq, event);
    if (kind === "tool.finished") return this.#change(callKey(head), event) ?? this.#add(callKey(head), seq, event);
    if (kind.startsWith("approval.")) {
      // Its request may lie before what is loaded; then there is nothing to draw it on, and nothing is lost: it will be loaded with it.
      const key = this.#change(`a:${head.approval}`, event);
      if (key) this.#settle(key, event);
      return key ?? (known.has(kind) || approvalKinds.has(kind) ? null : this.#add(`e:${seq}`, seq, event));
    }
    return this.#add(`e:${seq}`, seq, event);
  }

  /**
   * Keeps who decided, and marks the call of a request that was denied, whose end may be told before or after.
   * @param {string} key @param {Event} event
   */
  #settle(key, { kind, head }) {
    const row = /** @type {Row} */ (this.#byKey.get(key));
    if (kind === "approval.decided") row.decision = head.decision;
    const call = head.outcome === "denied" || head.reason === "deniedLocally" ? this.#byKey.get(callKey(row.event.head)) : undefined;
    if (!call) return;
    call.denied = true;
    call.version += 1;
  }

  /** @param {string} key @returns {Row|undefined} */
  row(key) {
    return this.#byKey.get(key);
  }

  /** @param {string} key @param {number} seq @param {Event} event */
  #add(key, seq, event) {
    // An agent that uses a call's id again starts another row rather than rewriting history.
    const free = this.#byKey.has(key) ? `${key}:${seq}` : key;
    const row = { key: free, seq, event, version: 0 };
    this.rows.push(row);
    this.#byKey.set(free, row);
    if (free !== key) this.#byKey.set(key, row);
    return free;
  }

  /** @param {string} key @param {Event} event @returns {string|null} */
  #change(key, event) {
    const row = this.#byKey.get(key);
    if (!row || (row.event.kind === "tool.started" && row.end)) return null;
    row.end = event;
    row.version += 1;
    return row.key;
  }
}

const approvalKinds = new Set([
  "approval.decided", "approval.delivered", "approval.applied", "approval.expired", "approval.cancelled", "approval.stale",
]);

/** @param {import("./wire").Fields} head */
const callKey = (head) => `t:${head.agent ?? ""}:${head.call}`;
