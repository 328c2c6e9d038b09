/**
 * Which sessions the list shows, and under which headings. Pure but for `Marks`, which is given its storage.
 *
 * What waits for a person is always in the list unless words or a choice leave it out: the archive is for what is done with.
 */

import { t } from "./language.js";
import { keep, stored } from "./stored.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {{words: string, project: string, host: string, status: string, group: ""|"project"|"host"}} Sieve Empty: all. */

/** @returns {Sieve} */
export const noSieve = () => ({ words: "", project: "", host: "", status: "", group: "" });

/**
 * The states that a person tells apart.
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
 * @param {(status: string) => string} statusWords How the status reads on the row: what is read there can be searched.
 */
export function passes(summary, sieve, statusWords) {
  if (sieve.project && (summary.project ?? "") !== sieve.project) return false;
  if (sieve.host && summary.host.id !== sieve.host) return false;
  if (sieve.status && !conditions[sieve.status]?.of(summary)) return false;
  const { title, project, branch, host, agent, model, session, status } = summary;
  const text = [title, project, branch, host.name, agent.name, model, session, statusWords(status)].join("\n").toLowerCase();
  return sieve.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** @param {Sieve} sieve Whether it may leave something out. */
export const narrows = ({ words, project, host, status }) => Boolean(words.trim() || project || host || status);

/** The list's own groups, from the top down. */
export const groups = { fresh: t`New`, needs: t`Needs you`, pinned: t`Pinned`, works: t`Working`, today: t`Done today`, earlier: t`Earlier`, later: t`Later`, archived: t`Archived` };

/**
 * The one of them that a session is in.
 * @param {Summary} summary @param {{today: number, isPinned: (session: string) => boolean, isLater: (session: string) => boolean, isArchived: (session: string) => boolean}} at `today` began then.
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
 * By group, and in each as they are given.
 * @param {Summary[]} sessions @param {(summary: Summary) => string} group @returns {string[]}
 */
export const ranked = (sessions, group) =>
  sessions.map((one) => ({ one, rank: ranks.indexOf(group(one)) })).sort((a, b) => a.rank - b.rank).map(({ one }) => one.session);

/**
 * By group, and in each the most recent first.
 * @param {Iterable<Summary>} sessions @param {(summary: Summary) => string} group
 */
export const byGroup = (sessions, group) => ranked([...sessions].sort((a, b) => b.lastActivityAt - a.lastActivityAt), group);

/**
 * The heading that a session is under, where the list is not in its own groups.
 * @param {Summary} summary @param {Sieve["group"]} group
 */
export function headingOf({ project, host }, group) {
  if (group === "project") return project || t`No project`;
  return group === "host" ? host.name : "";
}

/**
 * The order with those of one heading together. Headings are in the order of their first sessions; within one the order is kept.
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
 * The projects and hosts to choose from, by name.
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

/** Sessions that one browser marks at most; with more, those marked first are so no longer. */
const marksMax = 2000;

/**
 * The sessions that were archived, or pinned, on this device. The relay knows devices and no persons: archived there, one would be gone from
 * everybody's list.
 */
export class Marks {
  /** @type {Set<string>} */ #sessions = new Set();
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;
  #place;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws where site data is blocked: then it holds for this visit. @param {string} place */
  constructor(storage, place) {
    this.#storage = storage;
    this.#place = place;
    this.read();
  }

  /** Again, as another tab may have changed it. */
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
