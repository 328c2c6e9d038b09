/** Finds addresses in foreign text, and decides which may become links. Pure. */

/** A longer address stays text. */
const addressCharactersMax = 2_048;

/** @param {string} address @returns {URL|null} */
export function urlOf(address) {
  try {
    return new URL(address);
  } catch {
    return null;
  }
}

/**
 * The target of a link, and the host as browsers parse it, which is shown next to the link's words because an address may look like another one. Null for addresses that must not be followed: other schemes, invisible or non-ASCII characters, user names and passwords.
 * @param {string} address
 * @returns {{href: string, host: string, rest: string}|null}
 */
export function linkTo(address) {
  if (address.length > addressCharactersMax || !/^(?:https?:\/\/|mailto:)[!-~]+$/i.test(address)) return null;
  const url = urlOf(address);
  if (!url || url.username || url.password) return null;
  if (url.protocol === "mailto:") return { href: url.href, host: url.pathname, rest: url.search };
  if (!url.host) return null;
  return { href: url.href, host: url.protocol === "http:" ? url.origin : url.host, rest: `${url.pathname}${url.search}${url.hash}`.replace(/^\/$/, "") };
}
