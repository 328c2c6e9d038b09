/**
 * The text that a host with signatures sends for an approval: its event as one string, whose hash the host keeps. The page shows only this
 * text's content, and signs that; the relay's own fields serve lists. Pure.
 */

import { bytesOfBase64url, isKeyID } from "./consent.js";
import { t } from "./language.js";
import { parsedMessage } from "./numbers.js";

/** @typedef {import("./wire").Approval} Approval */
/** @typedef {import("./wire").Event} Event */
/** @typedef {{host: string, text: string}|{problem: string}} Consent The host's key id and the received text, or the reason why there is none. */

/** The relay's limit for the text of a `shown` event, in characters. */
const charactersMax = 4 << 20;
const fields = ["event", "host", "salt", "session"];
const saltBytes = 16;

/** @type {WeakMap<Event, Event>} Parsed events by the event as it was received. */
const inner = new WeakMap();
/** @type {WeakMap<Event, Consent>} Consents by the event that is shown. */
const consents = new WeakMap();

/**
 * The request of an approval, parsed from the host's text. A malformed one becomes incomplete: it can be denied only.
 * @param {Event} event @param {string} session @param {unknown} approval The approval's id.
 * @returns {Event} The same object for the same event.
 */
export function shownEvent(event, session, approval) {
  if (event.body?.shown === undefined) return event;
  const known = inner.get(event);
  if (known) return known;
  const { found, consent } = reading(event, session, approval);
  inner.set(event, found);
  consents.set(found, consent);
  return found;
}

/**
 * The approval with the request from its host's text.
 * @param {Approval} approval @returns {Approval}
 */
export function shownApproval(approval) {
  const request = shownEvent(approval.request, approval.session, approval.approval);
  return request === approval.request ? approval : { ...approval, request };
}

/** @param {Event} event A result of `shownEvent`. @returns {Consent|undefined} Undefined if its host accepts unsigned decisions. */
export const consentOf = (event) => consents.get(event);

/** @param {Event} event @param {string} session @param {unknown} approval @returns {{found: Event, consent: Consent}} */
function reading(event, session, approval) {
  try {
    const body = /** @type {import("./wire").Fields} */ (event.body);
    const { shown: text } = body;
    if (typeof text !== "string" || Object.keys(body).length !== 1 || text.length > charactersMax) throw new Error("the relay sent it in another form");
    const parts = parsedMessage(text);
    if (!isObject(parts) || Object.keys(parts).sort().join() !== fields.join()) throw new Error("it has other fields");
    bytesOfBase64url(parts.salt, "salt", saltBytes);
    if (!isKeyID(parts.host)) throw new Error("it names no host");
    if (parts.session !== session) throw new Error("it is of another session");
    const { kind, at, head, body: content } = isObject(parts.event) ? parts.event : /** @type {Record<string, any>} */ ({});
    if (kind !== "approval.requested" || typeof at !== "number" || !isObject(head) || !(content === undefined || isObject(content))) throw new Error("it is no request");
    if (head.approval !== approval) throw new Error("it is another request");
    if (head.digest !== event.head.digest) throw new Error("its digest is another");
    return { found: { kind, at, head, ...(content ? { body: content } : {}) }, consent: { host: parts.host, text } };
  } catch (error) {
    const head = { approval, kind: "tool", tool: "", title: "", digest: event.head.digest, cut: true };
    return { found: { kind: event.kind, at: event.at, head }, consent: { problem: t`What its host sent cannot be read: ${/** @type {Error} */ (error).message}.` } };
  }
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
