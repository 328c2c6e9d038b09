/** Reads older events of a session page by page; the caller decides what to keep. */

import { pageEvents } from "./store.js";

/** Events that one tap reads through. */
const eventsReadMax = 5_000;

/**
 * @param {import("./elements/view.js").App} app @param {string} session @param {number} before The first event that has been read.
 * @param {(first: number, events: import("./wire").Event[]) => boolean} take Returns true to go on.
 */
export async function readBack({ link, state }, session, before, take) {
  const until = Math.max(before - eventsReadMax, state.sessions.get(session)?.first ?? 1);
  for (let first = before; first > until;) {
    const reply = await link.command({ type: "history", session, before: first, limit: pageEvents });
    const events = reply.events ?? [];
    first = Number(reply.first);
    if (!events.length || !take(first, events)) break;
  }
}
