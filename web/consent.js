/**
 * What is signed on this device, byte for byte: ids of keys, the letters of trust, statements, and the text of a signature.
 *
 * The twin of the module `Consent`; the same vectors check both. Pure but for WebCrypto, which only a secure context has. Every string of bytes that is
 * signed or authenticated begins with a domain of its own, so that none can be taken for another.
 */

/** Bytes of a point (P-256, uncompressed), an id of a key, a secret or a digest, and a nonce. */
const [pointBytes, signatureBytes] = [65, 64];
export const idBytes = 16;
export const secretBytes = 32;
export const nonceBytes = 16;
/** A letter's limit on the wire, before base64url. */
const letterBytesMax = 4 << 10;
/** Of a name in a letter, in bytes of UTF-8. */
const nameBytesMax = 256;
const reasonBytesMax = 32;

/** Something foreign that is not what it should be. */
export class ConsentError extends Error {
  /** @param {string} place What was read. @param {string} reason */
  constructor(place, reason) {
    super(`${place}: ${reason}`);
    this.place = place;
  }
}

export const es256 = { name: "ECDSA", hash: "SHA-256" };

// Bytes

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

/** @param {Uint8Array} a @param {Uint8Array} b Nothing secret: it takes as long as they are alike. */
export const same = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);

/** @param {Uint8Array} bytes */
export const base64urlOf = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

/**
 * @param {unknown} text Base64url without padding, in its one spelling. @param {string} place @param {number} [length] In bytes.
 * @returns {Uint8Array}
 */
export function bytesOfBase64url(text, place, length) {
  if (typeof text !== "string" || !/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) throw new ConsentError(place, "it is no base64url");
  const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (one) => one.charCodeAt(0));
  if (base64urlOf(bytes) !== text) throw new ConsentError(place, "it is no base64url");
  if (length !== undefined && bytes.length !== length) throw new ConsentError(place, `it has ${bytes.length} bytes, not ${length}`);
  return bytes;
}

// Names of keys

/** @param {Uint8Array} sign The point that signatures are checked with. */
export const keyIDOf = async (sign) => (await sha256(concatenated(domain("key"), sign))).slice(0, idBytes);

/** @param {unknown} text @returns {text is string} */
export function isKeyID(text) {
  try {
    return bytesOfBase64url(text, "id", idBytes).length === idBytes;
  } catch {
    return false;
  }
}

/** Crockford's: no letter that could be taken for a digit. */
const base32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** @param {Uint8Array} id The first 80 bits of it, as a person compares them: too many to find another key with the same ones. */
export function shortCodeOf(id) {
  const bits = [...id.subarray(0, 10)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = bits.match(/.{5}/g)?.map((five) => base32[Number.parseInt(five, 2)]).join("") ?? "";
  return letters.match(/.{4}/g)?.join("-") ?? "";
}

/** @param {string} id The id of a host's or a device's key, as text. */
export const codeOfKey = (id) => shortCodeOf(bytesOfBase64url(id, "id"));

// Pairing

/**
 * What a link carries behind `k=`: the secret, and whose it is, unless it is of every host of a machine: a host's, or that of a device that vouches.
 * @param {string} k
 * @returns {{hostID?: Uint8Array, voucher?: {id: Uint8Array, client: string}, secret: Uint8Array}} `client`: what the relay calls that device.
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
 * The key for tags that only those can make who have seen the link.
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

// Letters: u8 1 ‖ LP(body) ‖ LP(tag) ‖ LP(signature), where only those of a secret have a tag

/** @typedef {{body: Uint8Array, tag: Uint8Array, signature: Uint8Array}} Letter */

/** Reads parts that have their length before them, and nothing else. */
export class PartReader {
  /** @type {Uint8Array} */ #rest;
  /** @type {string} */ #name;

  /** @param {Uint8Array} bytes @param {string} name What is read. @param {Uint8Array} prefix What it begins with. */
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

  /** @param {string} part One line that people read. */
  name(part) {
    const bytes = this.part(part, 1, nameBytesMax);
    try {
      const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
      if (!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return text;
    } catch {
      // It is no text.
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

/** @param {string} name Of a device, as letters may have it: one line, and not too long. */
export function letterNameOf(name) {
  let line = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  while (utf8(line).length > nameBytesMax) line = [...line].slice(0, -1).join("");
  return line || "A browser";
}

/** @typedef {{id: Uint8Array, sign: CryptoKey}} Signer */

/**
 * Asks a host for its trust, or a device to vouch.
 * @param {Signer & {points: Points}} own @param {string} k What the host's link carries. @param {string} host The id of its key. @param {string} name What this device is called.
 * @returns {Promise<Uint8Array>}
 */
export async function joinLetterOf(own, k, host, name) {
  const hostID = bytesOfBase64url(host, "host", idBytes);
  const body = joinBytesOf(hostID, own.points, letterNameOf(name), crypto.getRandomValues(new Uint8Array(nonceBytes)));
  return taggedLetterOf(own, await pairingKeyOf(linkSecretOf(k).secret, hostID), body);
}

/** @param {Pick<Signer, "sign">} own @param {CryptoKey} key What the link's secret gives. @param {Uint8Array} body */
export async function taggedLetterOf(own, key, body) {
  const [tag, signature] = await Promise.all([crypto.subtle.sign("HMAC", key, body), crypto.subtle.sign(es256, own.sign, body)]);
  return letterBytesOf({ body, tag: new Uint8Array(tag), signature: new Uint8Array(signature) });
}

/**
 * What a host that has seen the secret answers to a `join`: the keys that it has from now on.
 * @param {Uint8Array} bytes @param {string} k @param {string} host The id of its key, as the link or the relay says. @param {Uint8Array} joinLetter
 * @returns {Promise<Points & {name: string}>} With what the host calls itself.
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
 * The keys of a host that trusts this device now, by the word of the one that showed the link.
 * @param {Uint8Array} bytes @param {string} k @param {string} voucher The id of that device's key. @param {Uint8Array} joinLetter
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
 * Ends a host's trust in a device.
 * @param {Signer} own @param {string} host The id of its key. @param {string} device The id of the key that is to go. @param {number} count
 */
export const distrustLetterOf = (own, host, device, count) =>
  untaggedLetterOf(own, concatenated(domain("distrust"), counted(bytesOfBase64url(host, "host", idBytes)), counted(bytesOfBase64url(device, "device", idBytes)), u64(count), counted(own.id)));

/**
 * Asks a host which devices it trusts, now and whenever that changes.
 * @param {Signer} own @param {string} host The id of its key.
 */
export const askLetterOf = (own, host) =>
  untaggedLetterOf(own, concatenated(domain("ask"), counted(bytesOfBase64url(host, "host", idBytes)), counted(crypto.getRandomValues(new Uint8Array(nonceBytes))), counted(own.id)));

/** @typedef {{id: string, name: string, since: number, by: string}} TrustedDevice `by`: the id of the device that brought it; empty for a person at the host's terminal. */

/**
 * The devices that a host trusts, the last that came first.
 * @param {Uint8Array} bytes @param {string} host The id of its key. @param {Uint8Array} askLetter
 * @returns {Promise<{count: number, devices: TrustedDevice[]}>} `count` of all: of very many not all fit.
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
 * A host says that it did what a letter asks; throws if it does not.
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
 * Why a host did not do what a letter asks, in its own word, and its generation.
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
 * An answer is the named host's, and to this letter.
 * @param {string} name @param {{host: string, sign: Uint8Array, body: Uint8Array, signature: Uint8Array, answered: Uint8Array, letter: Uint8Array}} answer
 */
async function checkAnswer(name, { host, sign, body, signature, answered, letter }) {
  if (base64urlOf(await keyIDOf(sign)) !== host) throw new ConsentError(`${name}.sign`, "it is another host's");
  if (!same(answered, await sha256(letterOf(letter).body))) throw new ConsentError(name, "it answers another letter");
  const key = await imported(sign, `${name}.sign`, "ECDSA");
  if (!(await crypto.subtle.verify(es256, key, signature, body))) throw new ConsentError(`${name}.signature`, "it is not by its host");
}

/** @param {Uint8Array} point Checked to be on the curve. @param {string} place @param {"ECDSA"|"ECDH"} name */
export const imported = (point, place, name) =>
  crypto.subtle.importKey("raw", point, { name, namedCurve: "P-256" }, true, name === "ECDSA" ? ["verify"] : []).catch(() => {
    throw new ConsentError(place, "it is no point of the curve");
  });

// Shown texts and decisions

/** @param {string} text What a host sent as `shown`. */
export const shownHashOf = (text) => sha256(concatenated(domain("shown"), utf8(text)));

/** @param {unknown} text 64 hexadecimal digits. */
export function digestBytesOf(text) {
  if (typeof text !== "string" || !/^[0-9a-f]{64}$/.test(text)) throw new ConsentError("digest", "it is no SHA-256 in hexadecimal digits");
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

/** @typedef {import("./decisions.js").Verdict} Verdict */

/** In front of what is no bare text: UTF-8 has no such byte, so that neither is taken for the other. */
const noText = Uint8Array.of(0xff);

/**
 * A verdict's content beyond its word, field by field: the relay writes JSON anew.
 * @param {Verdict} verdict
 */
function contentOf(verdict) {
  switch (verdict.decision) {
    case "allow":
      return concatenated(...named("mode", verdict.mode), ...named("offer", verdict.offer));
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
 * @property {string} text     What was shown, as it came.
 * @property {string} digest   As the shown event has it.
 * @property {Verdict} verdict
 * @property {number} issuedAt Milliseconds, for the audit.
 * @property {Uint8Array} deviceID
 */

/** @param {Decided} decided */
export async function decisionStatementOf({ hostID, session, approval, text, digest, verdict, issuedAt, deviceID }) {
  const content = contentOf(verdict);
  return concatenated(domain("decision"), counted(hostID), countedText(session), countedText(approval), counted(await shownHashOf(text)),
    counted(digestBytesOf(digest)), countedText(verdict.decision), counted(content.length ? await sha256(content) : content), u64(issuedAt), counted(deviceID));
}

// Steering

/** @typedef {Extract<import("./wire").Command, {type: "prompt"}>} Prompt */
/** @typedef {Extract<import("./wire").Command, {type: "keys"}>} Keys */
/** @typedef {Extract<import("./wire").Command, {type: "mode"|"model"|"askAll"|"start"|"resume"|"past"|"interrupt"|"stop"|"ruleOff"|"ruleAdd"|"ruleChange"|"ruleTry"}>} Steering */

/**
 * @typedef {object} Sent
 * @property {Uint8Array} hostID
 * @property {string} id       Of the command.
 * @property {Prompt|Steering|Keys} command
 * @property {number} count    Higher than all before it from this device.
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

// Signatures

/**
 * As `signature` on the wire carries it.
 * @param {Signer} signer @param {number} number When it was decided, or the count of what is sent. @param {Uint8Array} statement
 */
async function signatureTextOf({ id, sign }, number, statement) {
  const signature = new Uint8Array(await crypto.subtle.sign(es256, sign, statement));
  return `1.${base64urlOf(id)}.${number}.${base64urlOf(signature)}`;
}

/** @param {Signer} signer @param {Omit<Decided, "hostID"|"deviceID"> & {host: string}} decided `host`: the id of its key. */
export const decisionSignatureOf = async (signer, { host, ...decided }) => signatureTextOf(signer, decided.issuedAt,
  await decisionStatementOf({ ...decided, hostID: bytesOfBase64url(host, "host", idBytes), deviceID: signer.id }));

/** @param {Signer} signer @param {Omit<Sent, "hostID"|"deviceID"> & {host: string}} sent */
export const steeringSignatureOf = async (signer, { host, ...sent }) => signatureTextOf(signer, sent.count,
  await steeringStatementOf({ ...sent, hostID: bytesOfBase64url(host, "host", idBytes), deviceID: signer.id }));
