/** Agents' modes: what each mode allows, and which changes of mode need confirmation. Pure. */

import { t } from "./language.js";

/** @typedef {import("./wire").Summary} Summary */

/**
 * The degree of freedom in a mode, and its description. Modes of all agents share one table, because no name means more freedom in another agent.
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
  // Modes of Codex follow.
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

/**
 * The description of a mode; empty for unknown modes.
 * @param {string} mode
 */
export const modeWords = (mode) => modes.get(mode)?.words ?? "";

/**
 * True if a change of mode needs confirmation. An unknown new mode counts as full freedom, an unknown present mode as none.
 * @param {string|undefined} from @param {string} to
 */
export function isFreer(from, to) {
  const wanted = modes.get(to)?.freedom ?? Infinity;
  return wanted > 1 && wanted > (modes.get(from ?? "")?.freedom ?? 0);
}

/** @param {string} mode */
export const modeQuestion = (mode) =>
  `${t`Change to the mode ${mode}?`} ${modeWords(mode) ? t`In it the agent ${modeWords(mode)}.` : t`What it lets the agent do is not known here.`}`;

/** The two choices of when a session's agent asks: for everything, or by its own rules. @type {Record<string, string>} */
export const askings = { all: t`for everything`, own: t`by its own rules` };

/**
 * The question before the choice takes effect; empty if it gives the agent less freedom.
 * @param {string} choice @param {Summary|undefined} summary
 */
export const askingQuestion = (choice, summary) =>
  choice === "own" && summary?.steering?.asksAll
    ? summary.steering.mode ? t`Follow the agent's own rules again? What they, or its mode ${summary.steering.mode}, let run is not asked for any more.`
      : t`Follow the agent's own rules again? What they let run is not asked for any more.` : "";
