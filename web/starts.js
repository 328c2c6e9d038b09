/**
 * Starting sessions: where it is possible, and its outcome. Pure.
 *
 * A host that lets clients start sessions appears in the workspace as a session of its own, which accepts these commands and reports their outcome.
 */

import { asText } from "./dom.js";
import { t } from "./language.js";
import { finalStages } from "./timeline.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {import("./wire").Event} Event */
/** @typedef {{key: string, session: string, host: string, connected: boolean, project: string, folder: string, agents: NonNullable<import("./wire").SteeringOffer["agents"]>, consent?: string}} Place */
/** @typedef {{id: string, title: string, at: number, open?: boolean}} Past */

/**
 * All projects of all hosts, in a stable order.
 * @param {Map<string, Summary>} hosts
 * @returns {Place[]}
 */
export const placesOf = (hosts) =>
  [...hosts.values()].flatMap(({ session, host, steering }) => (steering?.projects ?? []).map(({ name, folder }) => ({
    key: `${session}/${name}`, session, host: host.name, connected: host.connected, project: name, folder, agents: steering?.agents ?? [],
    ...(steering?.consent === undefined ? {} : { consent: steering.consent }),
  }))).sort((a, b) => a.project.localeCompare(b.project) || a.host.localeCompare(b.host) || a.key.localeCompare(b.key));

/**
 * The default project and agent: those of the most recently active session.
 * @param {Place[]} places @param {Iterable<Summary>} sessions
 * @returns {{place: Place|undefined, agent: string|undefined}}
 */
export function likeliest(places, sessions) {
  const latest = [...sessions].sort((a, b) => b.lastActivityAt - a.lastActivityAt);
  for (const one of latest) {
    const place = places.find(({ project, host }) => project === one.project && host === one.host.name);
    if (place) return { place, agent: place.agents.find(({ name }) => name === one.agent.name)?.name };
  }
  return { place: places[0], agent: undefined };
}

/**
 * Advice on what to do elsewhere before sessions can be started; null if nothing is missing.
 * @param {string[]} may @param {Place|undefined} place
 * @returns {{words: string, command: string}|null}
 */
export function startAdvice(may, place) {
  if (!may.includes("steer")) return { words: t`This device may not start sessions. Open a link on it that you get on the relay's machine from`, command: "heliograph pair --role operator" };
  if (!place) return { words: t`No machine lets you start sessions yet. On the machine with the project run`, command: "heliograph host projects add DIR" };
  return null;
}

/**
 * The reason why no session can be started now; empty if one can.
 * @param {string[]} may @param {Place|undefined} place @param {boolean} isLive
 */
export function startObstacle(may, place, isLive) {
  const advice = startAdvice(may, place);
  if (advice || !place) return advice ? `${advice.words} ${advice.command}` : "";
  if (!isLive) return t`No connection to the relay.`;
  if (!place.connected) return t`${place.host} is offline.`;
  return place.agents.length ? "" : t`${place.host} finds no agent that it could start.`;
}

/**
 * The known outcome of a command; undefined if there is none yet.
 * @param {Event[]} events @param {string} id
 * @returns {{stage: string, words: string, reason?: string, started?: string, past?: Past[], tried?: unknown}|undefined}
 */
export function outcomeOf(events, id) {
  // Only the first final event of a command counts.
  const event = events.find(({ kind, head }) => kind === "steering.changed" && head.command === id && finalStages.has(asText(head.stage)));
  if (!event) return undefined;
  const stage = asText(event.head.stage);
  const reason = asText(event.head.reason);
  const sessions = event.body?.sessions;
  const verb = { taken: t`It has begun`, refused: t`Not started`, withdrawn: t`Taken back`, unknown: t`Nobody knows whether it was started` }[stage] ?? stage;
  return {
    stage, ...(reason ? { reason } : {}), words: `${verb}${reason ? `: ${reason}` : ""}.`,
    ...(typeof event.head.started === "string" ? { started: event.head.started } : {}),
    ...(event.body?.tried === undefined ? {} : { tried: event.body.tried }),
    ...(Array.isArray(sessions) ? { past: sessions.filter((/** @type {any} */ one) => typeof one?.id === "string") } : {}),
  };
}
