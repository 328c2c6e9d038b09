/**
 * Hosts' keys by epoch, as this browser holds them: unwrapped from what each host offers for this device, and kept with the host's pin, from where no script can
 * read them out. So what is sealed opens without the host, without a connection, and in the worker. They go with the pin.
 */

import { base64urlOf, bytesOfBase64url, idBytes } from "./consent.js";
import { epochKeyOf, wrapKeyOf } from "./sealing.js";

/** @typedef {import("./keys.js").Pin} Pin */
/** @typedef {{epoch: number, device: string, wrap: string}} Wrap */

/** The newest: a host offers no more. */
const epochsOfferedMax = 64;
/** Kept here beyond those, for what is older: whoever has devices distrusted can have a host begin an epoch for each. */
const epochsMax = 4096;

/** @param {Pin|undefined} pin The newest epoch that this browser can open; 0 for none. */
export const newestEpochIn = (pin) => Math.max(0, ...(pin?.epochs?.keys() ?? []));

/**
 * What a host offers, for this device and not known here yet. One that does not open is not by that host, and is left out.
 * @param {import("./keys.js").OwnKeys} own @param {Pin} pin @param {unknown} wraps As the relay has them.
 * @returns {Promise<Map<number, CryptoKey>|undefined>} All that are known then; nothing where none is new.
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
      // The relay changed it: then this key is not here.
    }
  }
  if (all.size === held.size) return undefined;
  return new Map([...all].sort(([a], [b]) => a - b).slice(-epochsMax));
}
