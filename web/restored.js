/** Recognises refusals of a host whose files were restored from a backup; `resuming.js` handles them. Pure. */

import { consentOf, shownApproval } from "./shown.js";

/** The beginning of the reason with which a restored host refuses commands: a sentence of the Swift module `Consent`. */
const restoredReason = "The host was restored from older files";

/**
 * The host that refused a command because its files were restored; undefined for other messages.
 * @param {import("./wire").Message} message @param {(session: string) => string|undefined} signedHost
 */
export function restoredHost(message, signedHost) {
  if (message.type === "approval" && message.approval.stage === "stale" && message.approval.reason === "restored") {
    const consent = consentOf(shownApproval(message.approval).request);
    return consent && "host" in consent ? consent.host : undefined;
  }
  const isRefused = message.type === "events" && message.events.some(({ kind, head }) =>
    kind === "steering.changed" && head.stage === "refused" && String(head.reason).startsWith(restoredReason));
  return isRefused ? signedHost(message.session) : undefined;
}
