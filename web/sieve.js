/**
 * Decides which sessions the list shows, and under which headings. Pure; `Marks` gets its storage passed in.
 *
 * A session that waits for a person is listed unless a search or filter excludes it, even if it was archived.
 */

import { t } from "./language.js";
import { keep, stored } from "./stored.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {{words: string, project: string, host: string, status: string, group: ""|"project"|"host"}} Sieve Empty fields match all sessions. */

/** @returns {Sieve} */
export const noSieve = () => ({ words: "", project: "", host: "", status: "", group: "" });

/**
 * The filter's conditions on a session's status.
 * @type {Record<string, {words: string, of: (summary: Summary) => boolean}>}
 */
export const conditions = {
  waits: { words: t`Needs you`, of: ({ approvals, questions }) => approvals + questions > 0 },
  works: { words: t`At work`, of: ({ status }) => ["starting", "running", "waitingApproval", "waitingAnswer"].includes(status) },
  rests: { words: t`Idle`, of: ({ status }) => status === "idle" },
  over: { words: t`Ended`, of: ({ status }) => ["completed", "failed", "stale"].includes(status) },
};

/** @param {Summary} summary */
export const waits = (summary) => conditions.waits.of(summary);

/**
 * @param {Summary} summary @param {Sieve} sieve
 * @param {(status: string) => string} statusWords Gives the status as shown on the row, so that its words can be searched.
 */
export function passes(summary, sieve, statusWords) {
  if (sieve.project && (summary.project ?? "") !== sieve.project) return false;
  if (sieve.host && summary.host.id !== sieve.host) return false;
  if (sieve.status && !conditions[sieve.status]?.of(summary)) return false;
  const { title, project, branch, host, agent, model, session, status } = summary;
  const text = [title, project, branch, host.name, agent.name, model, session, statusWords(status)].join("\n").toLowerCase();
  return sieve.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/**
 * True if the filter may exclude sessions.
 * @param {Sieve} sieve
 */
export const narrows = ({ words, project, host, status }) => Boolean(words.trim() || project || host || status);

/** The list's standard groups, from top to bottom. */
export const groups = { fresh: t`New`, needs: t`Needs you`, pinned: t`Pinned`, works: t`Working`, today: t`Done today`, earlier: t`Earlier`, later: t`Later`, archived: t`Archived` };

/**
 * The standard group of a session.
 * @param {Summary} summary @param {{today: number, isPinned: (session: string) => boolean, isLater: (session: string) => boolean, isArchived: (session: string) => boolean}} at `today`: the time at which the day began.
 * @returns {keyof typeof groups}
 */
export function groupOf(summary, { today, isPinned, isLater, isArchived }) {
  if (isLater(summary.session)) return "later";
  if (waits(summary)) return "needs";
  if (isArchived(summary.session)) return "archived";
  if (isPinned(summary.session)) return "pinned";
  if (conditions.works.of(summary)) return "works";
  return summary.lastActivityAt >= today ? "today" : "earlier";
}

const ranks = Object.keys(groups);

/**
 * Session ids sorted by group, in the given order within each.
 * @param {Summary[]} sessions @param {(summary: Summary) => string} group @returns {string[]}
 */
export const ranked = (sessions, group) =>
  sessions.map((one) => ({ one, rank: ranks.indexOf(group(one)) })).sort((a, b) => a.rank - b.rank).map(({ one }) => one.session);

/**
 * Session ids sorted by group, and by recency within each.
 * @param {Iterable<Summary>} sessions @param {(summary: Summary) => string} group
 */
export const byGroup = (sessions, group) => ranked([...sessions].sort((a, b) => b.lastActivityAt - a.lastActivityAt), group);

/**
 * A session's heading if the list is grouped by project or host.
 * @param {Summary} summary @param {Sieve["group"]} group
 */
export function headingOf({ project, host }, group) {
  if (group === "project") return project || t`No project`;
  return group === "host" ? host.name : "";
}

/**
 * Groups sessions by heading. Headings come in the order of their first sessions; within one the order is kept.
 * @param {Summary[]} sessions @param {(summary: Summary) => string} heading
 * @returns {{heading: string, sessions: Summary[]}[]}
 */
export function grouped(sessions, heading) {
  /** @type {Map<string, Summary[]>} */
  const all = new Map();
  for (const summary of sessions) {
    const members = all.get(heading(summary));
    if (members) members.push(summary);
    else all.set(heading(summary), [summary]);
  }
  return [...all].map(([words, members]) => ({ heading: words, sessions: members }));
}

/**
 * The projects and hosts that the filter offers, sorted by name.
 * @param {Iterable<Summary>} sessions
 * @returns {{projects: string[], hosts: [id: string, name: string][]}}
 */
export function choices(sessions) {
  const all = [...sessions];
  const hosts = new Map(all.map(({ host }) => [host.id, host.name]));
  return {
    projects: [...new Set(all.map(({ project }) => project ?? "").filter(Boolean))].sort((a, b) => a.localeCompare(b)),
    hosts: [...hosts].sort(([, a], [, b]) => a.localeCompare(b)),
  };
}

/** Maximum number of sessions that a browser marks; beyond that the oldest marks are removed. */
const marksMax = 2000;

/**
 * Marks kept on this device: archived and pinned sessions, viewed files. Kept locally, because the relay knows devices, not persons: archiving at the relay would hide a session from
 * everybody.
 */
export class Marks {
  /** @type {Set<string>} */ #sessions = new Set();
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;
  #place;

  /**
   * `storage` throws if site data is blocked; marks then last for this visit only. `place` is the storage key.
   * @param {() => Pick<Storage, "getItem"|"setItem">} storage @param {string} place
   */
  constructor(storage, place) {
    this.#storage = storage;
    this.#place = place;
    this.read();
  }

  /** Reads the marks again, because another tab may have changed them. */
  read() {
    const kept = stored(this.#storage, this.#place);
    if (Array.isArray(kept)) this.#sessions = new Set(kept.filter((one) => typeof one === "string").slice(-marksMax));
  }

  /** @param {string} session */
  has = (session) => this.#sessions.has(session);

  /** @param {string[]} sessions @param {boolean} marks */
  set(sessions, marks) {
    this.read();
    for (const session of sessions) {
      this.#sessions.delete(session);
      if (marks) this.#sessions.add(session);
    }
    this.#sessions = new Set([...this.#sessions].slice(-marksMax));
    keep(this.#storage, this.#place, [...this.#sessions]);
  }
}

/** Maximum number of saved filters: more chips would push the list off a phone's screen. */
export const savedMax = 12;

/** @typedef {{name: string, sieve: Sieve}} Saved */

/** Saved filters, kept on this device. */
export class SavedSieves {
  /** @type {Saved[]} */ all = [];
  #storage;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws if site data is blocked. */
  constructor(storage) {
    this.#storage = storage;
    this.read();
  }

  /** Reads the filters again, because another tab may have changed them. */
  read() {
    const kept = stored(this.#storage, "heliograph.sieves");
    if (Array.isArray(kept)) this.all = kept.filter((one) => typeof one?.name === "string").slice(0, savedMax).map(({ name, sieve }) => ({ name, sieve: clean(sieve) }));
  }

  /** @param {Saved[]} all */
  set(all) {
    this.all = all;
    keep(this.#storage, "heliograph.sieves", all);
  }
}

/** @param {any} kept @returns {Sieve} */
const clean = (kept) => /** @type {any} */ (Object.fromEntries(Object.entries(noSieve()).map(([key, none]) => [key, typeof kept?.[key] === "string" ? kept[key] : none])));

/** @param {Sieve} one @param {Sieve} other */
export const isSame = (one, other) => JSON.stringify(clean(one)) === JSON.stringify(clean(other));
