import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as sealing from "../../web/sealing.js";
import { check, made } from "./sealing-vectors.mjs";

const fixture = async (name) => JSON.parse(await readFile(new URL(`../ConsentTests/Fixtures/${name}.json`, import.meta.url), "utf8"));

test("every form is the vectors' bytes, and nothing that was altered opens", async () => {
  assert.ok((await check(sealing, await fixture("sealing"))) > 500);
});

test("the file is what is made from the keys of signed consent", async () => {
  assert.deepEqual(await made(await fixture("vectors")), await fixture("sealing"));
});

/** Seals arbitrary, even malformed, content with a host's key. */
async function sealedBy({ epochKey, hostID, session }, plain, kind, name = "body") {
  const bytes = (text) => Buffer.from(text, "base64url");
  const lp = (part) => { const data = Buffer.from(part); return Buffer.concat([Buffer.from([0, 0, data.length >> 8, data.length & 255]), data]); };
  const place = Buffer.concat([lp(bytes(hostID)), lp(session), Buffer.from([0, 0, 0, 1])]);
  const material = await crypto.subtle.importKey("raw", bytes(epochKey), "HKDF", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey({ name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: Buffer.concat([Buffer.from("heliograph/v1/session\0"), place]) }, material, { name: "AES-GCM", length: 256 }, false, ["encrypt"]);
  const number = Buffer.from([0, 0, 0, 0, 0, 0, 0, 9]);
  const about = Buffer.concat([Buffer.from(`heliograph/v1/${name}\0`), place, number, ...(kind ? [lp(kind)] : [])]);
  const iv = Buffer.alloc(12, 7);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: about }, key, Buffer.from(plain));
  return Buffer.concat([Buffer.from([1, 0, 0, 0, 1]), number, iv, Buffer.from(sealed)]).toString("base64url");
}

test("what opens and is no event, or no line, is refused by its form", async () => {
  const vectors = await fixture("sealing");
  const raw = Buffer.from(vectors.epochKey, "base64url");
  const key = await crypto.subtle.importKey("raw", raw, "HKDF", false, ["deriveKey"]);
  const one = new sealing.SessionSealing(vectors.hostID, vectors.session, () => key);
  const event = { kind: "message", at: 1, head: { role: "user" } };
  assert.deepEqual(await one.openEvent(await sealedBy(vectors, JSON.stringify({ ...event, more: 1 }), "message"), "message"), { epoch: 1, number: 9, event });
  for (const plain of ["", "x", "[]", "7", "null", "\xff", JSON.stringify({ ...event, kind: "error" }), JSON.stringify({ ...event, at: "1" }), JSON.stringify({ ...event, head: [] }), JSON.stringify({ ...event, body: "x" })]) {
    await assert.rejects(one.openEvent(await sealedBy(vectors, Buffer.from(plain, "latin1"), "message"), "message"), { code: "malformed" }, plain);
  }
  assert.deepEqual(await one.openLine(await sealedBy(vectors, '{"title":"a"}', "", "line")), { epoch: 1, number: 9, line: { title: "a" } });
  for (const plain of ['{"title":7}', '{"title":null}', '"title"']) await assert.rejects(one.openLine(await sealedBy(vectors, plain, "", "line")), { code: "malformed" }, plain);
});
