/**
 * A host whose files were restored from older ones takes nothing from this browser, as what it took since could be sent to it again. It is told the
 * count anew, in the generation that its files have now: everything up to it is void.
 */

import { base64urlOf, checkReceipt, refusalOf } from "./consent.js";
import { t } from "./language.js";
import { refusedWords } from "./trust-words.js";
import { bumpLetterOf, noGeneration } from "./vouch-letters.js";

/** @param {string} host */
const resumedWords = (host) => t`${host} was restored from older files and did not take what came from here. It knows this browser again now: decide, or send it, once more.`;

export class Resuming {
  /** @type {Pick<import("./trust.js").TrustSurroundings, "keys"|"now">} */ #around;
  /** @type {import("./trust.js").LetterLink} */ #link;
  /** @type {Pick<import("./joining.js").TrustHands, "isTrusted"|"nameOf"|"tell">} */ #trust;
  /** @type {Map<string, {bytes: Uint8Array, isKnown: boolean}>} What was sent last, by host; `isKnown`: with its generation. */ #bumps = new Map();

  /**
   * @param {Pick<import("./trust.js").TrustSurroundings, "keys"|"now">} around @param {import("./trust.js").LetterLink} link
   * @param {Pick<import("./joining.js").TrustHands, "isTrusted"|"nameOf"|"tell">} trust
   */
  constructor(around, link, trust) {
    [this.#around, this.#link, this.#trust] = [around, link, trust];
  }

  /** @param {string} host It has refused something, as its files were restored. */
  async refused(host) {
    if (this.#trust.isTrusted(host) && !this.#bumps.has(host)) await this.#bump(host, noGeneration);
  }

  /**
   * @param {string} host @param {Uint8Array} bytes
   * @returns {Promise<boolean>} Whether a count was said that this can be the answer to.
   */
  async take(host, bytes) {
    const bump = this.#bumps.get(host);
    if (!bump) return false;
    const refusal = await refusalOf(bytes, host, bump.bytes).catch(() => undefined);
    if (refusal?.reason === "restored" && !bump.isKnown) {
      await this.#bump(host, refusal.generation);
      return true;
    }
    if (!refusal && !(await checkReceipt(bytes, host, bump.bytes).then(() => true, () => false))) return false;
    this.#bumps.delete(host);
    const name = this.#trust.nameOf(host);
    if (refusal) this.#trust.tell({ tone: "bad", words: refusedWords(name, refusal.reason) });
    // Else it had the count already, and what it refused was before.
    else if (bump.isKnown) this.#trust.tell({ tone: "good", words: resumedWords(name) });
    return true;
  }

  /** @param {string} host @param {Uint8Array} generation */
  async #bump(host, generation) {
    const own = await this.#around.keys.own();
    if (!own) return;
    const bytes = await bumpLetterOf(own, host, generation, await this.#around.keys.nextCount(this.#around.now()));
    this.#bumps.set(host, { bytes, isKnown: generation !== noGeneration });
    this.#link.command({ type: "letter", to: host, bytes: base64urlOf(bytes) }).catch(() => this.#bumps.delete(host));
  }
}
