/** The undo of a settled approval, if it has one. Pure. */

import { asText } from "./dom.js";
import { t } from "./language.js";
import { namesIn } from "./rules.js";
import { standing } from "./steering.js";
import { flat, line } from "./text.js";

/** @typedef {import("./wire").Approval} Approval */

/** Characters of a request's title that the prompt repeats: enough to know which one is meant. */
const titleCharactersMax = 200;

/**
 * The way back from a settled approval: the address of the rule that allowed it, or a prompt to its agent. An allowed request has run, so it has no undo.
 * @param {Approval} approval @param {import("./wire").Summary|undefined} summary @param {string[]} may This device's rights. @param {boolean} isLive The link is live.
 * @returns {{rule: string}|{prompt: string}|null}
 */
export function undoOf({ session, stage, decision, request: { head } }, summary, may, isLive) {
  const [rule] = head.rule?.decision === "allow" ? namesIn(head.rule.name) : [];
  if (rule) return may.includes("steer") ? { rule: `#/rules/${session}/${rule}` } : null;
  if (decision?.decision !== "deny" || decision.by.client === "rule" || !["delivered", "applied"].includes(stage) || !summary) return null;
  const { composes, reason } = standing(may, summary, isLive);
  const title = flat(line(asText(head.title) || asText(head.tool))).slice(0, titleCharactersMax);
  return composes && !reason ? { prompt: t`Please ask me again about “${title}”: I denied it, and want to look at it once more.` } : null;
}
