/** What the address names; `named` is an approval's `keyOf`. Pure. */

/**
 * @typedef {{screen: "sessions", archive: boolean}|{screen: "start"}|{screen: "approvals", recent: boolean, named?: string}|{screen: "link"}
 *   |{screen: "devices"}|{screen: "costs"}|{screen: "rules", session?: string, name?: string, approval?: string}|{screen: "budgets", session?: string}|{screen: "session", session: string, changes: boolean}|{screen: "terminal", session: string}} Route
 */

const identifier = "[A-Za-z0-9_-]{1,64}";

/**
 * @param {string} hash `location.hash`.
 * @returns {Route|null} Nothing, when the fragment names no screen: a link inside the page, for one.
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
  // An agent's session, and the rule that answered for it.
  const [, ruled, name] = hash.match(`^#/rules/(${identifier})/([A-Za-z0-9_.-]{1,64})$`) ?? [];
  if (ruled) return { screen: "rules", session: ruled, name };
  const [, asked, approval] = hash.match(`^#/rules/new/(${identifier})/(${identifier})$`) ?? [];
  if (asked) return { screen: "rules", session: asked, approval };
  const named = hash.match(`^#/approvals/(${identifier}/${identifier})$`)?.[1];
  if (named) return { screen: "approvals", recent: false, named };
  return null;
}

/**
 * Whether a link leads to the machine that follows it, and from no other machine to this one.
 * @param {string} link
 */
export function staysHere(link) {
  return /^https?:\/\/(localhost|127(\.\d+){3}|\[::1\])(?![^:/#])/i.test(link);
}

/**
 * The pairing code in a link, a fragment or as typed; `role` says what it is for, and `k` is a host's or device's secret that goes with it.
 * @param {string} text
 * @returns {{role: "client"|"host", code: string, k?: string}|null}
 */
export function pairingOf(text) {
  const [, role, code, k] = text.trim().match(/^(?:[^#]*#(pair|host|join)=)?([\w-]{4,128})(?:(?:&k=|\.)([\w-]{1,160}))?$/) ?? [];
  if (!code) return null;
  return role && role !== "pair" ? { role: "host", code } : { role: "client", code, ...(k && { k }) };
}

/**
 * The secret alone, for a device that the relay knows already: in a link, or its fragment.
 * @param {string} text
 */
export const secretIn = (text) => text.trim().match(/^[^#]*#k=([\w-]{1,160})$/)?.[1] ?? "";
