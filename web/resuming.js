/**
 * A host whose files were restored from a backup accepts nothing from this browser, because commands that it accepted after the backup could be replayed. This browser sends it
 * the current count, signed for the generation of the restored files: everything up to that count is void.
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
  /** @type {Map<string, {bytes: Uint8Array, isKnown: boolean}>} The last count letter to each host; `isKnown`: it names the host's generation. */ #bumps = new Map();

  /**
   * @param {Pick<import("./trust.js").TrustSurroundings, "keys"|"now">} around @param {import("./trust.js").LetterLink} link
   * @param {Pick<import("./joining.js").TrustHands, "isTrusted"|"nameOf"|"tell">} trust
   */
  constructor(around, link, trust) {
    [this.#around, this.#link, this.#trust] = [around, link, trust];
  }

  /**
   * Called when a host has refused a command because its files were restored.
   * @param {string} host
   */
  async refused(host) {
    if (this.#trust.isTrusted(host) && !this.#bumps.has(host)) await this.#bump(host, noGeneration);
  }

  /**
   * @param {string} host @param {Uint8Array} bytes
   * @returns {Promise<boolean>} True if the bytes answer a count letter of this browser.
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
    // If the host already had the count, its refusal was about an earlier command.
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
