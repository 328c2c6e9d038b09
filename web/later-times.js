/** Until when something is put off, in this device's own time zone. Pure. */

import { timeOfDay } from "./format.js";

const hourMs = 3_600_000;
const morning = 8;

/** @param {number} now */
export const inAnHour = (now) => now + hourMs;

/** @param {number} now @returns {number} Eight in the morning, after a night. */
export function tomorrow(now) {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  return day.setHours(morning, 0, 0, 0);
}

/** @param {number} until @param {number} now */
export const untilWords = (until, now) => `${new Date(until).toDateString() === new Date(now).toDateString() ? "" : "tomorrow "}at ${timeOfDay(until)}`;
