/** Limits of the workspace that were reached, in words. Pure. */

/** For so long after the relay's last word of it: the relay repeats it every ten minutes while it lasts. */
const lastsMs = 11 * 60_000;

/** @type {Record<string, string>} By the notice's `limit`. */
const words = {
  sessions: "The relay keeps no more sessions of this workspace: new ones wait on their machines until others end or are removed.",
  megabytes: "The relay has no room for more of this workspace's history: what happens now waits on its machines. Removing a session makes room.",
  pushesPerDay: "The relay sends no more notifications for this workspace today: look here until midnight UTC.",
  connections: "The relay takes no more connections of this workspace: close a page or a terminal first.",
};

/**
 * @param {Map<string, {notice: {message: string}, at: number}>} heard When the relay last spoke of each limit. @param {number} now
 * @returns {string} Nothing where no limit is reached.
 */
export const fullWords = (heard, now) =>
  [...heard].filter(([, { at }]) => now - at < lastsMs).map(([limit, { notice }]) => words[limit] ?? notice.message).join(" ");
