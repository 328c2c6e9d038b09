/** A device's rights, in words. Pure. */

import { t } from "./language.js";

/** @typedef {import("./wire").Welcome} Welcome */

/**
 * Whether this device has a right. Before the relay has said so it is not denied: the relay has the last word.
 * @param {Welcome|null|undefined} welcome @param {"decide"|"steer"|"administer"} right
 */
export const has = (welcome, right) => welcome?.may.includes(right) ?? true;

/** A card's text in place of its buttons. */
export const watchesOnly = t`This device only watches. What agents ask is decided on another one.`;

/** @param {Welcome|null|undefined} welcome */
export function rightsOf(welcome) {
  if (!welcome) return "…";
  const words = [["decide", t`decide what agents ask`], ["steer", t`tell agents what to do`], ["administer", t`let others in`]];
  const known = [t`watch`, ...words.filter(([right]) => welcome.may.includes(right)).map(([, text]) => text)];
  return known.length > 1 ? t`${known.slice(0, -1).join(", ")} and ${known.at(-1)}` : t`watch, and nothing else`;
}

/**
 * What a person is told who opens a pairing link in a browser that has rights to lose.
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

/** @param {string} role What a pairing link gave. */
export const roleWords = (role) => (Object.hasOwn(roles, role) ? roles[role] : t`its role is ${role}.`);
