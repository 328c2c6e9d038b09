/**
 * Bytes that this device signs or reads: key ids, letters of trust, statements, and the text of a signature.
 *
 * The twin of the Swift module `Consent`; the same test vectors check both. Pure but for WebCrypto, which browsers offer only in a secure context. All bytes that are
 * signed or authenticated begin with a domain of their own, so that no message can be taken for one of another kind.
 */

/** Sizes in bytes: an uncompressed P-256 point and a signature; a key id, a secret or digest, and a nonce. */
const [pointBytes, signatureBytes] = [65, 64];
export const idBytes = 16;
export const secretBytes = 32;
export const nonceBytes = 16;
/** The wire's limit of a letter in bytes, before base64url. */
const letterBytesMax = 4 << 10;
/** The limit of a name in a letter, in bytes of UTF-8. */
const nameBytesMax = 256;
const reasonBytesMax = 32;

/** Received bytes or text that are malformed. */
export class ConsentError extends Error {
  /**
   * `place` names the field that was read.
   * @param {string} place @param {string} reason
   */
  constructor(place, reason) {
    super(`${place}: ${reason}`);
    this.place = place;
  }
}

export const es256 = { name: "ECDSA", hash: "SHA-256" };

/** @param {string} text */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array[]} parts */
export function concatenated(...parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param {number} value */
export function u32(value) {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** @param {number} value */
export function u64(value) {
  if (!Number.isSafeInteger(value) || value < 0) throw new ConsentError("number", "it is no whole number from 0 to 2^53");
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

/** @param {Uint8Array} part */
export const counted = (part) => concatenated(u32(part.length), part);
/** @param {string} text */
export const countedText = (text) => counted(utf8(text));
/** @param {string} name */
export const domain = (name) => utf8(`heliograph/v1/${name}\0`);
/** @param {Uint8Array} bytes */
export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/**
 * Compares public bytes: the time it takes depends on their content.
 * @param {Uint8Array} a @param {Uint8Array} b
 */
export const same = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);

/** @param {Uint8Array} bytes */
export const base64urlOf = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

/**
 * Decodes unpadded base64url in its canonical spelling only. `length` is in bytes.
 * @param {unknown} text @param {string} place @param {number} [length]
 * @returns {Uint8Array}
 */
export function bytesOfBase64url(text, place, length) {
  if (typeof text !== "string" || !/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) throw new ConsentError(place, "it is no base64url");
  const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  if (base64urlOf(bytes) !== text) throw new ConsentError(place, "it is no base64url");
  if (length !== undefined && bytes.length !== length) throw new ConsentError(place, `it has ${bytes.length} bytes, not ${length}`);
  return bytes;
}

/**
 * The id of a key, from its signing point.
 * @param {Uint8Array} sign
 */
export const keyIDOf = async (sign) => (await sha256(concatenated(domain("key"), sign))).slice(0, idBytes);

/** @param {unknown} text @returns {text is string} */
export function isKeyID(text) {
  try {
    return bytesOfBase64url(text, "id", idBytes).length === idBytes;
  } catch {
    return false;
  }
}

/** Crockford's base32 alphabet, which omits letters that look like digits. */
const base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * The first 80 bits of a key's id for people to compare: too many for an attacker to find another key with the same bits.
 * @param {Uint8Array} id
 */
export function shortCodeOf(id) {
  const bits = [...id.subarray(0, 10)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = bits.match(/.{5}/g)?.map((five) => base32[Number.parseInt(five, 2)]).join("") ?? "";
  return letters.match(/.{4}/g)?.join("-") ?? "";
}

/** @param {string} id The id of a host's or a device's key, as text. */
export const codeOfKey = (id) => shortCodeOf(bytesOfBase64url(id, "id"));

// Pairing

/**
 * Parses the parameter `k` of a pairing link: the secret, and the host or vouching device that it belongs to; a link without either is for all hosts of a machine.
 * @param {string} k
 * @returns {{hostID?: Uint8Array, voucher?: {id: Uint8Array, client: string}, secret: Uint8Array}} `client`: the relay's id of the vouching device.
 */
export function linkSecretOf(k) {
  const bytes = bytesOfBase64url(k, "k");
  const [form] = bytes;
  if (form === 1 && bytes.length === 1 + idBytes + secretBytes) return { hostID: bytes.slice(1, 1 + idBytes), secret: bytes.slice(1 + idBytes) };
  if (form === 2 && bytes.length === 1 + secretBytes) return { secret: bytes.slice(1) };
  if (form === 3 && bytes.length > 1 + idBytes + secretBytes) {
    const client = String.fromCharCode(...bytes.subarray(1 + idBytes + secretBytes));
    if (/^[A-Za-z0-9_-]{1,64}$/.test(client)) return { voucher: { id: bytes.slice(1, 1 + idBytes), client }, secret: bytes.slice(1 + idBytes, 1 + idBytes + secretBytes) };
  }
  throw new ConsentError("k", "it is of no form that is known here");
}

/**
 * The HMAC key for tags, which proves knowledge of the link's secret.
 * @param {Uint8Array} secret @param {Uint8Array} hostID
 */
export async function pairingKeyOf(secret, hostID) {
  const material = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const derivation = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: concatenated(domain("pair"), hostID) };
  return crypto.subtle.deriveKey(derivation, material, { name: "HMAC", hash: "SHA-256", length: 256 }, false, ["sign", "verify"]);
}

/** @typedef {{sign: Uint8Array, box: Uint8Array}} Points */

/** @param {Uint8Array} hostID @param {Points} device @param {string} name @param {Uint8Array} nonce */
export const joinBytesOf = (hostID, device, name, nonce) =>
  concatenated(domain("join"), counted(hostID), counted(device.sign), counted(device.box), countedText(name), counted(nonce));

// Letters: u8 1 ‖ LP(body) ‖ LP(tag) ‖ LP(signature). LP is a length prefix; only letters made with a link's secret have a tag.

/** @typedef {{body: Uint8Array, tag: Uint8Array, signature: Uint8Array}} Letter */

/** Reads length-prefixed parts, and refuses bytes after the last one. */
export class PartReader {
  /** @type {Uint8Array} */ #rest;
  /** @type {string} */ #name;

  /**
   * `name` stands in errors; `prefix` is the domain that the bytes must begin with.
   * @param {Uint8Array} bytes @param {string} name @param {Uint8Array} prefix
   */
  constructor(bytes, name, prefix) {
    if (bytes.length < prefix.length || !same(bytes.subarray(0, prefix.length), prefix)) throw new ConsentError(name, "it begins otherwise");
    [this.#rest, this.#name] = [bytes.subarray(prefix.length), name];
  }

  /** @param {string} part @param {number} min @param {number} [max] @returns {Uint8Array} */
  part(part, min, max = min) {
    const place = `${this.#name}.${part}`;
    if (this.#rest.length < 4) throw new ConsentError(place, "it ends before it");
    const length = new DataView(this.#rest.buffer, this.#rest.byteOffset).getUint32(0);
    if (length < min || length > max || length > this.#rest.length - 4) throw new ConsentError(place, `it has ${length} bytes`);
    const bytes = this.#rest.slice(4, 4 + length);
    this.#rest = this.#rest.subarray(4 + length);
    return bytes;
  }

  /** @param {string} part */
  point(part) {
    const bytes = this.part(part, pointBytes);
    if (bytes[0] !== 4) throw new ConsentError(`${this.#name}.${part}`, "it is no uncompressed point");
    return bytes;
  }

  /**
   * Reads a name: a single line of text for people.
   * @param {string} part
   */
  name(part) {
    const bytes = this.part(part, 1, nameBytesMax);
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      if (!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return text;
    } catch {
      // Invalid UTF-8 is refused like an empty line.
    }
    throw new ConsentError(`${this.#name}.${part}`, "it is no name");
  }

  /** @param {string} part */
  number(part) {
    const place = `${this.#name}.${part}`;
    if (this.#rest.length < 8) throw new ConsentError(place, "it ends before it");
    const value = Number(new DataView(this.#rest.buffer, this.#rest.byteOffset).getBigUint64(0));
    if (!Number.isSafeInteger(value)) throw new ConsentError(place, "it is too great");
    this.#rest = this.#rest.subarray(8);
    return value;
  }

  get isAtEnd() {
    return this.#rest.length === 0;
  }

  end() {
    if (this.#rest.length) throw new ConsentError(this.#name, "it goes on after its end");
  }
}

const letterVersion = Uint8Array.of(1);

/** @param {Letter} letter */
const letterBytesOf = ({ body, tag, signature }) => concatenated(letterVersion, counted(body), counted(tag), counted(signature));

/** @param {Uint8Array} bytes @returns {Letter} */
export function letterOf(bytes) {
  if (bytes.length > letterBytesMax) throw new ConsentError("letter", "it is too long");
  const reader = new PartReader(bytes, "letter", letterVersion);
  const [body, tag, signature] = [reader.part("body", 1, letterBytesMax), reader.part("tag", 0, secretBytes), reader.part("signature", signatureBytes)];
  reader.end();
  return { body, tag, signature };
}

/**
 * A device's name in the form that letters allow: one line, shortened to the limit.
 * @param {string} name
 */
export function letterNameOf(name) {
  let line = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  while (utf8(line).length > nameBytesMax) line = [...line].slice(0, -1).join("");
  return line || "A browser";
}

/** @typedef {{id: Uint8Array, sign: CryptoKey}} Signer */

/**
 * A letter that asks a host for its trust, or a device to vouch.
 * @param {Signer & {points: Points}} own @param {string} k The link's parameter. @param {string} host The host's key id. @param {string} name This device's name.
 * @returns {Promise<Uint8Array>}
 */
export async function joinLetterOf(own, k, host, name) {
  const hostID = bytesOfBase64url(host, "host", idBytes);
  const body = joinBytesOf(hostID, own.points, letterNameOf(name), crypto.getRandomValues(new Uint8Array(nonceBytes)));
  return taggedLetterOf(own, await pairingKeyOf(linkSecretOf(k).secret, hostID), body);
}

/**
 * Signs a letter and tags it with the HMAC key of the link's secret.
 * @param {Pick<Signer, "sign">} own @param {CryptoKey} key @param {Uint8Array} body
 */
export async function taggedLetterOf(own, key, body) {
  const [tag, signature] = await Promise.all([crypto.subtle.sign("HMAC", key, body), crypto.subtle.sign(es256, own.sign, body)]);
  return letterBytesOf({ body, tag: new Uint8Array(tag), signature: new Uint8Array(signature) });
}

/**
 * Checks a host's answer to a `join` letter, tagged with the link's secret, and returns the host's keys to pin.
 * @param {Uint8Array} bytes @param {string} k @param {string} host The host's key id, from the link or the relay. @param {Uint8Array} joinLetter
 * @returns {Promise<Points & {name: string}>} `name`: the host's own name.
 */
export async function admitOf(bytes, k, host, joinLetter) {
  const { body, tag, signature } = letterOf(bytes);
  const reader = new PartReader(body, "admit", domain("admit"));
  const answered = reader.part("join", secretBytes);
  const points = { sign: reader.point("sign"), box: reader.point("box") };
  reader.part("nonce", nonceBytes);
  const name = reader.name("name");
  reader.end();
  const key = await pairingKeyOf(linkSecretOf(k).secret, bytesOfBase64url(host, "host", idBytes));
  if (!(await crypto.subtle.verify("HMAC", key, tag, body))) throw new ConsentError("admit.tag", "whoever made it has not seen the link");
  await checkAnswer("admit", { host, sign: points.sign, body, signature, answered, letter: joinLetter });
  await imported(points.box, "admit.box", "ECDH");
  return { ...points, name };
}

/**
 * Checks the letter of a vouching device and returns the keys of a host that now trusts this device.
 * @param {Uint8Array} bytes @param {string} k @param {string} voucher The vouching device's key id. @param {Uint8Array} joinLetter
 * @returns {Promise<Points & {id: string, name: string, hosts: number}>}
 */
export async function introductionOf(bytes, k, voucher, joinLetter) {
  const { body, tag, signature } = letterOf(bytes);
  const reader = new PartReader(body, "introduce", domain("introduce"));
  const [answered, sign] = [reader.part("join", secretBytes), reader.point("sign")];
  const points = { sign: reader.point("hostSign"), box: reader.point("hostBox") };
  const [name, hosts] = [reader.name("hostName"), reader.number("hosts")];
  reader.end();
  const key = await pairingKeyOf(linkSecretOf(k).secret, bytesOfBase64url(voucher, "voucher", idBytes));
  if (!(await crypto.subtle.verify("HMAC", key, tag, body))) throw new ConsentError("introduce.tag", "whoever made it has not seen the link");
  await checkAnswer("introduce", { host: voucher, sign, body, signature, answered, letter: joinLetter });
  await Promise.all([imported(points.sign, "introduce.hostSign", "ECDSA"), imported(points.box, "introduce.hostBox", "ECDH")]);
  return { ...points, id: base64urlOf(await keyIDOf(points.sign)), name, hosts };
}

/** @param {Pick<Signer, "sign">} own @param {Uint8Array} body */
export const untaggedLetterOf = async (own, body) =>
  letterBytesOf({ body, tag: new Uint8Array(0), signature: new Uint8Array(await crypto.subtle.sign(es256, own.sign, body)) });

/**
 * A letter that ends a host's trust in a device.
 * @param {Signer} own @param {string} host The host's key id. @param {string} device The key id of the device to remove. @param {number} count
 */
export const distrustLetterOf = (own, host, device, count) =>
  untaggedLetterOf(own, concatenated(domain("distrust"), counted(bytesOfBase64url(host, "host", idBytes)), counted(bytesOfBase64url(device, "device", idBytes)), u64(count), counted(own.id)));

/**
 * A letter that asks a host for its trusted devices, now and after each change.
 * @param {Signer} own @param {string} host The host's key id.
 */
export const askLetterOf = (own, host) =>
  untaggedLetterOf(own, concatenated(domain("ask"), counted(bytesOfBase64url(host, "host", idBytes)), counted(crypto.getRandomValues(new Uint8Array(nonceBytes))), counted(own.id)));

/**
 * @typedef {{id: string, name: string, since: number, by: string}} TrustedDevice `by`: the id of the device that vouched; empty if it was paired at
 * the host's terminal.
 */

/**
 * Checks a host's list of trusted devices and returns it, newest first.
 * @param {Uint8Array} bytes @param {string} host The host's key id. @param {Uint8Array} askLetter
 * @returns {Promise<{count: number, devices: TrustedDevice[]}>} `count` of all trusted devices: a long list is shortened.
 */
export async function rollOf(bytes, host, askLetter) {
  const { body, signature } = letterOf(bytes);
  const reader = new PartReader(body, "roll", domain("roll"));
  const [sign, answered, count] = [reader.point("sign"), reader.part("letter", secretBytes), reader.number("count")];
  /** @type {TrustedDevice[]} */ const devices = [];
  while (!reader.isAtEnd) {
    const [id, name, since] = [reader.part("id", idBytes), reader.name("name"), reader.number("since")];
    const by = reader.part("by", 0, idBytes);
    if (by.length !== 0 && by.length !== idBytes) throw new ConsentError("roll.by", `it has ${by.length} bytes`);
    devices.push({ id: base64urlOf(id), name, since, by: base64urlOf(by) });
  }
  await checkAnswer("roll", { host, sign, body, signature, answered, letter: askLetter });
  return { count, devices };
}

/**
 * Throws unless the bytes are the host's receipt for the letter.
 * @param {Uint8Array} bytes @param {string} host @param {Uint8Array} letter
 */
export async function checkReceipt(bytes, host, letter) {
  const { body, signature } = letterOf(bytes);
  const reader = new PartReader(body, "receipt", domain("receipt"));
  const [sign, answered] = [reader.point("sign"), reader.part("letter", secretBytes)];
  reader.end();
  await checkAnswer("receipt", { host, sign, body, signature, answered, letter });
}

/**
 * Checks a host's refusal of a letter and returns its reason and generation.
 * @param {Uint8Array} bytes @param {string} host @param {Uint8Array} letter
 */
export async function refusalOf(bytes, host, letter) {
  const { body, signature } = letterOf(bytes);
  const reader = new PartReader(body, "refusal", domain("refusal"));
  const [sign, answered] = [reader.point("sign"), reader.part("letter", secretBytes)];
  const reason = new TextDecoder().decode(reader.part("reason", 1, reasonBytesMax));
  const generation = reader.part("generation", idBytes);
  reader.end();
  await checkAnswer("refusal", { host, sign, body, signature, answered, letter });
  return { reason, generation };
}

/**
 * Throws unless the answer is signed by the named host and answers this letter.
 * @param {string} name @param {{host: string, sign: Uint8Array, body: Uint8Array, signature: Uint8Array, answered: Uint8Array, letter: Uint8Array}} answer
 */
async function checkAnswer(name, { host, sign, body, signature, answered, letter }) {
  if (base64urlOf(await keyIDOf(sign)) !== host) throw new ConsentError(`${name}.sign`, "it is another host's");
  if (!same(answered, await sha256(letterOf(letter).body))) throw new ConsentError(name, "it answers another letter");
  const key = await imported(sign, `${name}.sign`, "ECDSA");
  if (!(await crypto.subtle.verify(es256, key, signature, body))) throw new ConsentError(`${name}.signature`, "it is not by its host");
}

/**
 * Imports a public point, which WebCrypto checks to be on the curve.
 * @param {Uint8Array} point @param {string} place @param {"ECDSA"|"ECDH"} name
 */
export const imported = (point, place, name) =>
  crypto.subtle.importKey("raw", point, { name, namedCurve: "P-256" }, true, name === "ECDSA" ? ["verify"] : []).catch(() => {
    throw new ConsentError(place, "it is no point of the curve");
  });

/**
 * Hashes the `shown` text of an event as the host sent it.
 * @param {string} text
 */
export const shownHashOf = (text) => sha256(concatenated(domain("shown"), utf8(text)));

/**
 * Converts 64 hexadecimal digits into bytes.
 * @param {unknown} text
 */
export function digestBytesOf(text) {
  if (typeof text !== "string" || !/^[0-9a-f]{64}$/.test(text)) throw new ConsentError("digest", "it is no SHA-256 in hexadecimal digits");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** @typedef {import("./decisions.js").Verdict} Verdict */

/** Marks content that is not plain text: UTF-8 never contains this byte, so the two cannot be confused. */
const noText = Uint8Array.of(0xff);

/**
 * Encodes a verdict's content field by field, because the relay re-encodes JSON.
 * @param {Verdict} verdict
 */
function contentOf(verdict) {
  switch (verdict.decision) {
    case "allow":
      return concatenated(...named("mode", verdict.mode), ...named("offer", verdict.offer));
    case "edit":
      return concatenated(...named("edit", verdict.edit));
    case "deny":
      if (verdict.offer === undefined) return utf8(verdict.message ?? "");
      return concatenated(noText, ...named("offer", verdict.offer), ...named("message", verdict.message || undefined));
    default:
      return concatenated(...verdict.answers.flatMap(({ question, choices, text }) =>
        [countedText(question), u32(choices.length), ...choices.map(countedText), countedText(text ?? "")]));
  }
}

/** @param {string} name @param {string|undefined} value */
const named = (name, value) => (value === undefined ? [] : [countedText(name), countedText(value)]);

/**
 * @typedef {object} Decided
 * @property {Uint8Array} hostID
 * @property {string} session
 * @property {string} approval
 * @property {string} text     The shown text as the host sent it.
 * @property {string} digest   The digest in the shown event.
 * @property {Verdict} verdict
 * @property {number} issuedAt Milliseconds since 1970, for the audit log.
 * @property {Uint8Array} deviceID
 */

/** @param {Decided} decided */
export async function decisionStatementOf({ hostID, session, approval, text, digest, verdict, issuedAt, deviceID }) {
  const content = contentOf(verdict);
  return concatenated(domain("decision"), counted(hostID), countedText(session), countedText(approval), counted(await shownHashOf(text)),
    counted(digestBytesOf(digest)), countedText(verdict.decision === "edit" ? "allow" : verdict.decision), counted(content.length ? await sha256(content) : content), u64(issuedAt), counted(deviceID));
}

/** @typedef {Extract<import("./wire").Command, {type: "prompt"}>} Prompt */
/** @typedef {Extract<import("./wire").Command, {type: "keys"}>} Keys */
/** @typedef {Extract<import("./wire").Command, {type: "mode"|"model"|"askAll"|"start"|"resume"|"past"|"interrupt"|"stop"|"ruleOff"|"ruleAdd"|"ruleChange"|"ruleTry"}>} Steering */

/**
 * @typedef {object} Sent
 * @property {Uint8Array} hostID
 * @property {string} id       The command's id.
 * @property {Prompt|Steering|Keys} command
 * @property {number} count    Higher than in any earlier statement of this device, against replays.
 * @property {Uint8Array} deviceID
 */

/** @param {Sent} sent */
export async function steeringStatementOf({ hostID, id, command, count, deviceID }) {
  const { type } = command;
  const detail = await sha256(type === "prompt" ? promptContentOf(command) : type === "keys" ? bytesOfBase64url(command.keys, "keys") : steeringContentOf(command));
  const isNamed = type === "prompt" || type === "keys";
  return concatenated(domain(isNamed ? type : "steer"), counted(hostID), countedText(command.session), countedText(id),
    ...(type === "keys" ? [countedText(command.seen ?? "")] : isNamed ? [] : [countedText(type)]), counted(detail), u64(count), counted(deviceID));
}

/** @param {Prompt} prompt */
function promptContentOf({ text, busy = "queue", command = false, pictures = [] }) {
  if (!command && busy === "queue" && !pictures.length) return utf8(text);
  return concatenated(noText, countedText(text), flag(command), countedText(busy), picturesOf(pictures));
}

/** @param {Steering} command */
function steeringContentOf(command) {
  switch (command.type) {
    case "mode": return countedText(command.mode);
    case "model": return countedText(command.model);
    case "ruleOff": return countedText(command.rule);
    case "ruleAdd":
    case "ruleTry": return countedText(command.toml);
    case "ruleChange": return concatenated(countedText(command.rule), countedText(command.toml));
    case "askAll": return flag(command.on);
    case "start":
    case "resume":
    case "past": {
      const { past, mode, model, text, pictures } = /** @type {{past?: string, mode?: string, model?: string, text?: string, pictures?: import("./wire").Picture[]}} */ (command);
      return concatenated(countedText(command.project), countedText(command.agent), ...[past, mode, model, text].map(optional), picturesOf(pictures ?? []));
    }
    default: return new Uint8Array(0);
  }
}

/** @param {boolean} value */
const flag = (value) => Uint8Array.of(value ? 1 : 0);
/** @param {string|undefined} text */
const optional = (text) => (text === undefined ? flag(false) : concatenated(flag(true), countedText(text)));
/** @param {import("./wire").Picture[]} pictures */
const picturesOf = (pictures) => concatenated(u32(pictures.length), ...pictures.flatMap(({ digest, type }) => [counted(digestBytesOf(digest)), countedText(type)]));

/**
 * The text of the wire's `signature` field.
 * @param {Signer} signer @param {number} number The time of the decision, or the count of the command. @param {Uint8Array} statement
 */
async function signatureTextOf({ id, sign }, number, statement) {
  const signature = new Uint8Array(await crypto.subtle.sign(es256, sign, statement));
  return `1.${base64urlOf(id)}.${number}.${base64urlOf(signature)}`;
}

/**
 * Signs a decision. `host`: the host's key id.
 * @param {Signer} signer @param {Omit<Decided, "hostID"|"deviceID"> & {host: string}} decided
 */
export const decisionSignatureOf = async (signer, { host, ...decided }) => signatureTextOf(signer, decided.issuedAt,
  await decisionStatementOf({ ...decided, hostID: bytesOfBase64url(host, "host", idBytes), deviceID: signer.id }));

/** @param {Signer} signer @param {Omit<Sent, "hostID"|"deviceID"> & {host: string}} sent */
export const steeringSignatureOf = async (signer, { host, ...sent }) => signatureTextOf(signer, sent.count,
  await steeringStatementOf({ ...sent, hostID: bytesOfBase64url(host, "host", idBytes), deviceID: signer.id }));
