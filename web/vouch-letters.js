/** Bytes of rare letters: those that vouch for a device, and those to a restored host. Completes `consent.js`. */

import {
  ConsentError, PartReader, base64urlOf, bytesOfBase64url, concatenated, counted, countedText, domain, es256, idBytes, imported, keyIDOf, letterOf, linkSecretOf,
  nonceBytes, pairingKeyOf, same, secretBytes, sha256, taggedLetterOf, u64, untaggedLetterOf, utf8,
} from "./consent.js";

/** @typedef {import("./consent.js").Points} Points */
/** @typedef {import("./consent.js").Signer} Signer */
/** @typedef {{id: Uint8Array, points: Points, name: string}} Newcomer A device that another one vouches for. */

/** Stands for an unknown generation: the host refuses it and replies with its own. */
export const noGeneration = new Uint8Array(idBytes);

/**
 * A letter that repeats this device's count to a host whose files were restored: the host refuses every statement up to that count.
 * @param {Signer} own @param {string} host The host's key id. @param {Uint8Array} generation The host's current generation, from its refusal. @param {number} count
 * @returns {Promise<Uint8Array>}
 */
export const bumpLetterOf = (own, host, generation, count) =>
  untaggedLetterOf(own, concatenated(domain("bump"), counted(bytesOfBase64url(host, "host", idBytes)), counted(generation), u64(count), counted(own.id)));

/**
 * A new link secret of a vouching device.
 * @param {Uint8Array} id The device's key id. @param {string} client The relay's id of the device.
 */
export const vouchingSecretOf = (id, client) =>
  base64urlOf(concatenated(Uint8Array.of(3), id, crypto.getRandomValues(new Uint8Array(secretBytes)), utf8(client)));

/**
 * Reads a `join` letter made with this device's link; throws unless its sender knows the link's secret.
 * @param {Uint8Array} bytes @param {string} k @param {Uint8Array} ownID
 * @returns {Promise<Newcomer>}
 */
export async function newcomerOf(bytes, k, ownID) {
  const { body, tag, signature } = letterOf(bytes);
  const reader = new PartReader(body, "join", domain("join"));
  const to = reader.part("host", idBytes);
  const points = { sign: reader.point("sign"), box: reader.point("box") };
  const name = reader.name("name");
  reader.part("nonce", nonceBytes);
  reader.end();
  const key = await pairingKeyOf(linkSecretOf(k).secret, ownID);
  if (!same(to, ownID) || !(await crypto.subtle.verify("HMAC", key, tag, body))) throw new ConsentError("join.tag", "whoever made it has not seen the link");
  if (!(await crypto.subtle.verify(es256, await imported(points.sign, "join.sign", "ECDSA"), signature, body))) throw new ConsentError("join.signature", "it is not by its device");
  await imported(points.box, "join.box", "ECDH");
  const id = await keyIDOf(points.sign);
  if (same(id, ownID)) throw new ConsentError("join.sign", "it is this device");
  return { id, points, name };
}

/**
 * A letter that vouches for a device at a host.
 * @param {Signer} own @param {string} host The host's key id. @param {Newcomer} newcomer @param {number} count
 */
export const vouchLetterOf = (own, host, { points, name }, count) =>
  untaggedLetterOf(own, concatenated(domain("vouch"), counted(bytesOfBase64url(host, "host", idBytes)), counted(points.sign), counted(points.box), countedText(name), u64(count), counted(own.id)));

/**
 * A letter that gives a new device the keys of a host that now trusts it.
 * @param {Signer & {points: Points}} own @param {string} k @param {Uint8Array} joinLetter @param {Points & {name: string}} host @param {number} hosts The number of hosts in all.
 */
export async function introductionLetterOf(own, k, joinLetter, host, hosts) {
  const key = await pairingKeyOf(linkSecretOf(k).secret, own.id);
  const body = concatenated(domain("introduce"), counted(await sha256(letterOf(joinLetter).body)), counted(own.points.sign), counted(host.sign), counted(host.box), countedText(host.name), u64(hosts));
  return taggedLetterOf(own, key, body);
}

/**
 * A letter that refuses a new device.
 * @param {Signer & {points: Points}} own @param {Uint8Array} joinLetter @param {"usedSecret"|"notTrusted"} reason
 */
export const refusalLetterOf = async (own, joinLetter, reason) =>
  untaggedLetterOf(own, concatenated(domain("refusal"), counted(own.points.sign), counted(await sha256(letterOf(joinLetter).body)), countedText(reason), counted(noGeneration)));
