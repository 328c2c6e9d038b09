import { keyIDOf } from "../../web/consent.js";

/** Creates a device's keys like the browser. */
export async function ownKeys(usage = "deriveKey") {
  const sign = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const box = await crypto.subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, false, [usage]);
  const pointOf = async (key) => new Uint8Array(await crypto.subtle.exportKey("raw", key));
  const points = { sign: await pointOf(sign.publicKey), box: await pointOf(box.publicKey) };
  return { sign: sign.privateKey, box: box.privateKey, points, id: await keyIDOf(points.sign) };
}
