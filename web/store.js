/**
 * The page's state, and the effect of each message on it. Pure: no clock, network or document.
 *
 * `apply(state, message)` changes the state and returns the changes, so that views draw only those.
 */

import { Edits } from "./edits.js";
import { takePush } from "./pushes.js";
import { Timeline } from "./timeline.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {import("./wire").Approval} Approval */
/** @typedef {import("./wire").Event} Event */
/** @typedef {import("./wire").Message} Message */

/** Logs kept, so that returning to a session need not load it again. */
const logsMax = 4;
/** Maximum number of events of a session in memory; older ones are loaded again on demand. About 10 MB for a talkative agent. */
const eventsMax = 6000;
/** Older events requested at a time: the most that the relay returns. */
export const pageEvents = 500;
/** Events kept when that limit is exceeded; fewer than the limit, so that trimming is rare. */
const eventsKept = 4000;

/**
 * @typedef {object} Log
 * @property {string} session
 * @property {string} epoch
 * @property {number} first    The number of the oldest loaded event.
 * @property {number} last     The number of the newest loaded event.
 * @property {number} seq      The number of the newest event that the relay has announced.
 * @property {Event[]} events
 * @property {Timeline} timeline
 * @property {Edits} edits File changes of the loaded events, and of older ones that were read for them only.
 * @property {Map<string, {text: string, agent?: string}>} unfinished Messages still being written, by message.
 * @property {boolean} whole   The relay has no older events.
 */

/**
 * @typedef {object} State
 * @property {import("./wire").Welcome|null} welcome
 * @property {boolean} loaded              A workspace snapshot has come, with all its pages.
 * @property {number} keptAt               The time of the state that this device kept, if the relay has not sent any yet; else 0.
 * @property {{sessions: Set<string>, approvals: Set<string>}|null} unconfirmed State from before the arriving snapshot that none of its pages has confirmed yet.
 * @property {Map<string, import("./wire").Notice>} full The last notice about each limit of the workspace that was reached, until the next welcome.
 * @property {number} older              The number of sessions that the relay has besides those here.
 * @property {Set<string>} belated         Sessions that are older than the snapshot and came after it.
 * @property {number} asOf                 The latest activity in the snapshot.
 * @property {Map<string, Summary>} sessions
 * @property {Map<string, Summary>} hosts  Sessions that represent a host which lets clients start sessions.
 * @property {Map<string, Approval>} approvals By `keyOf`.
 * @property {Map<string, Log>} logs       Logs by session, the most recently used last.
 * @property {Map<string, import("./wire").DeviceState>|null} devices Devices by id; null before they were requested.
 * @property {import("./wire").BudgetReport[]|null} budgets Null before they were requested.
 */

/**
 * @typedef {object} Changes
 * @property {boolean} all             Everything may have changed: a snapshot of the workspace, a welcome.
 * @property {Set<string>} sessions    Sessions whose summary changed.
 * @property {Set<string>} approvals   By `keyOf`.
 * @property {Set<string>} logs    Sessions whose log changed.
 * @property {Set<string>} devices     Changed devices, including unknown ones.
 * @property {Set<string>} resubscribe Sessions whose log has a gap and needs a snapshot.
 */

/**
 * The key of an approval. Its id is unique within its session only, because hosts choose ids. Neither part contains a slash.
 * @param {{session: string, approval: string}} approval
 */
export const keyOf = ({ session, approval }) => `${session}/${approval}`;

/** @param {string} key By `keyOf`. */
export const sessionOf = (key) => key.slice(0, key.indexOf("/"));

/** @returns {State} */
export const emptyState = () => ({
  welcome: null, loaded: false, keptAt: 0, unconfirmed: null, full: new Map(), older: 0, belated: new Set(), asOf: 0, sessions: new Map(), hosts: new Map(), approvals: new Map(), logs: new Map(), devices: null, budgets: null,
});

/** @returns {Changes} */
export const noChanges = () => ({
  all: false, sessions: new Set(), approvals: new Set(), logs: new Set(), devices: new Set(), resubscribe: new Set(),
});

/**
 * @param {State} state
 * @param {Message} message
 * @returns {Changes}
 */
export function apply(state, message) {
  const changes = noChanges();
  switch (message.type) {
    case "welcome": {
      // Another epoch means another numbering, so held events cannot be compared with new ones.
      if (state.welcome && state.welcome.epoch !== message.epoch) {
        state.sessions.clear();
        state.hosts.clear();
        state.approvals.clear();
        state.loaded = false;
        state.older = 0;
        state.devices = null;
      }
      state.welcome = message;
      state.unconfirmed = null;
      state.full.clear();
      changes.all = true;
      break;
    }
    case "snapshot":
      if (message.session === undefined) takeWorkspace(state, message, changes);
      else takeSession(state, message, changes);
      break;
    case "snapshotEnd":
      endWorkspace(state, changes);
      break;
    case "events":
      takeEvents(state, message, changes);
      break;
    case "deltas":
      takeDeltas(state, message, changes);
      break;
    case "output":
      if (state.logs.get(message.session)?.timeline.printed(message.call, message.text)) changes.logs.add(message.session);
      break;
    case "summary":
      takeSummary(state, message.summary, changes);
      break;
    case "removed":
      if (!state.sessions.delete(message.session) && !state.hosts.delete(message.session) && state.older) state.older -= 1;
      state.logs.delete(message.session);
      for (const [key, { session }] of state.approvals) if (session === message.session) state.approvals.delete(key);
      changes.all = true;
      break;
    case "approval":
      takeApproval(state, message.approval, changes);
      break;
    case "push":
      takePush(state, message.push);
      changes.devices.add(message.push.device);
      break;
    case "notice":
      // A command of this client gets such a notice with its reply; only notices about limits are kept.
      if (message.limit === undefined) break;
      state.full.set(message.limit, message);
      changes.all = true;
      break;
    default:
      // The link handles replies. After a reset the state stays until the snapshot that follows.
      break;
  }
  return changes;
}

/**
 * Restores the state that this device kept. State from the relay is newer and stays.
 * @param {State} state @param {{at: number, messages: Message[]}} kept
 */
export function restore(state, { at, messages }) {
  const changes = noChanges();
  if (state.welcome) return changes;
  for (const message of messages) apply(state, message);
  state.keptAt = at;
  changes.all = true;
  return changes;
}

/**
 * Drops messages that were in progress when the link broke.
 * @param {State} state
 */
export function linkLost(state) {
  const changes = noChanges();
  for (const log of state.logs.values()) {
    if (!log.unfinished.size) continue;
    log.unfinished.clear();
    changes.logs.add(log.session);
  }
  return changes;
}

/**
 * Adds a page of events before or after the loaded ones, or, after a jump, replaces them. Above the limit events at the other end are dropped:
 * if those are the newest, they are only counted (`last` is less than `seq`) until they are requested again.
 * @param {State} state @param {string} session @param {{first: number, events: Event[]}} page @param {{jump?: boolean}} [options]
 */
export function takeHistory(state, session, { first, events }, options = {}) {
  const changes = noChanges();
  const log = state.logs.get(session);
  if (!log) return changes;
  // Events after the log's newest one are skipped, because they will arrive live.
  const known = events.slice(0, Math.max(0, log.seq + 1 - first));
  const last = first + known.length - 1;
  changes.logs.add(session);
  if (!known.length) {
    log.whole = true;
    return changes;
  }
  log.edits.prepend(first, known);
  if (last + 1 === log.first) {
    log.events = [...known, ...log.events].slice(0, eventsMax);
    log.first = first;
  } else if (first === log.last + 1) {
    log.events = [...log.events, ...known].slice(-eventsMax);
    log.first = last + 1 - log.events.length;
  } else if (options.jump) {
    log.events = known;
    log.first = first;
  } else {
    return changes; // The page of events belongs to a log that has been replaced meanwhile.
  }
  log.last = log.first + log.events.length - 1;
  log.whole = log.first <= oldest(state.sessions.get(session));
  log.timeline = new Timeline(log.first, log.events);
  return changes;
}

/**
 * The position after a session's loaded log; undefined without a log.
 * @param {State} state @param {string} session
 */
export function position(state, session) {
  const log = state.logs.get(session);
  return log && { epoch: log.epoch, seq: log.seq };
}

/**
 * Approvals that wait for a person, oldest first.
 * @param {State} state
 */
export const pending = (state) =>
  [...state.approvals.values()].filter(({ stage }) => stage === "pending").sort((a, b) => a.requestedAt - b.requestedAt);

/**
 * The ids of a session's waiting approvals.
 * @param {State} state @param {string} session
 */
export const asksOf = (state, session) => pending(state).filter((one) => one.session === session).map(({ approval }) => approval);

/** @param {State} state @param {import("./wire").WorkspaceSnapshot} snapshot @param {Changes} changes */
function takeWorkspace(state, snapshot, changes) {
  state.unconfirmed = { sessions: new Set([...state.sessions.keys(), ...state.hosts.keys()]), approvals: new Set(state.approvals.keys()) };
  state.older = snapshot.older ?? 0;
  state.belated = new Set();
  for (const summary of snapshot.sessions) takeSummary(state, summary, changes);
  for (const approval of snapshot.approvals) takeApproval(state, approval, changes);
  changes.all = true;
  if (!snapshot.more) endWorkspace(state, changes);
}

/** @param {State} state @param {Changes} changes */
function endWorkspace(state, changes) {
  if (!state.unconfirmed) return;
  for (const session of state.unconfirmed.sessions) {
    state.sessions.delete(session);
    state.hosts.delete(session);
  }
  for (const key of state.unconfirmed.approvals) state.approvals.delete(key);
  state.unconfirmed = null;
  state.asOf = Math.max(0, ...[...state.sessions.values()].map(({ lastActivityAt }) => lastActivityAt));
  state.loaded = true;
  state.keptAt = 0;
  changes.all = true;
}

/** @param {State} state @param {import("./wire").SessionSnapshot} snapshot @param {Changes} changes */
function takeSession(state, snapshot, changes) {
  const { session, epoch, first, seq, events } = snapshot;
  keep(state, {
    session, epoch, first, last: seq, seq, events: [...events], timeline: new Timeline(first, events), edits: new Edits(first, events),
    unfinished: new Map(), whole: first <= oldest(snapshot.summary),
  });
  changes.logs.add(session);
  takeSummary(state, snapshot.summary, changes);
  snapshot.approvals.forEach((approval) => takeApproval(state, approval, changes));
}

/** @param {State} state @param {Log} log */
function keep(state, log) {
  state.logs.delete(log.session);
  state.logs.set(log.session, log);
  for (const session of [...state.logs.keys()].slice(0, -logsMax)) state.logs.delete(session);
}

/** @param {State} state @param {import("./wire").Events} message @param {Changes} changes */
function takeEvents(state, message, changes) {
  const log = state.logs.get(message.session);
  if (!log) return;
  const { first, events } = message;
  if (message.epoch !== log.epoch || first > log.seq + 1) {
    // The relay never leaves a gap. If one appears nevertheless, the log is dropped, so that it cannot look complete.
    state.logs.delete(message.session);
    changes.resubscribe.add(message.session);
    return;
  }
  for (const event of events.slice(log.seq + 1 - first)) {
    const isFollowed = log.last === log.seq;
    log.seq += 1;
    log.edits.append(event);
    finish(log, event);
    if (!isFollowed) continue;
    log.last = log.seq;
    log.events.push(event);
    log.timeline.append(log.seq, event);
  }
  if (log.events.length > eventsMax) {
    log.events = log.events.slice(-eventsKept);
    log.first = log.last - log.events.length + 1;
    log.whole = false;
    log.timeline = new Timeline(log.first, log.events);
  }
  changes.logs.add(message.session);
}

/**
 * Drops the pieces of a message that an event has completed.
 * @param {Log} log @param {Event} event
 */
function finish(log, { kind, head }) {
  if (!log.unfinished.size) return;
  if (kind === "message" && head.message) log.unfinished.delete(head.message);
  else if (kind === "session.ended" || (kind === "status.changed" && head.status !== "running")) log.unfinished.clear();
}

/** @param {State} state @param {import("./wire").Deltas} message @param {Changes} changes */
function takeDeltas(state, message, changes) {
  const log = state.logs.get(message.session);
  if (!log) return;
  const held = log.unfinished.get(message.message);
  log.unfinished.set(message.message, { text: (held?.text ?? "") + message.text, agent: message.agent });
  changes.logs.add(message.session);
}

/**
 * Stores a summary. Sessions that represent a host are kept apart, because they are no conversations.
 * @param {State} state @param {Summary} summary
 */
function place(state, summary) {
  const [its, others] = summary.steering?.projects ? [state.hosts, state.sessions] : [state.sessions, state.hosts];
  others.delete(summary.session);
  its.set(summary.session, summary);
}

/** @param {State} state @param {Summary} summary @param {Changes} changes */
function takeSummary(state, summary, changes) {
  state.unconfirmed?.sessions.delete(summary.session);
  const held = state.sessions.get(summary.session) ?? state.hosts.get(summary.session);
  if (newer(held, summary) === held) return;
  if (!held && state.older && !state.unconfirmed && summary.startedAt <= state.asOf) {
    state.older -= 1;
    state.belated.add(summary.session);
  }
  place(state, summary);
  changes.sessions.add(summary.session);
}

/** @param {State} state @param {Approval} approval @param {Changes} changes */
function takeApproval(state, approval, changes) {
  const key = keyOf(approval);
  state.unconfirmed?.approvals.delete(key);
  const held = state.approvals.get(key);
  if (newer(held, approval) === held) return;
  state.approvals.set(key, approval);
  changes.approvals.add(key);
}

/**
 * The number of the oldest event that the relay stores.
 * @param {Summary|undefined} summary
 */
const oldest = (summary) => summary?.first ?? 1;

/**
 * The newer of two states. With equal numbers the given one is newer, because a host that connects changes a summary without an event.
 * @template {{seq: number}} T
 * @param {T|undefined} held @param {T} given
 * @returns {T}
 */
const newer = (held, given) => (held && held.seq > given.seq ? held : given);
