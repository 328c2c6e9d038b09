/**
 * Which sessions the list shows, and under which headings. Pure but for `Archive`, which is given its storage.
 *
 * What waits for a person is always in the list unless words or a choice leave it out: the archive is for what is done with.
 */

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {{words: string, project: string, host: string, status: string, group: ""|"project"|"host"}} Sieve Empty: all. */

/** @returns {Sieve} */
export const noSieve = () => ({ words: "", project: "", host: "", status: "", group: "" });

/**
 * The states that a person tells apart.
 * @type {Record<string, {words: string, of: (summary: Summary) => boolean}>}
 */
export const conditions = {
  waits: { words: "Needs you", of: ({ approvals, questions }) => approvals + questions > 0 },
  works: { words: "At work", of: ({ status }) => ["starting", "running", "waitingApproval", "waitingAnswer"].includes(status) },
  rests: { words: "Idle", of: ({ status }) => status === "idle" },
  over: { words: "Ended", of: ({ status }) => ["completed", "failed", "stale"].includes(status) },
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

/** @param {Sieve} sieve @returns {boolean} Whether it may leave something out. */
export const narrows = ({ words, project, host, status }) => Boolean(words.trim() || project || host || status);

/**
 * The heading that a session is under.
 * @param {Summary} summary @param {Sieve["group"]} group
 */
function headingOf({ project, host }, group) {
  if (group === "project") return project || "No project";
  return group === "host" ? host.name : "";
}

/**
 * The order with those of one heading together. Headings are in the order of their first sessions; within one the order is kept.
 * @param {Summary[]} sessions @param {Sieve["group"]} group
 * @returns {{heading: string, sessions: Summary[]}[]}
 */
export function grouped(sessions, group) {
  /** @type {Map<string, Summary[]>} */
  const groups = new Map();
  for (const summary of sessions) {
    const heading = headingOf(summary, group);
    groups.set(heading, [...(groups.get(heading) ?? []), summary]);
  }
  return [...groups].map(([heading, members]) => ({ heading, sessions: members }));
}

/**
 * What can be chosen from, by name.
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

/** Sessions that one browser's archive holds at most; with more, those archived first are in the list again. */
const archiveMax = 2000;
/** Its name is from when one could hide sessions and not yet look at them: what was put away then is in the archive. */
const place = "heliograph.hidden";

/**
 * The sessions that were archived on this device. The relay knows devices and no persons: archived there, one would be gone from everybody's
 * list.
 */
export class Archive {
  /** @type {Set<string>} */ #sessions = new Set();
  /** @type {() => Pick<Storage, "getItem"|"setItem">} */ #storage;

  /** @param {() => Pick<Storage, "getItem"|"setItem">} storage Throws where site data is blocked: then it holds for this visit. */
  constructor(storage) {
    this.#storage = storage;
    this.read();
  }

  /** Again, as another tab may have changed it. */
  read() {
    try {
      const kept = JSON.parse(this.#storage().getItem(place) ?? "[]");
      if (Array.isArray(kept)) this.#sessions = new Set(kept.filter((one) => typeof one === "string").slice(-archiveMax));
    } catch {
      // Nothing is kept, or nothing that we wrote.
    }
  }

  /** @param {string} session */
  has = (session) => this.#sessions.has(session);

  /** @param {string[]} sessions @param {boolean} archives */
  set(sessions, archives) {
    this.read();
    for (const session of sessions) {
      this.#sessions.delete(session);
      if (archives) this.#sessions.add(session);
    }
    this.#sessions = new Set([...this.#sessions].slice(-archiveMax));
    try {
      this.#storage().setItem(place, JSON.stringify([...this.#sessions]));
    } catch {
      // As above.
    }
  }
}
