/** Numbers as people read them. Every function is pure and gives plain text. */

import { language, plural, t } from "./language.js";

/**
 * `$0.41` from whole micro-dollars. What is more than nothing never reads as nothing.
 * @param {number|null|undefined} micro
 */
export function money(micro) {
  if (micro == null) return "";
  return micro > 0 && micro < 10_000 ? `<${dollars.format(0.01)}` : dollars.format(micro / 1_000_000);
}

/** Made once: a thousand rows have one each, and making it takes longer than using it. */
const dollars = new Intl.NumberFormat(language.tag, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" });

/**
 * What a session has cost. A guess of the agent for a model whose price it does not know, which is in no budget, is marked as one.
 * @param {{costMicroUSD?: number|null, estimateMicroUSD?: number|null}} summary
 */
export function costOf({ costMicroUSD, estimateMicroUSD }) {
  if (!estimateMicroUSD) return money(costMicroUSD);
  const guess = t`~${money(estimateMicroUSD)} guessed`;
  return costMicroUSD ? `${money(costMicroUSD)} + ${guess}` : guess;
}

/**
 * How long ago, in the largest unit that fits, and calmly: nothing on screen ticks by the second. A clock that runs ahead reads as `now`.
 * @param {number} milliseconds
 */
export const age = (milliseconds) => (milliseconds < 60_000 ? t`now` : runningFor(milliseconds));

/**
 * For how long something has been running, which is watched by the second.
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
 * `12 min ago`, or `just now`.
 * @param {number} milliseconds
 */
export const ago = (milliseconds) => (milliseconds < 60_000 ? t`just now` : t`${age(milliseconds)} ago`);

/** So long before an end its seconds are counted. */
const countedMs = 600_000;

/**
 * How long is left: in the largest unit that fits, and by the second only at the end.
 * @param {number} milliseconds
 */
export const left = (milliseconds) => (milliseconds < countedMs ? countdown(milliseconds) : runningFor(milliseconds));

/**
 * `4:07`, counting down; nothing is left below zero.
 * @param {number} milliseconds
 */
export function countdown(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = `${String(rest).padStart(2, "0")}`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/**
 * How long it took.
 * @param {number} milliseconds
 */
export function duration(milliseconds) {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${exactly.format(Math.floor(milliseconds / 100) / 10)} s`;
  if (milliseconds >= 600_000) return `${Math.floor(milliseconds / 60_000)} min`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.floor(milliseconds / 1000) % 60} s`;
}

/**
 * `950`, `12.3k`, `4.5M`.
 * @param {number} number
 */
export function count(number) {
  if (number < 1000) return String(number);
  if (number < 999_950) return `${trim(number / 1000)}k`;
  return `${trim(number / 1_000_000)}M`;
}

/** @param {number} value */
const trim = (value) => (value < 100 ? atMost.format(value) : String(Math.round(value)));

/** With one digit behind the point at most, and exactly so many. */
const [atMost, exactly] = [0, 1].map((minimumFractionDigits) => new Intl.NumberFormat(language.tag, { minimumFractionDigits, maximumFractionDigits: 1 }));

/**
 * `950 bytes`, `12.3 kB`, `4.5 MB`.
 * @param {number} bytes
 */
export function size(bytes) {
  if (bytes < 1000) return plural(bytes, "byte");
  return bytes < 999_950 ? `${trim(bytes / 1000)} kB` : `${trim(bytes / 1_000_000)} MB`;
}

const clock = new Intl.DateTimeFormat(language.tag, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/**
 * The time of day, `14:05`, of the same width everywhere.
 * @param {number} at
 */
export const timeOfDay = (at) => clock.format(at);
