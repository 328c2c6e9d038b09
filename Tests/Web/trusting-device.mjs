/** A fake browser for `Trust`, in memory, that records sent messages. */

import assert from "node:assert/strict";
import { base64urlOf, bytesOfBase64url } from "../../web/consent.js";
import { Passkeys } from "../../web/passkeys.js";
import { Resuming } from "../../web/resuming.js";
import { emptyState } from "../../web/store.js";
import { Trust } from "../../web/trust.js";
import { Clock } from "./clock.mjs";
import { ownKeys } from "./own-keys.mjs";
import { parts } from "./played-host.mjs";

/** A fake `KeyStore` in memory. */
class MemoryKeys {
  mine;
  count = 0;
  pins = new Map();
  links = new Map();
  besides = new Map();

  own = async () => this.mine;
  make = async () => (this.mine ??= await ownKeys());
  nextCount = async (now) => (this.count = Math.max(this.count + 1, now));
  hosts = async () => [...this.pins.values()];
  pin = async (part) => {
    const isKept = this.pins.has(part.id) || "sign" in part;
    if (isKept) this.pins.set(part.id, { ...this.pins.get(part.id), ...part });
    return isKept;
  };
  unpin = async (id) => void this.pins.delete(id);
  secrets = async () => structuredClone([...this.links.values()]);
  kept = async (name) => this.besides.get(name);
  keep = async (name, value) => void this.besides.set(name, structuredClone(value));
  keepSecret = async (secret) => void this.links.set(secret.k, structuredClone(secret));
  dropSecret = async (k) => void this.links.delete(k);
  forget = async () => {
    this.mine = undefined;
    for (const place of [this.pins, this.links, this.besides]) place.clear();
  };
}

/** Waits for a condition, because WebCrypto works in threads of its own. */
export async function quiet(until) {
  for (const start = performance.now(); !until(); await new Promise(setImmediate)) assert.ok(performance.now() - start < 20_000, `in vain: ${until}`);
}

export async function device({ keys = new MemoryKeys(), isSecure = true, clock = new Clock(1_000_000), storage = new Map(), name = "Ada's phone", credentials, place = { origin: "https://relay.example", hostname: "relay.example" } } = {}) {
  const state = emptyState();
  const sent = [];
  const link = { isLive: true, command: async (message) => void sent.push(message) };
  const trust = new Trust({
    isSecure, keys, now: clock.now, setTimer: clock.setTimer, name: () => name, persist: async () => true, tellTabs: () => undefined,
    pageKey: () => "hgk_1",
    more: async () => {
      if (trust.passkeys) return;
      trust.complete((around, letters, hands) => ({ resuming: new Resuming(around, letters, hands), passkeys: new Passkeys({ credentials, place, changed: () => undefined }, around, letters, hands) }));
    },
    storage: () => ({ getItem: (name) => storage.get(name) ?? null, setItem: (name, value) => storage.set(name, value), removeItem: (name) => storage.delete(name) }),
  }, link, state, () => undefined);
  await quiet(() => trust.isKnown);
  const runs = (session, host, name = "laptop") => state.sessions.set(session, { session, host: { id: "h", name, connected: true }, steering: { actions: ["prompt"], ...(host && { consent: host }) } });
  return {
    trust, state, sent, link, keys, clock, storage, runs,
    letter: (bytes, from) => trust.received({ type: "letter", from, bytes: base64urlOf(bytes) }),
    letterOfClient: (bytes, client) => trust.received({ type: "letter", client, bytes: base64urlOf(bytes) }),
    letters: () => lettersIn(sent).filter((bytes) => nameOf(bytes) !== "ask"),
    asks: () => lettersIn(sent).filter((bytes) => nameOf(bytes) === "ask"),
  };
}

export const lettersIn = (sent) => sent.filter(({ type }) => type === "letter").map(({ bytes }) => bytesOfBase64url(bytes, "letter"));
/** The name in the domain of a letter's body. */
export const nameOf = (bytes) => /^heliograph\/v1\/(\w+)/.exec(parts(bytes.subarray(1))[0].toString("latin1"))[1];

/** A device that the host trusts. */
export async function trusted(host, options) {
  const one = await device(options);
  one.runs("s1", host.id);
  await one.trust.offered(host.k, true);
  await quiet(() => one.letters().length);
  one.letter(host.admit(one.letters()[0]), host.id);
  await quiet(() => one.trust.hosts.size);
  return one;
}
