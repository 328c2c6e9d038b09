/**
 * This browser's passkey, with which its person confirms requests if a host's owner requires that. A host accepts a passkey after a yes at its own terminal.
 *
 * ```
 * create ─▶ asked ─passkey⇄its host─▶ waiting ─(a yes at its terminal)─▶ receipt: taken
 * ```
 */

import { base64urlOf, bytesOfBase64url, checkReceipt, ConsentError, concatenated, counted, countedText, decisionStatementOf, domain, idBytes, keyIDOf, refusalOf, sha256, shortCodeOf, u64, untaggedLetterOf } from "./consent.js";
import { t } from "./language.js";
import { CommandError } from "./link.js";
import { rollEveryMs, triesMax } from "./rolls.js";
import { consentOf, shownApproval } from "./shown.js";

/** @typedef {import("./keys.js").KeptPasskey} KeptPasskey */
/** @typedef {Parameters<typeof import("./consent.js").decisionSignatureOf>[1]} Decided */

/**
 * @typedef {object} PasskeySurroundings
 * @property {Pick<CredentialsContainer, "create"|"get">|undefined} credentials
 * @property {Pick<Location, "origin"|"hostname">} place
 * @property {() => void} changed
 */

/** Milliseconds for the browser's passkey dialog: enough to find a security key. */
const timeout = 120_000;

/** @param {string} code @param {string} name The host's name. */
const askedWords = (code, name) => t`Passkey ${code} waits for a yes: on ${name} run heliograph host passkey ${code}.`;

/** @type {Record<string, (name: string) => string>} Sentences for the reasons with which a host refuses a passkey. */
const refusals = {
  full: (name) => t`${name} has taken as many passkeys of this browser as it can. Run heliograph host distrust there, and scan its link again.`,
  restored: (name) => t`${name} was restored from older files, and asks for what this browser knows first: decide something else, and try again.`,
};

export class Passkeys {
  /** The reason why the last try failed, as a sentence. */
  problem = "";
  /** True once the kept passkeys have been read. */
  isKnown = false;

  /** @type {PasskeySurroundings} */ #page;
  /** @type {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer"|"tellTabs">} */ #around;
  /** @type {import("./trust.js").LetterLink} */ #link;
  /** @type {Pick<import("./rolls.js").RollHands, "hosts">} */ #trust;
  /** @type {KeptPasskey|undefined} */ #kept;
  /** @type {Map<string, {bytes: Uint8Array, tries: number, isAnswered: boolean}>} Letters that ask a host to accept the passkey, by host. */ #asks = new Map();
  #isWaiting = false;

  /**
   * @param {PasskeySurroundings} page @param {Pick<import("./trust.js").TrustSurroundings, "keys"|"now"|"setTimer"|"tellTabs">} around
   * @param {import("./trust.js").LetterLink} link @param {Pick<import("./rolls.js").RollHands, "hosts">} trust
   */
  constructor(page, around, link, trust) {
    [this.#page, this.#around, this.#link, this.#trust] = [page, around, link, trust];
    this.read();
  }

  /** Reads the stored passkeys, also after another tab has changed them. */
  async read() {
    this.#kept = await this.#around.keys.kept("passkey").catch(() => undefined);
    this.isKnown = true;
    this.stirred();
    this.#page.changed();
  }

  /** The reason why passkeys do not work on this page, as a sentence; empty if they do. */
  get reason() {
    const { credentials, place: { hostname } } = this.#page;
    if (/^[\d.]+$|^\[/.test(hostname)) return t`A passkey belongs to a name, and this page was opened by a number: open it by the relay's HTTPS name.`;
    return credentials ? "" : t`This browser has no passkeys.`;
  }

  /**
   * @param {string} host The host's key id. @param {string} name @returns {string} The state of the passkey at the host, in words; empty without a
   * passkey.
   */
  standing(host, name) {
    const asked = this.#kept?.hosts[host];
    if (!this.#kept || asked === undefined) return "";
    return asked === "taken" ? t`Passkey ${this.#kept.code} confirms what the owner of ${name} wants confirmed.` : askedWords(this.#kept.code, name);
  }

  /**
   * The reason why a request that needs a passkey cannot be allowed in this browser; empty if it can.
   * @param {string|undefined} host Undefined if the host accepts no signatures. @param {string} name
   */
  obstacle(host, name) {
    if (!this.isKnown) return "…";
    if (host === undefined) return t`The owner of ${name} wants a passkey to confirm this, and no passkey can where signatures are not asked for. It can be denied here, and allowed only at the terminal.`;
    const [state, code] = [this.#kept?.hosts[host], this.#kept?.code ?? ""];
    if (state === "taken" && !this.reason) return "";
    if (state === "asked" && !this.#asks.has(host)) this.#ask(host);
    return `${t`The owner of ${name} wants a passkey to confirm this.`} ${this.reason || (state === "asked" ? askedWords(code, name) : t`This browser has none there: set one up under Devices.`)}`;
  }

  /**
   * Sets up a passkey for a host on a person's request. An existing passkey is used if the host does not have it yet; otherwise a new one replaces it.
   * @param {string} host The host's key id.
   */
  async setUp(host) {
    this.problem = this.reason;
    try {
      if (!this.problem) {
        if (!this.#kept || this.#kept.hosts[host] !== undefined) this.#kept = await this.#made(host);
        await this.#says(host, "asked");
        await this.#ask(host);
      }
    } catch (error) {
      this.problem = t`No passkey was made: ${/** @type {Error} */ (error).name === "NotAllowedError" ? t`the browser was told not to, or waited too long` : /** @type {Error} */ (error).message}.`;
    }
    this.#page.changed();
  }

  /** @param {string} host @returns {Promise<KeptPasskey>} */
  async #made(host) {
    const name = this.#trust.hosts().get(host)?.name ?? t`a machine`;
    const made = /** @type {PublicKeyCredential|null} */ (await this.#page.credentials?.create({
      publicKey: {
        rp: { name: "Heliograph" }, user: { id: crypto.getRandomValues(new Uint8Array(16)), name: `Heliograph: ${name}`, displayName: `Heliograph: ${name}` },
        challenge: crypto.getRandomValues(new Uint8Array(32)), pubKeyCredParams: [{ type: "public-key", alg: -7 }],
        authenticatorSelection: { userVerification: "required" }, timeout,
      },
    }));
    const spki = /** @type {{getPublicKey(): ArrayBuffer|null}|undefined} */ (/** @type {unknown} */ (made?.response))?.getPublicKey();
    if (!made || !spki) throw new ConsentError("passkey", t`the browser gave no key`);
    const key = await crypto.subtle.importKey("spki", spki, { name: "ECDSA", namedCurve: "P-256" }, true, ["verify"]);
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", key));
    return { id: new Uint8Array(made.rawId), point, code: shortCodeOf(await keyIDOf(point)), hosts: {} };
  }

  /** @param {string} host @param {"asked"|"taken"} state */
  async #says(host, state) {
    if (!this.#kept || this.#kept.hosts[host] === state) return;
    this.#kept = { ...this.#kept, hosts: { ...this.#kept.hosts, [host]: state } };
    await this.#around.keys.keep("passkey", this.#kept);
    this.#around.tellTabs();
    this.#page.changed();
  }

  /** Sends all letters again after a reconnect, because letters sent meanwhile are lost. */
  stirred() {
    this.#asks.clear();
    for (const [host, state] of Object.entries(this.#kept?.hosts ?? {})) if (state === "asked" && this.#trust.hosts().has(host)) this.#ask(host);
  }

  /**
   * If a host no longer knows the passkey, it is asked to accept it again.
   * @param {import("./wire").Message} message
   */
  async received(message) {
    if (message.type !== "approval" || message.approval.stage !== "stale" || message.approval.reason !== "passkeyUnknown") return;
    const consent = consentOf(shownApproval(message.approval).request);
    if (!consent || "problem" in consent || this.#kept?.hosts[consent.host] !== "taken") return;
    await this.#says(consent.host, "asked");
    await this.#ask(consent.host);
  }

  /** @param {string} host */
  async #ask(host) {
    const ask = { bytes: new Uint8Array(0), tries: 0, isAnswered: false };
    this.#asks.set(host, ask);
    const own = await this.#around.keys.own();
    if (!own || !this.#kept) return;
    const count = await this.#around.keys.nextCount(this.#around.now());
    ask.bytes = await untaggedLetterOf(own, passkeyBytesOf(bytesOfBase64url(host, "host", idBytes), this.#kept.point, this.#page.place.origin, count, own.id));
    this.#pulse();
  }

  /**
   * @param {string} host @param {Uint8Array} bytes
   * @returns {Promise<boolean>} True if the bytes answer a letter of this browser.
   */
  async take(host, bytes) {
    const ask = this.#asks.get(host);
    if (!ask?.bytes.length) return false;
    if (await checkReceipt(bytes, host, ask.bytes).then(() => true, () => false)) {
      this.#asks.delete(host);
      this.problem = "";
      await this.#says(host, "taken");
      return true;
    }
    const refusal = await refusalOf(bytes, host, ask.bytes).catch(() => undefined);
    if (!refusal) return false;
    ask.isAnswered = true;
    const { reason } = refusal;
    if (reason !== "waiting") {
      const name = this.#trust.hosts().get(host)?.name ?? t`The machine`;
      this.problem = Object.hasOwn(refusals, reason) ? refusals[reason](name) : t`${name} does not take this browser's passkey (${reason}).`;
      this.#page.changed();
    }
    return true;
  }

  /** Sends unanswered letters, and repeats until none is left. */
  #pulse() {
    const open = [...this.#asks].filter(([, { bytes, tries, isAnswered }]) => bytes.length && !isAnswered && tries < triesMax);
    for (const [host, letter] of open) {
      if (!this.#link.isLive) break;
      letter.tries += 1;
      this.#link.command({ type: "letter", to: host, bytes: base64urlOf(letter.bytes) }).catch(() => undefined);
    }
    if (!open.length || this.#isWaiting) return;
    this.#isWaiting = true;
    this.#around.setTimer(() => {
      this.#isWaiting = false;
      this.#pulse();
    }, rollEveryMs);
  }

  forget() {
    this.#kept = undefined;
    this.#asks.clear();
  }

  /**
   * @param {import("./keys.js").OwnKeys} own @param {Decided} decided @param {string} signature The device's signature.
   * @returns {Promise<string>} The signature with the passkey's proof that the person confirmed exactly this decision. Throws without that.
   */
  async confirmed(own, { host, ...decided }, signature) {
    const kept = this.#kept;
    if (!kept || !this.#page.credentials) throw new CommandError({ code: "notSigned", message: t`this browser has no passkey` });
    const challenge = await sha256(await decisionStatementOf({ ...decided, hostID: bytesOfBase64url(host, "host", idBytes), deviceID: own.id }));
    const given = await this.#page.credentials.get({ publicKey: { challenge, allowCredentials: [{ type: "public-key", id: kept.id }], userVerification: "required", timeout } }).catch(() => null);
    const { authenticatorData, clientDataJSON, signature: proof } = /** @type {AuthenticatorAssertionResponse} */ (/** @type {PublicKeyCredential|null} */ (given)?.response ?? {});
    if (!proof) throw new CommandError({ code: "notSigned", message: t`the passkey did not confirm it` });
    return [`2${signature.slice(1)}`, ...[authenticatorData, clientDataJSON].map((part) => base64urlOf(new Uint8Array(part))), base64urlOf(rawOf(new Uint8Array(proof)))].join(".");
  }
}

/**
 * The bytes of a letter that asks a host to take a passkey.
 * @param {Uint8Array} hostID @param {Uint8Array} point @param {string} origin @param {number} count @param {Uint8Array} deviceID
 */
export const passkeyBytesOf = (hostID, point, origin, count, deviceID) =>
  concatenated(domain("passkey"), counted(hostID), counted(point), countedText(origin), u64(count), counted(deviceID));

/**
 * Converts a DER signature to R and S of 32 bytes each.
 * @param {Uint8Array} der
 */
export function rawOf(der) {
  const raw = new Uint8Array(64);
  let at = 2;
  for (const end of [32, 64]) {
    const length = der[at + 1];
    let number = der.subarray(at + 2, at + 2 + length);
    if (der[0] !== 0x30 || der[at] !== 0x02 || number.length !== length) throw new ConsentError("passkey", t`its signature is of no form that is known here`);
    while (number[0] === 0) number = number.subarray(1);
    if (number.length > 32) throw new ConsentError("passkey", t`its signature is too long`);
    raw.set(number, end - number.length);
    at += 2 + length;
  }
  if (at !== der.length || der[1] !== der.length - 2) throw new ConsentError("passkey", t`its signature goes on after its end`);
  return raw;
}
