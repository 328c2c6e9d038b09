/** Older events of a session, read through page by page for what is wanted of them; the timeline takes them or does not. */

/** Events that one tap reads through. */
const eventsReadMax = 5_000;
/** The most that the relay gives at a time. */
const pageEvents = 500;

/**
 * @param {import("./elements/view.js").App} app @param {string} session @param {number} before The first event that has been read.
 * @param {(first: number, events: import("./wire").Event[]) => boolean} take Whether to go on.
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
