/** Formats numbers as text for people. All functions are pure. */

import { language, plural, t } from "./language.js";

/**
 * Formats whole micro-dollars as `$0.41`. A positive amount never reads as zero.
 * @param {number|null|undefined} micro
 */
export function money(micro) {
  if (micro == null) return "";
  return micro > 0 && micro < 10_000 ? `<${dollars.format(0.01)}` : dollars.format(micro / 1_000_000);
}

/** The formatter is created once, because that takes longer than using it, and a list has a thousand rows. */
const dollars = new Intl.NumberFormat(language.tag, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });

/**
 * A session's cost. The agent's estimate for a model without a known price is marked as such; no budget includes it.
 * @param {{costMicroUSD?: number|null, estimateMicroUSD?: number|null}} summary
 */
export function costOf({ costMicroUSD, estimateMicroUSD }) {
  if (!estimateMicroUSD) return money(costMicroUSD);
  const guess = t`~${money(estimateMicroUSD)} guessed`;
  return costMicroUSD ? `${money(costMicroUSD)} + ${guess}` : guess;
}

/**
 * An age in the largest unit that fits, without seconds, so that nothing ticks. A negative age reads as `now`.
 * @param {number} milliseconds
 */
export const age = (milliseconds) => (milliseconds < 60_000 ? t`now` : runningFor(milliseconds));

/**
 * A running time, with seconds.
 * @param {number} milliseconds
 */
export function runningFor(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return t`${Math.floor(seconds / 3600)} h`;
  return t`${Math.floor(seconds / 86_400)} d`;
}

/**
 * An age such as `12 min ago`, or `just now`.
 * @param {number} milliseconds
 */
export const ago = (milliseconds) => (milliseconds < 60_000 ? t`just now` : t`${age(milliseconds)} ago`);

/** Remaining time below which the seconds are shown. */
const countedMs = 600_000;

/**
 * A remaining time in the largest unit that fits, with seconds only towards the end.
 * @param {number} milliseconds
 */
export const left = (milliseconds) => (milliseconds < countedMs ? countdown(milliseconds) : runningFor(milliseconds));

/**
 * A countdown such as `4:07`; negative values read as zero.
 * @param {number} milliseconds
 */
export function countdown(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = `${String(rest).padStart(2, "0")}`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/**
 * Formats a finished duration.
 * @param {number} milliseconds
 */
export function duration(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${exactly.format(Math.floor(milliseconds / 100) / 10)} s`;
  if (milliseconds >= 600_000) return `${Math.floor(milliseconds / 60_000)} min`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor(milliseconds / 1000) % 60} s`;
}

/**
 * Formats a number as `950`, `12.3k` or `4.5M`.
 * @param {number} number
 */
export function count(number) {
  if (number < 1000) return String(number);
  if (number < 999_950) return `${trim(number / 1000)}k`;
  return `${trim(number / 1_000_000)}M`;
}

/** @param {number} value */
const trim = (value) => (value < 100 ? atMost.format(value) : String(Math.round(value)));

/** Formatters with at most one fraction digit, and with exactly one. */
const [atMost, exactly] = [0, 1].map((minimumFractionDigits) => new Intl.NumberFormat(language.tag, { minimumFractionDigits, maximumFractionDigits: 1 }));

/**
 * Formats a number of bytes as `950 bytes`, `12.3 kB` or `4.5 MB`.
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1000) return plural(bytes, "byte");
  return bytes < 999_950 ? `${trim(bytes / 1000)} kB` : `${trim(bytes / 1_000_000)} MB`;
}

const clock = new Intl.DateTimeFormat(language.tag, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/**
 * The time of day as `14:05`, with leading zeros so that columns align.
 * @param {number} at
 */
export const timeOfDay = (at) => clock.format(at);
