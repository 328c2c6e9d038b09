/** Reads budgets from the relay, and sets them. */

import { explain } from "./devices.js";
import { t } from "./language.js";
import { titleOf } from "./session-words.js";

/** @typedef {import("./wire").Budget} Budget */
/** @typedef {import("./wire").BudgetReport} KnownBudget */

/** The largest budget in dollars: in micro-dollars it is still a safe integer on the wire. */
export const dollarsMax = 1_000_000_000;
const levelsMax = 10;

/** @type {Record<import("./wire").BudgetScope, string>} */
export const scopes = {
  session: t`One session`,
  everySession: t`Each session, by default`,
  day: t`Each day (UTC)`,
  workspace: t`All sessions, from now on`,
};

/** @param {Pick<Budget, "scope"|"session">} budget */
export const nameOf = ({ scope, session }) => (session ? `${scope}/${session}` : scope);

/**
 * Parses the form of a budget. Returns the budget, or a sentence about the problem.
 * @param {{scope: string, session: string, dollars: string, levels: string, hold: boolean}} form
 * @returns {{budget: Budget}|{problem: string}}
 */
export function parse({ scope, session, dollars, levels, hold }) {
  const amount = dollars.trim().replace(/^\$\s*/, "");
  // A comma or point before three digits is refused, because countries differ on whether it separates thousands or decimals.
  if (/^[1-9]\d{0,2}(?:[.,'\s]\d{3})+(?:[.,]\d{0,2})?$/.test(amount)) {
    return { problem: t`“${amount}” may be read as two amounts: write dollars without separators, such as 1000 or 2.50.` };
  }
  const microUSD = /^\d+(?:[.,]\d+)?$/.test(amount) ? Math.round(Number(amount.replace(",", ".")) * 1_000_000) : Number.NaN;
  if (!(microUSD > 0 && microUSD <= dollarsMax * 1_000_000)) return { problem: t`Say how many dollars it may cost, such as 5 or 2.50.` };
  const percents = levels.split(/[\s,;%]+/).filter(Boolean).map(Number);
  const ascends = percents.every((level, index) => Number.isInteger(level) && level >= 1 && level <= 1000 && level > (percents[index - 1] ?? 0));
  if (!percents.length || percents.length > levelsMax || !ascends) {
    return { problem: t`Levels are up to ${levelsMax} whole percentages, each above the one before, such as 50, 80, 100.` };
  }
  if (scope === "session" && !session) return { problem: t`Choose the session.` };
  const budget = { microUSD, levels: percents, hold };
  if (scope === "session") return { budget: { scope, session, ...budget } };
  return { budget: { scope: /** @type {Exclude<Budget["scope"], "session">} */ (scope), ...budget } };
}

/**
 * Sessions for a menu, labelled with project and host, and with their id if that is ambiguous.
 * @param {import("./wire").Summary[]} sessions @param {string} [search] Words that a label must contain. @param {string} [chosen] A session that stays in the menu in any case.
 * @returns {[session: string, words: string][]}
 */
export function pickable(sessions, search = "", chosen) {
  const named = sessions.map((summary) => {
    const { session, title, project, host } = summary;
    return { session, words: [titleOf(summary), title && project, host.name].filter(Boolean).join(" · ") };
  });
  /** @type {Map<string, number>} */
  const times = new Map();
  for (const { words } of named) times.set(words, (times.get(words) ?? 0) + 1);
  const wanted = search.toLowerCase().split(/\s+/).filter(Boolean);
  return named.map(({ session, words }) => /** @type {[string, string]} */ ([session, (times.get(words) ?? 0) > 1 ? `${words} · ${session}` : words]))
    .filter(([session, words]) => session === chosen || wanted.every((word) => words.toLowerCase().includes(word)));
}

export class Budgets {
  /** The reason why there is no list of budgets, as a sentence. */
  problem = "";

  /** @type {Pick<import("./link.js").Link, "command"|"isLive">} */ #link;
  /** @type {import("./store.js").State} */ #state;
  /** @type {() => void} */ #changed;
  #isWanted = false;

  /**
   * @param {Pick<import("./link.js").Link, "command"|"isLive">} link @param {import("./store.js").State} state
   * @param {() => void} changed
   */
  constructor(link, state, changed) {
    this.#link = link;
    this.#state = state;
    this.#changed = changed;
  }

  /** Asks the relay for the budgets, because their view is on screen. */
  async load() {
    this.#isWanted = true;
    if (!this.#link.isLive) return;
    try {
      const reply = await this.#link.command({ type: "budgets" });
      this.#state.budgets = Array.isArray(reply.budgets) ? reply.budgets : [];
      this.problem = "";
    } catch (error) {
      this.problem = explain(/** @type {import("./link.js").CommandError} */ (error));
    }
    this.#changed();
  }

  /** Asks again after the link has become live. A reloaded page asks before it has a link, and would otherwise wait for the next interval. */
  async again() {
    if (this.#isWanted) await this.load();
  }

  /** @param {Budget} budget */
  async set(budget) {
    await this.#link.command({ type: "budget", budget });
    await this.load();
  }

  /** @param {Budget} budget */
  remove({ levels, hold, ...whose }) {
    const { scope, session } = whose;
    return this.set({ ...(scope === "session" ? { scope, session } : { scope }), microUSD: 0, levels, hold });
  }
}
