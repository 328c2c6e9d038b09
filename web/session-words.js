/** Names and status words of sessions, shared by all views. */

import { asText } from "./dom.js";
import { ago, timeOfDay } from "./format.js";
import { t } from "./language.js";
import { flat, line } from "./text.js";

/** @typedef {import("./wire").Summary} Summary */

/** Age above which a time of day alone would be ambiguous. */
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
 * The status in words. A request without an approval here can only be answered at the terminal, or is decided and waits for its host.
 * @param {Summary} summary
 */
export const statusOf = ({ status, approvals, questions }) =>
  (status === "waitingApproval" || status === "waitingAnswer") && !(approvals + questions) ? t`Waiting` : statuses[status] ?? status;

/** @param {Summary} summary */
export const titleOf = (summary) => summary.title || summary.project || t`Session ${summary.session}`;

/** @param {Summary} summary */
export const placeOf = ({ project, host }) => `${project ? `${project} · ` : ""}${host.connected ? host.name : t`${host.name} is offline`}`;

/**
 * Words for an offline host, with the time of its session's last activity.
 * @param {Summary} summary @param {number} now
 */
export const awayWords = ({ host, lastActivityAt }, now) =>
  t`${host.name} is offline, last news ${now - lastActivityAt < dayMs ? t`at ${timeOfDay(lastActivityAt)}` : ago(now - lastActivityAt)}`;

/**
 * A session's current operation, or the reason why it is idle.
 * @param {Summary} summary
 */
export const sayingOf = ({ status, error, operation, statusReason }) =>
  // A reason equal to the status is omitted.
  (status === "failed" ? error ?? statusReason : operation ?? (statusReason === status ? "" : statusReason)) ?? "";

/**
 * The page's title: the newest waiting approval, and the number of all.
 * @param {import("./wire").Approval[]} all @param {Map<string, Summary>} sessions
 */
export function waitingWords(all, sessions) {
  const { session, request: { head } } = all.reduce((last, one) => (one.requestedAt > last.requestedAt ? one : last));
  const summary = sessions.get(session);
  const asks = flat(line(t`${summary ? titleOf(summary) : t`A session`} asks: ${asText(head.title) || asText(head.tool)}`));
  return all.length > 1 ? t`${asks}. ${all.length} wait in all` : asks;
}
