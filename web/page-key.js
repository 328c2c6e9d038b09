/**
 * The page's half of this browser's credential. The other half is an HttpOnly cookie; but a cookie is sent to every
 * port of this host name, and so to any server that an agent starts there. `localStorage` is per origin, including the port. Neither half is
 * accepted without the other.
 */

import { t } from "./language.js";

const place = "heliograph.key";
/** The key while this page is open, if the browser cannot store it. */
let held = "";

/** The page's key; empty if this browser is not paired. */
export function pageKey() {
  try {
    return localStorage.getItem(place) ?? held;
  } catch {
    return held;
  }
}

/**
 * Stores the key that pairing returned.
 * @param {string} key
 */
export function keepKey(key) {
  held = key;
  try {
    localStorage.setItem(place, key);
  } catch {
    // Site data is blocked: the key lasts until the page is closed.
  }
}

export function forgetKey() {
  held = "";
  try {
    localStorage.removeItem(place);
    // Texts written on this page and marks of viewed files are deleted together with the key.
    for (const name of ["drafts", "held", "templates", "viewed"]) localStorage.removeItem(`heliograph.${name}`);
  } catch {
    // Site data is blocked, so nothing was stored.
  }
}

/** True if this browser was paired, as far as it knows. */
export const hasKey = () => pageKey() !== "";

/** Subprotocols carry the key, because a page cannot set a WebSocket's headers. The relay never selects the second one. */
export const subprotocols = () => ["heliograph.v1", ...(hasKey() ? [`key.${pageKey()}`] : [])];

/** Limit for an answer: longer than a relay takes on a bad line. A network that drops packets would fail only after minutes. */
export const answerMs = 15_000;

/**
 * Aborts a request that has no complete answer in time.
 * @param {number} milliseconds
 */
export function within(milliseconds) {
  const patience = new AbortController();
  setTimeout(() => patience.abort(new TypeError(t`The relay does not answer.`)), milliseconds);
  return patience.signal;
}

/**
 * The reason of a refusal as a sentence: the relay's own words, unless a proxy answered.
 * @param {number} status @param {any} answer The answer's JSON body, if it has one.
 */
export function refusalIn(status, answer) {
  const message = answer?.error?.message;
  if (typeof message === "string" && message) return t`The relay says: ${message}.`;
  return status >= 500 ? t`The relay could not do it just now (${status}). Try again.`
    : t`Something else answers in the relay's place at ${location.host} (${status}): look at the address.`;
}

/**
 * Sends a request with this browser's key to the relay.
 * @param {string} path @param {RequestInit} [options] @param {number} [milliseconds] The time limit for the complete answer.
 */
export function ask(path, options = {}, milliseconds = answerMs) {
  return fetch(path, { signal: within(milliseconds), ...options, headers: { ...options.headers, ...(hasKey() ? { "Heliograph-Key": pageKey() } : {}) } });
}
