/** What few devices write, those that bring a further one to their hosts or whose host was restored, byte for byte: the rest of `consent.js`. */

import {
  ConsentError, PartReader, base64urlOf, bytesOfBase64url, concatenated, counted, countedText, domain, es256, idBytes, imported, keyIDOf, letterOf, linkSecretOf,
  nonceBytes, pairingKeyOf, same, secretBytes, sha256, taggedLetterOf, u64, untaggedLetterOf, utf8,
} from "./consent.js";

/** @typedef {import("./consent.js").Points} Points */
/** @typedef {import("./consent.js").Signer} Signer */
/** @typedef {{id: Uint8Array, points: Points, name: string}} Newcomer A device that is to be brought to the hosts of another. */

/** In place of a generation that is not known yet: the host refuses it, and says its own. */
export const noGeneration = new Uint8Array(idBytes);

/**
 * Says a count again to a host whose files were restored: everything up to it is void there.
 * @param {Signer} own @param {string} host The id of its key. @param {Uint8Array} generation The host's present one, from its refusal. @param {number} count
 * @returns {Promise<Uint8Array>}
 */
export const bumpLetterOf = (own, host, generation, count) =>
  untaggedLetterOf(own, concatenated(domain("bump"), counted(bytesOfBase64url(host, "host", idBytes)), counted(generation), u64(count), counted(own.id)));

/**
 * A new secret of a device that vouches.
 * @param {Uint8Array} id Of its key. @param {string} client What the relay calls it.
 */
export const vouchingSecretOf = (id, client) =>
  base64urlOf(concatenated(Uint8Array.of(3), id, crypto.getRandomValues(new Uint8Array(secretBytes)), utf8(client)));

/**
 * A `join` by the link of this device; throws if it is by anybody who has not seen that.
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
 * Brings a device to a host.
 * @param {Signer} own @param {string} host The id of its key. @param {Newcomer} newcomer @param {number} count
 */
export const vouchLetterOf = (own, host, { points, name }, count) =>
  untaggedLetterOf(own, concatenated(domain("vouch"), counted(bytesOfBase64url(host, "host", idBytes)), counted(points.sign), counted(points.box), countedText(name), u64(count), counted(own.id)));

/**
 * Tells a newcomer the keys of a host that trusts it now.
 * @param {Signer & {points: Points}} own @param {string} k @param {Uint8Array} joinLetter @param {Points & {name: string}} host @param {number} hosts How many there are in all.
 */
export async function introductionLetterOf(own, k, joinLetter, host, hosts) {
  const key = await pairingKeyOf(linkSecretOf(k).secret, own.id);
  const body = concatenated(domain("introduce"), counted(await sha256(letterOf(joinLetter).body)), counted(own.points.sign), counted(host.sign), counted(host.box), countedText(host.name), u64(hosts));
  return taggedLetterOf(own, key, body);
}

/**
 * Tells a newcomer that it is not let in.
 * @param {Signer & {points: Points}} own @param {Uint8Array} joinLetter @param {"usedSecret"|"notTrusted"} reason
 */
export const refusalLetterOf = async (own, joinLetter, reason) =>
  untaggedLetterOf(own, concatenated(domain("refusal"), counted(own.points.sign), counted(await sha256(letterOf(joinLetter).body)), countedText(reason), counted(noGeneration)));
