/** What a device is allowed to do, as a person reads it. Pure. */

/** @typedef {import("./wire").Welcome} Welcome */

/**
 * Whether this device has a right. Before the relay has said so it is not denied: the relay has the last word.
 * @param {Welcome|null|undefined} welcome @param {"decide"|"steer"|"administer"} right
 */
export const has = (welcome, right) => welcome?.may.includes(right) ?? true;

/** What a card says in place of its buttons. */
export const watchesOnly = "This device only watches. What agents ask is decided on another one.";

/** @param {Welcome|null|undefined} welcome */
export function rightsOf(welcome) {
  if (!welcome) return "…";
  const words = [["decide", "decide what agents ask"], ["steer", "tell agents what to do"], ["administer", "let others in"]];
  const known = ["watch", ...words.filter(([right]) => welcome.may.includes(right)).map(([, text]) => text)];
  return known.length > 1 ? `${known.slice(0, -1).join(", ")} and ${known.at(-1)}` : "watch, and nothing else";
}

/**
 * What a person is told who opens a pairing link in a browser that has rights to lose.
 * @param {string} name @param {Welcome|null|undefined} welcome
 */
export function alreadyWords(name, welcome) {
  const known = `This browser is already paired${name ? ` as ${name}` : ""}${welcome ? ` and may ${rightsOf(welcome)}` : ""}.`;
  return `${known} If you pair it again, it may do what the new link allows instead, which can be less.`;
}

/** @type {Record<string, string>} */
const roles = {
  watcher: "it only watches.",
  client: "it may watch and decide what agents ask, and not tell agents what to do.",
  operator: "it may watch, decide what agents ask and tell agents what to do.",
};

/** @param {string} role What a pairing link gave. */
export const roleWords = (role) => (Object.hasOwn(roles, role) ? roles[role] : `its role is ${role}.`);
