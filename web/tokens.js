/** The relay's tokens: browsers, terminals, apps and hosts, with their words and their revocation. */

import { ago } from "./format.js";
import { plural, t } from "./language.js";

/** @typedef {import("./wire").Token} Token */

const kinds = /** @type {Record<string, string>} */ ({
  browser: t`Browser`, terminal: t`Terminal`, app: t`App`, host: t`Host`, program: t`Program`, unsure: t`Paired before an upgrade`,
});

/** @param {Pick<Token, "kind"|"role">} token */
export const kindOf = ({ kind, role }) => kinds[kind] ?? (role === "host" ? t`Host` : kind);

/**
 * Words for rights beyond, or short of, watching and deciding.
 * @param {Pick<Token, "role">} token
 */
export const mayOf = ({ role }) => (role === "operator" ? t`, steers agents` : role === "watcher" ? t`, only watches` : "");

/**
 * The time and address of a token's last use, in words.
 * @param {Token} token @param {number} now
 */
export function lastUse({ kind, connections, usedAt, usedFrom }, now) {
  if (kind === "unsure") return t`It lets nobody in: pair it again`;
  if (usedAt === undefined && !connections) return t`Never used`;
  if (connections) return usedFrom ? t`In use now from ${usedFrom}` : t`In use now`;
  const when = ago(now - (usedAt ?? now));
  return usedFrom ? t`Last used ${when} from ${usedFrom}` : t`Last used ${when}`;
}

/**
 * The token's origin in words: who added it and when.
 * @param {Token} token @param {number} now
 */
export function originOf({ createdAt, by }, now) {
  const when = ago(now - createdAt);
  if (!by) return t`Added ${when} on the relay's own machine`;
  return by.revoked ? t`Added ${when} by ${by.name} (revoked)` : t`Added ${when} by ${by.name}`;
}

/**
 * The question before a token is revoked, with the effects.
 * @param {Token} token
 */
export function revocationQuestion({ name, role, own, children, moreChildren }) {
  const end = own ? t`This is the browser that you use: it is logged out at once.` : role === "host"
    ? t`Its sessions stay here, and nothing of its agents is seen or decided here any more.` : t`It is out at once.`;
  const added = children.map((child) => `${child.name} (${kindOf(child)})`).join(", ");
  const others = !added ? "" : moreChildren ? t`So is what it added: ${added} and ${moreChildren} more.` : t`So is what it added: ${added}.`;
  return [t`Revoke ${name}?`, end, others].filter(Boolean).join(" ");
}

/**
 * Sorts tokens: this browser's first, then by last use.
 * @param {Token[]} tokens
 */
export const inOrder = (tokens) =>
  [...tokens].sort((a, b) => Number(b.own ?? false) - Number(a.own ?? false) || seen(b) - seen(a) || b.createdAt - a.createdAt);

/** @param {Token} token */
const seen = ({ connections, usedAt }) => (connections > 0 ? Number.POSITIVE_INFINITY : usedAt ?? 0);

/** Maximum number of listed tokens: more than a person looks through, and as many as a phone draws. */
const shownMax = 2_000;

/** Requests the tokens from the relay, and revokes them. */
export class Tokens {
  /** @type {Token[]|null} Null before the tokens were requested. */
  all = null;
  /** The reason why there is no list of tokens, as a sentence. */
  problem = "";
  /** False after a relay that is older than this page refused to list tokens. */
  isKnown = true;

  /** @type {(path: string, options?: RequestInit) => Promise<Response>} */ #request;
  /** @type {() => void} */ #changed;

  /** @param {(path: string, options?: RequestInit) => Promise<Response>} request @param {() => void} changed */
  constructor(request, changed) {
    this.#request = request;
    this.#changed = changed;
  }

  async load() {
    try {
      /** @type {Token[]} */
      const all = [];
      let next = "";
      do {
        const response = await this.#request(`/v1/tokens${next && `?after=${encodeURIComponent(next)}`}`, { cache: "no-store" });
        this.isKnown = next !== "" || response.status !== 404;
        if (!this.isKnown) break;
        const page = await answerOf(response);
        all.push(...page.tokens);
        next = page.next ?? "";
      } while (next && all.length < shownMax);
      if (this.isKnown) this.all = all;
      this.problem = "";
    } catch (error) {
      this.problem = /** @type {Error} */ (error).message;
    }
    this.#changed();
  }

  /**
   * @param {string} id @param {boolean} keepsChildren
   * @returns {Promise<number>} The number of tokens that were revoked with it, because it had added them.
   */
  async revoke(id, keepsChildren) {
    const response = await this.#request(`/v1/tokens/${encodeURIComponent(id)}/revoke`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ keepChildren: keepsChildren }),
    });
    const { revoked } = await answerOf(response);
    await this.load();
    return Math.max(0, revoked.length - 1);
  }

  /** @param {string} id @param {string} name */
  async rename(id, name) {
    await answerOf(await this.#request(`/v1/tokens/${encodeURIComponent(id)}/rename`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ name }),
    }));
    await this.load();
  }
}

/** @param {Response} response @returns {Promise<any>} */
async function answerOf(response) {
  if (response.ok) return response.json();
  const said = await response.json().catch(() => null);
  throw new Error(said?.error?.message ?? t`The relay answered ${response.status}.`);
}

/** @param {string} name @param {number} others */
export const revokedWords = (name, others) => (others ? t`${name} is revoked, and ${plural(others, "other")} with it` : t`${name} is revoked`);
