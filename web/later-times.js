/** Times for snoozing and holding, in this device's time zone. Pure. */

import { timeOfDay } from "./format.js";
import { t } from "./language.js";

const hourMs = 3_600_000;
const morning = 8;

/** @param {number} now */
export const inAnHour = (now) => now + hourMs;

/**
 * Eight o'clock on the next morning.
 * @param {number} now @returns {number}
 */
export function tomorrow(now) {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  return day.setHours(morning, 0, 0, 0);
}

/** @param {number} at @param {number} now Whether it is of the same day here. */
export const isToday = (at, now) => new Date(at).toDateString() === new Date(now).toDateString();

/** @param {number} until @param {number} now */
export const untilWords = (until, now) => (isToday(until, now) ? t`at ${timeOfDay(until)}` : t`tomorrow at ${timeOfDay(until)}`);

/**
 * The next moment with that time of day.
 * @param {string} time A time such as `14:30`. @param {number} now @returns {number|null} Null if the text is no time.
 */
export function nextAt(time, now) {
  const [, hours, minutes] = time.match(/^(\d\d):(\d\d)/) ?? [];
  if (hours === undefined) return null;
  const day = new Date(now);
  day.setHours(Number(hours), Number(minutes), 0, 0);
  if (day.getTime() <= now) day.setDate(day.getDate() + 1);
  return day.getTime();
}
