/** How a session is called, and what is said of it, wherever it is named. */

import { asText } from "./dom.js";
import { ago, timeOfDay } from "./format.js";
import { t } from "./language.js";
import { flat, line } from "./text.js";

/** @typedef {import("./wire").Summary} Summary */

/** Longer ago a time of day says too little. */
const dayMs = 86_400_000;

/** @type {Record<string, string>} */
export const statuses = {
  starting: t`Starting`,
  running: t`Running`,
  waitingApproval: t`Needs you`,
  waitingAnswer: t`Asks you`,
  idle: t`Idle`,
  completed: t`Completed`,
  failed: t`Failed`,
  stale: t`No contact`,
};

/**
 * What waits without a card can be answered at the terminal alone, or is decided and waits for its host.
 * @param {Summary} summary
 */
export const statusOf = ({ status, approvals, questions }) =>
  (status === "waitingApproval" || status === "waitingAnswer") && !(approvals + questions) ? t`Waiting` : statuses[status] ?? status;

/** @param {Summary} summary */
export const titleOf = (summary) => summary.title || summary.project || t`Session ${summary.session}`;

/** @param {Summary} summary */
export const placeOf = ({ project, host }) => `${project ? `${project} · ` : ""}${host.connected ? host.name : t`${host.name} is offline`}`;

/**
 * A host that is away, and when its session was heard of last.
 * @param {Summary} summary @param {number} now
 */
export const awayWords = ({ host, lastActivityAt }, now) =>
  t`${host.name} is offline, last news ${now - lastActivityAt < dayMs ? t`at ${timeOfDay(lastActivityAt)}` : ago(now - lastActivityAt)}`;

/**
 * The session's present operation, or why it does nothing.
 * @param {Summary} summary
 */
export const sayingOf = ({ status, error, operation, statusReason }) =>
  // A reason that is the status itself says nothing.
  (status === "failed" ? error ?? statusReason : operation ?? (statusReason === status ? "" : statusReason)) ?? "";

/**
 * The newest waiting approval, and the number of all.
 * @param {import("./wire").Approval[]} all @param {Map<string, Summary>} sessions
 */
export function waitingWords(all, sessions) {
  const { session, request: { head } } = all.reduce((last, one) => (one.requestedAt > last.requestedAt ? one : last));
  const summary = sessions.get(session);
  const asks = flat(line(t`${summary ? titleOf(summary) : t`A session`} asks: ${asText(head.title) || asText(head.tool)}`));
  return all.length > 1 ? t`${asks}. ${all.length} wait in all` : asks;
}
