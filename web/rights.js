/** Words for a device's rights. Pure. */

import { t } from "./language.js";

/** @typedef {import("./wire").Welcome} Welcome */

/**
 * True if this device has the right, or if the relay has not sent the rights yet: the relay checks each command anyway.
 * @param {Welcome|null|undefined} welcome @param {"decide"|"steer"|"administer"} right
 */
export const has = (welcome, right) => welcome?.may.includes(right) ?? true;

/** The text that replaces a card's buttons on a device that may only watch. */
export const watchesOnly = t`This device only watches. What agents ask is decided on another one.`;

/** @param {Welcome|null|undefined} welcome */
export function rightsOf(welcome) {
  if (!welcome) return "…";
  const words = [["decide", t`decide what agents ask`], ["steer", t`tell agents what to do`], ["administer", t`let others in`]];
  const known = [t`watch`, ...words.filter(([right]) => welcome.may.includes(right)).map(([, text]) => text)];
  return known.length > 1 ? t`${known.slice(0, -1).join(", ")} and ${known.at(-1)}` : t`watch, and nothing else`;
}

/**
 * The warning when a pairing link is opened in a browser whose rights it would reduce.
 * @param {string} name @param {Welcome|null|undefined} welcome
 */
export function alreadyWords(name, welcome) {
  const known = name
    ? welcome ? t`This browser is already paired as ${name} and may ${rightsOf(welcome)}.` : t`This browser is already paired as ${name}.`
    : welcome ? t`This browser is already paired and may ${rightsOf(welcome)}.` : t`This browser is already paired.`;
  return `${known} ${t`If you pair it again, it may do what the new link allows instead, which can be less.`}`;
}

/** @type {Record<string, string>} */
const roles = {
  watcher: t`it only watches.`,
  client: t`it may watch and decide what agents ask, and not tell agents what to do.`,
  operator: t`it may watch, decide what agents ask and tell agents what to do.`,
};

/**
 * Describes the role that a pairing link gives.
 * @param {string} role
 */
export const roleWords = (role) => (Object.hasOwn(roles, role) ? roles[role] : t`its role is ${role}.`);
