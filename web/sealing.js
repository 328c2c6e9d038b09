/**
 * Bytes of sealed content between a host and its trusted devices: the host's keys by epoch, and the sealed forms.
 *
 * The twin of `Sealing` in the Swift module `Consent`; the same test vectors check both. Pure but for WebCrypto. Each form is bound to its host, session, epoch and
 * purpose: content sealed for one place cannot be opened in another.
 */

import { base64urlOf, bytesOfBase64url, concatenated, counted, countedText, domain, idBytes, imported, u32, u64, utf8 } from "./consent.js";
import { parsedMessage } from "./numbers.js";

/** @typedef {import("./wire").Event} Event */
/** @typedef {"malformed"|"noKey"|"cannotOpen"} SealingCode `malformed`: an unknown form. `noKey`: sealed in an epoch whose key is not known. */

const nonceLength = 12;
const tagLength = 16;
const aliasLength = 9;
const wrapLength = nonceLength + 32 + tagLength;
const aes = { name: "AES-GCM", length: 256 };
/** The prefix of a sealed field of text, before base64url. */
const textPrefix = "sealed.";
const forms = { numbered: 1, live: 2, words: 3, picture: 4 };

/** Sealed content that is malformed or does not open. */
export class SealingError extends Error {
  /**
   * @param {SealingCode} code @param {string} place The field that was read. @param {string} reason @param {number} [epoch] The epoch of the missing
   * key.
   */
  constructor(code, place, reason, epoch = 0) {
    super(`${place}: ${reason}`);
    this.code = code;
    this.epoch = epoch;
  }
}

/** @param {string} place @param {string} reason */
const malformed = (place, reason) => new SealingError("malformed", place, reason);
/** @param {string} place */
const unopened = (place) => new SealingError("cannotOpen", place, "it was changed, or sealed for another place");

/** Possible last characters of base64url whose spare bits are zero, by the number of characters in the last group. */
const lastCharacters = { 2: /[AQgw]$/, 3: /[AEIMQUYcgkosw048]$/ };

/**
 * Decodes unpadded base64url in its canonical spelling only; faster than `consent.js` for long texts.
 * @param {unknown} text @param {string} place @returns {Uint8Array}
 */
function decoded(text, place) {
  if (typeof text !== "string" || !/^[A-Za-z0-9_-]+$/.test(text)) throw malformed(place, "it is no base64url");
  const rest = text.length % 4;
  if (rest === 1 || ((rest === 2 || rest === 3) && !lastCharacters[rest].test(text))) throw malformed(place, "it is no base64url");
  // Browsers have had `Uint8Array.fromBase64` since 2025; it is ten times as fast.
  const { fromBase64 } = /** @type {any} */ (Uint8Array);
  if (fromBase64) return fromBase64.call(Uint8Array, text, { alphabet: "base64url" });
  const binary = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/** @param {Uint8Array} bytes @param {number} form @param {boolean} isNumbered @param {string} place */
function partsOf(bytes, form, isNumbered, place) {
  const nonceAt = isNumbered ? 13 : 5;
  if (bytes.length < nonceAt + nonceLength + tagLength) throw malformed(place, "it is too short");
  if (bytes[0] !== form) throw malformed(place, "it is of no form that is known here");
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [epoch, number] = [view.getUint32(1), isNumbered ? Number(view.getBigUint64(5)) : 1];
  if (epoch === 0 || number === 0 || !Number.isSafeInteger(number)) throw malformed(place, "its epoch or number is none");
  return { epoch, number, nonce: bytes.subarray(nonceAt, nonceAt + nonceLength), ciphertext: bytes.subarray(nonceAt + nonceLength) };
}

/** @param {CryptoKey|Uint8Array} material @param {Uint8Array} info @param {KeyUsage[]} usages */
async function derived(material, info, usages) {
  const from = material instanceof Uint8Array ? await crypto.subtle.importKey("raw", material, "HKDF", false, ["deriveKey"]) : material;
  return crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info }, from, aes, false, usages);
}

/**
 * The key that opens a host's wraps for this device, derived from this pair's ECDH secret.
 * @param {{id: Uint8Array, box: CryptoKey, points: import("./consent.js").Points}} own @param {Uint8Array} hostID @param {Uint8Array} hostBox The host's pinned box point.
 */
export async function wrapKeyOf(own, hostID, hostBox) {
  const how = { name: "ECDH", public: await imported(hostBox, "host.box", "ECDH") };
  // A browser that was trusted before hosts sealed has a key that allows `deriveBits` only.
  const shared = own.box.usages.includes("deriveKey") ? await crypto.subtle.deriveKey(how, own.box, "HKDF", false, ["deriveKey"])
    : new Uint8Array(await crypto.subtle.deriveBits(how, own.box, 256));
  return derived(shared, concatenated(domain("wrap"), counted(hostID), counted(own.id), counted(hostBox), counted(own.points.box)), ["unwrapKey"]);
}

/**
 * Unwraps a host's key of an epoch; scripts cannot export the result.
 * @param {CryptoKey} wrapKey @param {unknown} wrap @param {{hostID: Uint8Array, deviceID: Uint8Array, epoch: number}} names
 * @returns {Promise<CryptoKey>}
 */
export async function epochKeyOf(wrapKey, wrap, { hostID, deviceID, epoch }) {
  const bytes = decoded(wrap, "wrap");
  if (bytes.length !== wrapLength) throw malformed("wrap", `it has ${bytes.length} bytes`);
  const additionalData = concatenated(domain("epoch"), counted(hostID), counted(deviceID), u32(epoch));
  const how = { name: "AES-GCM", iv: bytes.subarray(0, nonceLength), additionalData };
  try {
    return await crypto.subtle.unwrapKey("raw", bytes.subarray(nonceLength), wrapKey, how, "HKDF", false, ["deriveKey"]);
  } catch {
    throw unopened("wrap");
  }
}

/** @typedef {{epoch: number, number: number, event: Event}} OpenedEvent */
/**
 * @typedef {{epoch: number, number: number, line: Record<string, string>, from?: number}} OpenedLine The line of a session in lists and pushes.
 * `from`: the number of the first sealed event.
 */

/** Seals and opens content of one session of one host. */
export class SessionSealing {
  /** @type {Uint8Array} */ #hostID;
  /** @type {string} */ #session;
  /** @type {(epoch: number) => CryptoKey|undefined} */ #epochKey;
  /** @type {Map<number, {names: Uint8Array, key: Promise<CryptoKey>}>} Keys by epoch, with the associated data that all content is bound to. */ #epochs = new Map();

  /** @param {string} host The host's key id. @param {string} session @param {(epoch: number) => CryptoKey|undefined} epochKey */
  constructor(host, session, epochKey) {
    [this.#hostID, this.#session, this.#epochKey] = [bytesOfBase64url(host, "host", idBytes), session, epochKey];
  }

  /**
   * @param {unknown} text The `sealed` field beside an event's stripped head. @param {string} kind The event's kind. @returns {Promise<OpenedEvent>}
   */
  async openEvent(text, kind) {
    const { epoch, number, nonce, ciphertext } = partsOf(decoded(text, "sealed"), forms.numbered, true, "sealed");
    const event = json(await this.#opened(ciphertext, nonce, epoch, "body", concatenated(u64(number), countedText(kind)), "sealed"), "sealed");
    if (event.kind !== kind || typeof event.at !== "number" || !isFields(event.head) || !(event.body === undefined || isFields(event.body))) throw malformed("sealed", "it is no such event");
    const { at, head, body } = event;
    return { epoch, number, event: { kind, at, head, ...(body === undefined ? {} : { body }) } };
  }

  /** @param {unknown} text @returns {Promise<OpenedLine>} */
  async openLine(text) {
    const { epoch, number, nonce, ciphertext } = partsOf(decoded(text, "line"), forms.numbered, true, "line");
    const { from, ...line } = json(await this.#opened(ciphertext, nonce, epoch, "line", u64(number), "line"), "line");
    if (Object.values(line).some((value) => typeof value !== "string") || !(from === undefined || (Number.isSafeInteger(from) && from > 0))) throw malformed("line", "it has other fields");
    return { epoch, number, line, ...(from === undefined ? {} : { from }) };
  }

  /**
   * @param {unknown} text A piece of a message or output in progress. @param {string} of The id of the message or tool call.
   * @returns {Promise<{epoch: number, place: number, size: number, text: string}>} `place`: number of bytes before this piece; `size`: number of its bytes.
   */
  async openLive(text, of) {
    const { epoch, bytes } = await this.#openBytes(text, "live", "live", of);
    const place = bytes.byteLength < 8 ? -1 : Number(new DataView(bytes).getBigUint64(0));
    if (!Number.isSafeInteger(place) || place < 0) throw malformed("live", "it has no place");
    return { epoch, place, size: bytes.byteLength - 8, text: textOf(bytes.slice(8), "live") };
  }

  /** @param {unknown} text A sealed terminal screen. @param {string} to The id of the command that requested the screen. */
  async openScreen(text, to) {
    const opened = await this.#openText(text, "live", "screen", to);
    return { epoch: opened.epoch, screen: /** @type {import("./wire").Screen} */ (jsonOf(opened.text, "screen")) };
  }

  /** @param {Uint8Array} bytes The stored bytes. */
  async openPicture(bytes) {
    const { epoch, nonce, ciphertext } = partsOf(bytes, forms.picture, false, "picture");
    return { epoch, bytes: new Uint8Array(await this.#opened(ciphertext, nonce, epoch, "picture", new Uint8Array(0), "picture")) };
  }

  /** @param {unknown} text A person's sealed words to an agent. @param {string} to The id of the command or approval. */
  openWords(text, to) {
    return this.#openText(text, "words", "words", to);
  }

  /**
   * @param {string} text @param {string} to The id of the command or approval. @param {number} epoch
   * @returns {Promise<string>} The sealed text with its prefix.
   */
  async sealWords(text, to, epoch) {
    return textPrefix + await this.sealKeys(utf8(text), to, epoch);
  }

  /** @param {Uint8Array} keys Bytes typed into a terminal. @param {string} to The command's id. @param {number} epoch */
  async sealKeys(keys, to, epoch) {
    return base64urlOfMany(await this.#sealed(keys, "words", countedText(to), epoch));
  }

  /** @param {Uint8Array} picture @param {number} epoch */
  sealPicture(picture, epoch) {
    return this.#sealed(picture, "picture", new Uint8Array(0), epoch);
  }

  /** @param {Uint8Array} bytes @param {"words"|"picture"} form @param {Uint8Array} rest Further associated data. @param {number} epoch */
  async #sealed(bytes, form, rest, epoch) {
    const nonce = crypto.getRandomValues(new Uint8Array(nonceLength));
    const { names, key } = this.#epoch(epoch, form);
    const additionalData = concatenated(domain(form), names, rest);
    const ciphertext = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce, additionalData }, await key, bytes));
    return concatenated(Uint8Array.of(forms[form]), u32(epoch), nonce, ciphertext);
  }

  /**
   * @param {string} name The name of a project or of an agent's command. @param {number} epoch
   * @returns {Promise<string>} The alias that the relay sees instead.
   */
  async alias(name, epoch) {
    const epochKey = this.#epochKey(epoch);
    if (!epochKey) throw new SealingError("noKey", "alias", `key ${epoch} is not here`, epoch);
    const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: concatenated(domain("alias"), counted(this.#hostID)) };
    const key = await crypto.subtle.deriveKey(how, epochKey, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign"]);
    return `~${base64urlOf(new Uint8Array(await crypto.subtle.sign("HMAC", key, utf8(name))).slice(0, aliasLength))}`;
  }

  /** @param {unknown} text @param {"live"|"words"} form @param {string} name The name of the form's domain. @param {string} place */
  async #openText(text, form, name, place) {
    const { epoch, bytes } = await this.#openBytes(text, form, name, place);
    return { epoch, text: textOf(bytes, form) };
  }

  /** @param {unknown} text @param {"live"|"words"} form @param {string} name The name of the form's domain. @param {string} place */
  async #openBytes(text, form, name, place) {
    if (!isSealedText(text)) throw malformed(form, "it is not sealed");
    const { epoch, nonce, ciphertext } = partsOf(decoded(text.slice(textPrefix.length), form), forms[form], false, form);
    return { epoch, bytes: await this.#opened(ciphertext, nonce, epoch, name, countedText(place), form) };
  }

  /**
   * @param {Uint8Array} ciphertext @param {Uint8Array} iv @param {number} epoch @param {string} name @param {Uint8Array} rest Further associated
   * data. @param {string} place
   */
  async #opened(ciphertext, iv, epoch, name, rest, place) {
    const { names, key } = this.#epoch(epoch, place);
    try {
      return await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData: concatenated(domain(name), names, rest) }, await key, ciphertext);
    } catch {
      throw unopened(place);
    }
  }

  /** @param {number} epoch @param {string} place */
  #epoch(epoch, place) {
    const held = this.#epochs.get(epoch);
    if (held) return held;
    const epochKey = this.#epochKey(epoch);
    if (!epochKey) throw new SealingError("noKey", place, `it is sealed with key ${epoch}, which is not here`, epoch);
    const names = concatenated(counted(this.#hostID), countedText(this.#session), u32(epoch));
    const made = { names, key: derived(epochKey, concatenated(domain("session"), names), ["encrypt", "decrypt"]) };
    this.#epochs.set(epoch, made);
    return made;
  }
}

/** @param {unknown} text @returns {text is string} */
export const isSealedText = (text) => typeof text === "string" && text.startsWith(textPrefix);

/**
 * Encodes the bytes in parts, because a call takes a limited number of arguments.
 * @param {Uint8Array} bytes
 */
function base64urlOfMany(bytes) {
  const piece = 3 << 13;
  return Array.from({ length: Math.ceil(bytes.length / piece) }, (_, at) => base64urlOf(bytes.subarray(at * piece, (at + 1) * piece))).join("");
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** @param {ArrayBuffer} bytes @param {string} place */
function textOf(bytes, place) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw malformed(place, "it is no text");
  }
}

/** @param {ArrayBuffer} bytes @param {string} place @returns {Record<string, any>} */
const json = (bytes, place) => jsonOf(textOf(bytes, place), place);

/** @param {string} text @param {string} place @returns {Record<string, any>} */
function jsonOf(text, place) {
  try {
    const value = parsedMessage(text);
    if (isFields(value)) return value;
  } catch {
    // The opened text is not JSON.
  }
  throw malformed(place, "it is no JSON object");
}

/** @param {unknown} value @returns {value is Record<string, any>} */
const isFields = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
