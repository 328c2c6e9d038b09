/**
 * Hosts' content keys by epoch: unwrapped from the wraps that each host offers this device, and kept with the host's pin as keys that no script can
 * export. So sealed content opens without the host, without a connection, and in the service worker. Removing the pin removes the keys.
 */

import { base64urlOf, bytesOfBase64url, idBytes } from "./consent.js";
import { epochKeyOf, wrapKeyOf } from "./sealing.js";

/** @typedef {import("./keys.js").Pin} Pin */
/** @typedef {{epoch: number, device: string, wrap: string}} Wrap */

/** A host offers this many of its newest epochs at most. */
const epochsOfferedMax = 64;
/** The limit of kept epochs for older content: any client that may revoke devices can make a host begin epochs. */
const epochsMax = 4096;

/**
 * The newest epoch that this browser can open; 0 if there is none.
 * @param {Pin|undefined} pin
 */
export const newestEpochIn = (pin) => Math.max(0, ...(pin?.epochs?.keys() ?? []));

/**
 * Unwraps the keys that a host offers this device and that are not known yet. A wrap that does not open was not made by the host, and is skipped.
 * @param {import("./keys.js").OwnKeys} own @param {Pin} pin @param {unknown} wraps The host's wraps, from the relay.
 * @returns {Promise<Map<number, CryptoKey>|undefined>} All known keys; undefined if none is new.
 */
export async function learned(own, pin, wraps) {
  const device = base64urlOf(own.id);
  const held = pin.epochs ?? new Map();
  const fresh = (Array.isArray(wraps) ? /** @type {Wrap[]} */ (wraps) : []).filter((one) => one?.device === device && Number.isInteger(one.epoch) && one.epoch > 0 && !held.has(one.epoch));
  if (!fresh.length) return undefined;
  const hostID = bytesOfBase64url(pin.id, "host", idBytes);
  const wrapKey = await wrapKeyOf(own, hostID, pin.box);
  const all = new Map(held);
  for (const { epoch, wrap } of fresh.slice(-epochsOfferedMax)) {
    try {
      all.set(epoch, await epochKeyOf(wrapKey, wrap, { hostID, deviceID: own.id, epoch }));
    } catch {
      // The relay altered the wrap, so its key is skipped.
    }
  }
  if (all.size === held.size) return undefined;
  return new Map([...all].sort(([a], [b]) => a - b).slice(-epochsMax));
}
