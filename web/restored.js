/** A host whose files were restored says so when it refuses something; what is done about that comes later (`resuming.js`). Pure. */

import { consentOf, shownApproval } from "./shown.js";

/** How its reason begins where it refused to be steered: a sentence of the module `Consent`. */
const restoredReason = "The host was restored from older files";

/**
 * The host that says by a message that it took nothing, as its files were restored.
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
