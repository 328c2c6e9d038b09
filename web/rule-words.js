/** Words for hosts' rules, for the obstacles to changing them, and for the calls that they answered or would have answered. Pure. */

import { asText } from "./dom.js";
import { t } from "./language.js";
import { namesIn, tomlOf } from "./rules.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {import("./rules.js").Rule} Rule */
/** @typedef {import("./rules.js").RuledHost} RuledHost */
/** @typedef {{session: string, seq: number, at: number, title: string, approval: string}} Ran */

/**
 * The calls that a rule allowed in sessions whose log is loaded, newest first.
 * @param {Map<string, {first: number, events: import("./wire").Event[]}>} logs @param {Map<string, Summary>} sessions
 * @param {string} hostID @param {string} name
 * @returns {Ran[]}
 */
export const ranBy = (logs, sessions, hostID, name) =>
  [...logs].filter(([session]) => sessions.get(session)?.host.id === hostID).flatMap(([session, { first, events }]) =>
    events.flatMap(({ kind, head, at }, index) => (kind === "approval.requested" && head.rule?.decision === "allow" && namesIn(head.rule.name).includes(name)
      ? [{ session, seq: first + index, at, title: asText(head.title), approval: asText(head.approval) }] : [])))
    .sort((a, b) => b.at - a.at || b.seq - a.seq);

/**
 * The limits of a rule besides its patterns, in words.
 * @param {Rule} rule
 */
export const limitsOf = ({ folder, agent, hours, until, times, left }) =>
  [folder && t`in ${folder}`, agent && t`for ${agent}`, hours && t`from ${hours.split("-")[0]} to ${hours.split("-")[1]} there`, until && t`until ${until}`,
    times && (left === undefined ? t`calls: ${times}` : t`calls: ${times}, left: ${left}`)].filter(Boolean).join(", ");

/**
 * The reason why a rule does not answer now; empty if it does.
 * @param {RuledHost} host @param {Rule} rule
 */
export function standingOf({ accepted }, { answer, off, left }) {
  if (answer !== "allow") return "";
  if (off) return t`Taken back: a person is asked, until its owner has run heliograph rules accept there.`;
  if (left === 0) return t`Allows nothing more: it has allowed as many calls as it says.`;
  return accepted ? "" : t`Allows nothing: its owner has not accepted the file as it is.`;
}

/**
 * The reason why this client cannot remove a rule; empty if it can.
 * @param {string[]} may @param {RuledHost} host @param {Rule} rule @param {boolean} isLive
 */
export function takeBackObstacle(may, host, rule, isLive) {
  if (rule.answer !== "allow") return t`It keeps agents back: only its owner can take it out of the file.`;
  if (rule.off) return t`It is taken back already.`;
  return sendObstacle(may, host, isLive, t`take rules back`) || (host.takesBack ? "" : t`Clients cannot steer this host.`);
}

/**
 * A rule as TOML for the host's file; empty if a part of the rule is not known here.
 * @param {Rule} rule
 */
export function textOfRule(rule) {
  // Hosts shorten texts that are too long for the wire, and mark that with "…".
  return [...rule.for, rule.words ?? "", rule.folder ?? ""].some((text) => text.endsWith("…")) ? "" : tomlOf(rule);
}

/** The initial text of a new rule. */
export const ruleTemplate = '[[rule]]\nname = ""\nanswer = "allow"\nfor = ["Bash()"]';

/**
 * The reason why this client cannot change a rule; empty if it can.
 * @param {string[]} may @param {RuledHost} host @param {Rule} rule @param {boolean} isLive
 */
export function changeObstacle(may, host, rule, isLive) {
  if (rule.answer !== "allow") return t`It keeps agents back: only its owner can change it.`;
  if (rule.off) return t`It is taken back: only its owner can let it allow again.`;
  if (!host.takesChanges) return t`Rules are changed from afar only at a host that takes signed commands alone.`;
  if (!textOfRule(rule)) return t`It is too long to be shown whole: only its owner can change it.`;
  return sendObstacle(may, host, isLive) || acceptedObstacle(host);
}

/**
 * The reason why this client cannot try rules; empty if it can.
 * @param {string[]} may @param {RuledHost} host @param {boolean} isLive
 */
export const tryObstacle = (may, host, isLive) => (host.tries ? sendObstacle(may, host, isLive) : t`${host.host} is older than this page, and tries no rules from afar.`);

/** @param {string[]} may @param {RuledHost} host @param {boolean} isLive */
function sendObstacle(may, host, isLive, deed = t`do that`) {
  if (!may.includes("steer")) return t`This device may not ${deed}: heliograph pair --role operator`;
  if (!isLive) return t`No connection to the relay.`;
  return host.connected ? "" : t`${host.host} is offline.`;
}

/** @param {RuledHost} host */
const acceptedObstacle = ({ accepted }) => (accepted ? "" : t`Its owner has first to accept the file there as it is: heliograph rules accept`);

/**
 * @typedef {{session: string, approval: string, at: number, title: string, answer: string, by: string, would: string, rules: string[], reason: string}} Tried
 * @typedef {{name: string, answer: string, requests: number, allowed: number, denied: number}} RuleCount
 * @typedef {{requests: number, since: number, asked: number, denied: Tried[], more: number, rules: RuleCount[], tried: Tried[], suggestions: {toml: string, times: number}[]|null}} Trial
 */

/** @param {unknown} value */
const count = (value) => (typeof value === "number" && value > 0 ? value : 0);
/** @param {unknown} value @returns {any[]} */
const list = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : []);

/**
 * Parses a host's report of a trial of rules; null if it is malformed.
 * @param {unknown} said
 * @returns {Trial|null}
 */
export function trialOf(said) {
  if (typeof said !== "object" || said === null) return null;
  const { requests, since, asked, more, rules, tried, suggestions } = /** @type {Record<string, unknown>} */ (said);
  const calls = list(tried).map((one) => ({
    session: asText(one.session), approval: asText(one.approval), at: count(one.at), title: asText(one.title), answer: asText(one.answer), by: asText(one.by), would: asText(one.would),
    rules: Array.isArray(one.rules) ? one.rules.map(asText) : [], reason: asText(one.reason),
  })).sort((a, b) => b.at - a.at);
  return {
    requests: count(requests), since: count(since), asked: count(asked), more: count(more), tried: calls,
    denied: calls.filter(({ would, answer }) => would === "allow" && answer === "denied"),
    rules: list(rules).map((one) => ({ name: asText(one.name), answer: asText(one.answer), requests: count(one.requests), allowed: count(one.allowed), denied: count(one.denied) })),
    suggestions: suggestions === undefined ? null : list(suggestions).map((one) => ({ toml: asText(one.toml), times: count(one.times) })).filter(({ toml }) => toml),
  };
}

/**
 * The sentence about a rule in a trial.
 * @param {RuleCount} rule
 */
export const countWords = ({ answer, requests, allowed, denied }) => (answer === "ask" ? t`would ask about ${requests}`
  : answer === "allow" ? t`would allow ${requests}; people allowed ${allowed} of them and denied ${denied}` : t`would deny ${requests}; people allowed ${allowed} of them and denied ${denied}`);

/** @type {Record<string, string>} */
export const answerWords = { allow: t`allow`, deny: t`deny`, ask: t`ask` };
/** @type {Record<string, string>} */
const deedWords = { allowed: t`allowed`, denied: t`denied` };

/**
 * The sentence about a call in a trial: the rules' answer, and the real one.
 * @param {Tried} call
 */
export const callWords = ({ would, rules, reason, answer, by }) => `${answer ? t`${deedWords[answer] ?? answer} by ${by}` : by ? t`answered by ${by}` : t`answered by nobody`} → ${
  would === "ask" ? t`asked: ${reason}` : `${answerWords[would] ?? would} (${rules.join(", ")})`}`;

/**
 * The reason why this client cannot add a rule; empty if it can.
 * @param {string[]} may @param {RuledHost} host @param {boolean} isLive
 */
export function addObstacle(may, host, isLive) {
  if (!host.takesNew) return t`Rules are added from afar only to a host that takes signed commands alone.`;
  return sendObstacle(may, host, isLive) || acceptedObstacle(host);
}
