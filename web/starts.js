/**
 * Starting sessions from here: where that can be done, and what became of it. Pure.
 *
 * A host that lets clients start sessions is in the workspace as a session of its own, which takes these commands and tells what comes of them.
 */

import { asText } from "./dom.js";
import { finalStages } from "./timeline.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {import("./wire").Event} Event */
/** @typedef {{key: string, session: string, host: string, connected: boolean, project: string, folder: string, agents: NonNullable<import("./wire").SteeringOffer["agents"]>, consent?: string}} Place */
/** @typedef {{id: string, title: string, at: number, open?: boolean}} Past */

/**
 * Every project of every host, in an order that stays.
 * @param {Map<string, Summary>} hosts
 * @returns {Place[]}
 */
export const placesOf = (hosts) =>
  [...hosts.values()].flatMap(({ session, host, steering }) => (steering?.projects ?? []).map(({ name, folder }) => ({
    key: `${session}/${name}`, session, host: host.name, connected: host.connected, project: name, folder, agents: steering?.agents ?? [],
    ...(steering?.consent === undefined ? {} : { consent: steering.consent }),
  }))).sort((a, b) => a.project.localeCompare(b.project) || a.host.localeCompare(b.host) || a.key.localeCompare(b.key));

/**
 * Why nothing can be started now; empty where it can.
 * @param {string[]} may @param {Place|undefined} place @param {boolean} isLive
 */
export function startObstacle(may, place, isLive) {
  if (!may.includes("steer")) return "To start sessions from here, open a link from heliograph pair --role operator.";
  if (!place) return "No host lets you start sessions. On the host: heliograph host projects add DIR";
  if (!isLive) return "No connection to the relay.";
  if (!place.connected) return `${place.host} is offline.`;
  return place.agents.length ? "" : `${place.host} finds no agent that it could start.`;
}

/**
 * What has become of a command, where that is known.
 * @param {Event[]} events @param {string} id
 * @returns {{stage: string, words: string, started?: string, past?: Past[]}|undefined}
 */
export function outcomeOf(events, id) {
  // The first end of a command counts.
  const event = events.find(({ kind, head }) => kind === "steering.changed" && head.command === id && finalStages.has(asText(head.stage)));
  if (!event) return undefined;
  const stage = asText(event.head.stage);
  const reason = asText(event.head.reason);
  const sessions = event.body?.sessions;
  const verb = { taken: "It has begun", refused: "Not started", withdrawn: "Taken back", unknown: "Nobody knows whether it was started" }[stage] ?? stage;
  return {
    stage, words: `${verb}${reason ? `: ${reason}` : ""}.`,
    ...(typeof event.head.started === "string" ? { started: event.head.started } : {}),
    ...(Array.isArray(sessions) ? { past: sessions.filter((/** @type {any} */ one) => typeof one?.id === "string") } : {}),
  };
}
