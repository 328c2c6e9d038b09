/** Screens by their address; `named` is an approval's `keyOf`. Pure. */

/**
 * @typedef {{screen: "sessions", archive: boolean}|{screen: "start"}|{screen: "approvals", recent: boolean, named?: string}|{screen: "link"}
 *   |{screen: "devices"}|{screen: "costs"}|{screen: "rules", session?: string, name?: string, approval?: string}|{screen: "budgets", session?: string}|{screen: "session", session: string, changes: boolean}|{screen: "terminal", session: string}} Route
 */

const identifier = "[A-Za-z0-9_-]{1,64}";

/**
 * @param {string} hash `location.hash`.
 * @returns {Route|null} Null if the fragment is no screen's address, such as a link inside the page.
 */
export function routeOf(hash) {
  if (hash === "" || hash === "#" || hash === "#/") return { screen: "sessions", archive: false };
  if (hash === "#/archive") return { screen: "sessions", archive: true };
  if (hash === "#/approvals") return { screen: "approvals", recent: false };
  if (hash === "#/approvals/recent") return { screen: "approvals", recent: true };
  if (hash === "#/start") return { screen: "start" };
  if (hash === "#/devices") return { screen: "devices" };
  if (hash === "#/costs") return { screen: "costs" };
  if (hash === "#/rules") return { screen: "rules" };
  if (hash === "#/budgets") return { screen: "budgets" };
  if (hash === "#/link") return { screen: "link" };
  const [, session, changes] = hash.match(`^#/session/(${identifier})(/changes|/screen)?$`) ?? [];
  if (changes === "/screen") return { screen: "terminal", session };
  if (session) return { screen: "session", session, changes: changes !== undefined };
  const spender = hash.match(`^#/budgets/(${identifier})$`)?.[1];
  if (spender) return { screen: "budgets", session: spender };
  // The address of a rule: an agent's session, and the name of the rule that answered in it.
  const [, ruled, name] = hash.match(`^#/rules/(${identifier})/([A-Za-z0-9_.-]{1,64})$`) ?? [];
  if (ruled) return { screen: "rules", session: ruled, name };
  const [, asked, approval] = hash.match(`^#/rules/new/(${identifier})/(${identifier})$`) ?? [];
  if (asked) return { screen: "rules", session: asked, approval };
  const named = hash.match(`^#/approvals/(${identifier}/${identifier})$`)?.[1];
  if (named) return { screen: "approvals", recent: false, named };
  return null;
}

/**
 * True for a loopback link, which only works on the machine that it points to.
 * @param {string} link
 */
export function staysHere(link) {
  return /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(?![^:/#])/i.test(link);
}

/**
 * Parses the pairing code in a link, a fragment or typed text. `role`: the kind of peer that it pairs; `k`: the secret of a host or device.
 * @param {string} text
 * @returns {{role: "client"|"host", code: string, k?: string}|null}
 */
export function pairingOf(text) {
  const [, role, code, k] = text.trim().match(/^(?:[^#]*#(pair|host|join)=)?([\w-]{4,128})(?:(?:&k=|\.)([\w-]{1,160}))?$/) ?? [];
  if (!code) return null;
  return role && role !== "pair" ? { role: "host", code } : { role: "client", code, ...(k && { k }) };
}

/**
 * The secret in a link or fragment without a pairing code, for an already paired device.
 * @param {string} text
 */
export const secretIn = (text) => text.trim().match(/^[^#]*#k=([\w-]{1,160})$/)?.[1] ?? "";
