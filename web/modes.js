/** Modes of agents: what each lets it do, and when a change to one is asked twice. Pure. */

import { t } from "./language.js";

/** @typedef {import("./wire").Summary} Summary */

/**
 * How free the agent is in a mode, and in words. Names of several agents: none of them means more elsewhere.
 * @type {Map<string, {freedom: number, words: string}>}
 */
const modes = new Map(Object.entries({
  plan: { freedom: 0, words: t`plans only` },
  "read-only": { freedom: 0, words: t`changes nothing` },
  default: { freedom: 1, words: t`asks first` },
  manual: { freedom: 1, words: t`asks first` },
  ask: { freedom: 1, words: t`asks first` },
  acceptEdits: { freedom: 2, words: t`edits without asking` },
  "accept-edits": { freedom: 2, words: t`edits without asking` },
  // Codex
  untrusted: { freedom: 1, words: t`asks before what is not known to be safe` },
  "on-request": { freedom: 2, words: t`decides itself when to ask` },
  "on-failure": { freedom: 3, words: t`asks only about what failed` },
  never: { freedom: 4, words: t`asks nothing` },
  auto: { freedom: 3, words: t`decides itself what to ask` },
  dontAsk: { freedom: 3, words: t`does not ask` },
  bypassPermissions: { freedom: 4, words: t`asks nothing` },
  "full-access": { freedom: 4, words: t`asks nothing` },
  "auto-approve": { freedom: 4, words: t`asks nothing` },
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
  `${t`Change to the mode ${mode}?`} ${modeWords(mode) ? t`In it the agent ${modeWords(mode)}.` : t`What it lets the agent do is not known here.`}`;

// Asking

/** The asking of a session: as a person wants it, or as its agent would. @type {Record<string, string>} */
export const askings = { all: t`for everything`, own: t`by its own rules` };

/** @param {string} choice @param {Summary|undefined} summary Empty where it takes freedom away. */
export const askingQuestion = (choice, summary) =>
  choice === "own" && summary?.steering?.asksAll
    ? summary.steering.mode ? t`Follow the agent's own rules again? What they, or its mode ${summary.steering.mode}, let run is not asked for any more.`
      : t`Follow the agent's own rules again? What they let run is not asked for any more.` : "";
