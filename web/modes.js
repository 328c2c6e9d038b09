/** Modes of agents: what each lets it do, and when a change to one is asked twice. Pure. */

/** @typedef {import("./wire").Summary} Summary */

/**
 * How free the agent is in a mode, and in words. Names of several agents: none of them means more elsewhere.
 * @type {Map<string, {freedom: number, words: string}>}
 */
const modes = new Map(Object.entries({
  plan: { freedom: 0, words: "plans only" },
  "read-only": { freedom: 0, words: "changes nothing" },
  default: { freedom: 1, words: "asks first" },
  manual: { freedom: 1, words: "asks first" },
  ask: { freedom: 1, words: "asks first" },
  acceptEdits: { freedom: 2, words: "edits without asking" },
  "accept-edits": { freedom: 2, words: "edits without asking" },
  // Codex
  untrusted: { freedom: 1, words: "asks before what is not known to be safe" },
  "on-request": { freedom: 2, words: "decides itself when to ask" },
  "on-failure": { freedom: 3, words: "asks only about what failed" },
  never: { freedom: 4, words: "asks nothing" },
  auto: { freedom: 3, words: "decides itself what to ask" },
  dontAsk: { freedom: 3, words: "does not ask" },
  bypassPermissions: { freedom: 4, words: "asks nothing" },
  "full-access": { freedom: 4, words: "asks nothing" },
  "auto-approve": { freedom: 4, words: "asks nothing" },
}));

/** @param {string} mode What it means, where that is known. */
export const modeWords = (mode) => modes.get(mode)?.words ?? "";

/**
 * Whether to ask again before the agent goes on so. A mode that nobody here knows may give any freedom; one whose present mode is not known has none.
 * @param {string|undefined} from @param {string} to
 */
export function isFreer(from, to) {
  const wanted = modes.get(to)?.freedom ?? Infinity;
  return wanted > 1 && wanted > (modes.get(from ?? "")?.freedom ?? 0);
}

/** @param {string} mode */
export const modeQuestion = (mode) =>
  `Change to the mode ${mode}? ${modeWords(mode) ? `In it the agent ${modeWords(mode)}.` : "What it lets the agent do is not known here."}`;

// What it asks for

/** What a session asks for: as a person wants it, or as its agent would. */
export const everything = "for everything";
export const ownRules = "by its own rules";

/** @param {string} choice @param {Summary|undefined} summary Empty where it takes freedom away. */
export const askingQuestion = (choice, summary) =>
  choice === ownRules && summary?.steering?.asksAll
    ? `Follow the agent's own rules again? What they${summary.steering.mode ? `, or its mode ${summary.steering.mode},` : ""} let run is not asked for any more.` : "";
