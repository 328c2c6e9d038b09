/** How a session is called, and what is said of it, wherever it is named. */

/** @typedef {import("./wire").Summary} Summary */

/** @type {Record<string, string>} */
export const statuses = {
  starting: "Starting",
  running: "Running",
  waitingApproval: "Needs you",
  waitingAnswer: "Asks you",
  idle: "Idle",
  completed: "Completed",
  failed: "Failed",
  stale: "No contact",
};

/**
 * What waits without a card can be answered at the terminal alone, or is decided and waits for its host.
 * @param {Summary} summary
 */
export const statusOf = ({ status, approvals, questions }) =>
  (status === "waitingApproval" || status === "waitingAnswer") && !(approvals + questions) ? "Waiting" : statuses[status] ?? status;

/** @param {Summary} summary */
export const titleOf = (summary) => summary.title || summary.project || `Session ${summary.session}`;

/** @param {Summary} summary */
export const placeOf = ({ project, branch, host }) => `${[project, branch, host.name].filter(Boolean).join(" · ")}${host.connected ? "" : " (away)"}`;

/**
 * What it does this moment, or why it does nothing.
 * @param {Summary} summary
 */
export const sayingOf = ({ status, error, operation, statusReason }) =>
  (status === "failed" ? error ?? statusReason : operation ?? statusReason) ?? "";
