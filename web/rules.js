/**
 * What hosts answer by their owners' rules, and what has run by them. Pure.
 *
 * A host shows its rules in the session that represents it. From here a rule can be taken back, and nothing else: to allow again is its owner's.
 */

import { asText } from "./dom.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {NonNullable<NonNullable<import("./wire").SteeringOffer["rules"]>["list"]>[number]} Rule */
/** @typedef {{session: string, hostID: string, host: string, connected: boolean, consent?: string, takesBack: boolean, accepted: boolean, more: number, rules: Rule[]}} RuledHost */
/** @typedef {{session: string, seq: number, at: number, title: string, approval: string}} Ran */

/**
 * Every host that has rules, in an order that stays.
 * @param {Map<string, Summary>} hosts The sessions that represent hosts.
 * @returns {RuledHost[]}
 */
export const ruledHosts = (hosts) =>
  [...hosts.values()].flatMap(({ session, host, steering }) => (steering?.rules ? [{
    session, hostID: host.id, host: host.name, connected: host.connected, takesBack: steering.actions.includes("ruleOff"),
    accepted: steering.rules.accepted === true, more: steering.rules.more ?? 0, rules: steering.rules.list,
    ...(steering.consent === undefined ? {} : { consent: steering.consent }),
  }] : [])).sort((a, b) => a.host.localeCompare(b.host) || a.session.localeCompare(b.session));

/**
 * The names in an event's `rule`: those that cover a command line together.
 * @param {unknown} name
 */
export const namesIn = (name) => asText(name).split(", ").filter(Boolean);

/**
 * What a rule has allowed, as far as its sessions are open here; the newest first.
 * @param {Map<string, {first: number, events: import("./wire").Event[]}>} logs @param {Map<string, Summary>} sessions
 * @param {string} hostID @param {string} name
 * @returns {Ran[]}
 */
export const ranBy = (logs, sessions, hostID, name) =>
  [...logs].filter(([session]) => sessions.get(session)?.host.id === hostID).flatMap(([session, { first, events }]) =>
    events.flatMap(({ kind, head, at }, index) => (kind === "approval.requested" && head.rule?.decision === "allow" && namesIn(head.rule.name).includes(name)
      ? [{ session, seq: first + index, at, title: asText(head.title), approval: asText(head.approval) }] : [])))
    .sort((a, b) => b.at - a.at || b.seq - a.seq);

/** @param {number} at @param {number} now Whether it is of the same day here. */
export const isToday = (at, now) => new Date(at).toDateString() === new Date(now).toDateString();

/**
 * When a rule answers, besides its patterns.
 * @param {Rule} rule
 */
export const limitsOf = ({ folder, agent, hours, until }) =>
  [folder && `in ${folder}`, agent && `for ${agent}`, hours && `from ${hours.replace("-", " to ")} there`, until && `until ${until}`].filter(Boolean).join(", ");

/**
 * Whether it answers now; empty where it does.
 * @param {RuledHost} host @param {Rule} rule
 */
export function standingOf({ accepted }, { answer, off }) {
  if (answer !== "allow") return "";
  if (off) return "Taken back: a person is asked, until its owner has run heliograph rules accept there.";
  return accepted ? "" : "Allows nothing: its owner has not accepted the file as it is.";
}

/**
 * Why a rule cannot be taken back from here; empty where it can.
 * @param {string[]} may @param {RuledHost} host @param {Rule} rule @param {boolean} isLive
 */
export function takeBackObstacle(may, host, rule, isLive) {
  if (rule.answer !== "allow") return "It keeps agents back: only its owner can take it out of the file.";
  if (rule.off) return "It is taken back already.";
  if (!may.includes("steer")) return "This device may not take rules back: heliograph pair --role operator";
  if (!isLive) return "No connection to the relay.";
  if (!host.connected) return `${host.host} is offline.`;
  return host.takesBack ? "" : "Clients cannot steer this host.";
}
