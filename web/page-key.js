/**
 * The half of this browser's credential that the page keeps. The other half is a cookie that no script reads; but a cookie goes to every
 * port of this name, and so to whatever an agent starts there. `localStorage` is this origin's alone, port and all: neither is worth
 * anything without the other.
 */

import { t } from "./language.js";

const place = "heliograph.key";
/** For as long as this page is open, where the browser keeps nothing for it. */
let held = "";

/** Empty where the relay has not let this browser in. */
export function pageKey() {
  try {
    return localStorage.getItem(place) ?? held;
  } catch {
    return held;
  }
}

/** @param {string} key What pairing gave. */
export function keepKey(key) {
  held = key;
  try {
    localStorage.setItem(place, key);
  } catch {
    // Site data is blocked: it holds until the page is closed.
  }
}

export function forgetKey() {
  held = "";
  try {
    localStorage.removeItem(place);
    // What was written here (`drafts.js`, `held.js`, `templates.js`) and read (`session-changes.js`) is its owner's, too.
    for (const name of ["drafts", "held", "templates", "viewed"]) localStorage.removeItem(`heliograph.${name}`);
  } catch {
    // Nothing was kept.
  }
}

/** Whether the relay let this browser in, as far as it knows. */
export const hasKey = () => pageKey() !== "";

/** The subprotocols of a WebSocket, whose headers the page cannot set. The relay never picks the second. */
export const subprotocols = () => ["heliograph.v1", ...(hasKey() ? [`key.${pageKey()}`] : [])];

/** Longer than a relay on a bad line takes. A network that swallows packets fails nothing for minutes. */
export const answerMs = 15_000;

/**
 * Ends a request that has no whole answer by then, as one that reached nobody.
 * @param {number} milliseconds
 */
export function within(milliseconds) {
  const patience = new AbortController();
  setTimeout(() => patience.abort(new TypeError(t`The relay does not answer.`)), milliseconds);
  return patience.signal;
}

/**
 * The reason of a refusal, as a sentence: the relay's own, if it is the relay that answered.
 * @param {number} status @param {any} answer Its body, if that is JSON.
 */
export function refusalIn(status, answer) {
  const message = answer?.error?.message;
  if (typeof message === "string" && message) return t`The relay says: ${message}.`;
  return status >= 500 ? t`The relay could not do it just now (${status}). Try again.`
    : t`Something else answers in the relay's place at ${location.host} (${status}): look at the address.`;
}

/**
 * A request to the relay, as this browser.
 * @param {string} path @param {RequestInit} [options] @param {number} [milliseconds] The limit for the whole answer.
 */
export function ask(path, options = {}, milliseconds = answerMs) {
  return fetch(path, { signal: within(milliseconds), ...options, headers: { ...options.headers, ...(hasKey() ? { "Heliograph-Key": pageKey() } : {}) } });
}
