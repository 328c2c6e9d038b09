/** Addresses in foreign text, and what of them may become a link. Pure. */

/** A longer address is text. */
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
 * Where a link leads, and to whom as it is to be shown next to its words: the host as browsers read it, whatever the address looks like.
 * Nothing for what is not to be followed: other schemes, hidden or foreign characters, names and passwords before the host.
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
