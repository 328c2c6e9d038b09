import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as consent from "../../web/consent.js";
import { check, mutations, statementsOf } from "./consent-vectors.mjs";

const vectors = JSON.parse(await readFile(new URL("../ConsentTests/Fixtures/vectors.json", import.meta.url), "utf8"));
const bytes = (text) => consent.bytesOfBase64url(text, "vector");
const hex = (one) => Buffer.from(one).toString("hex");

test("ids, letters and statements are the vectors' bytes, and no altered one is signed", async () => {
  assert.ok((await check(consent, vectors)) > 150);
});

const digest = "ab".repeat(32);
const sent = (command) => ({ hostID: bytes(vectors.hostID), id: "c1", count: 1, deviceID: bytes(vectors.deviceID), command: { session: "s1", ...command } });
const decided = (verdict) => ({ hostID: bytes(vectors.hostID), session: "s1", approval: "a1", text: "{}", digest, issuedAt: 1, deviceID: bytes(vectors.deviceID), verdict });
const picture = { digest, type: "image/png", bytes: 1 };
/** One example of each kind of statement, with every field that it may have. */
const kinds = [
  ["an allow in a mode by an offer", consent.decisionStatementOf, decided({ decision: "allow", mode: "plan", offer: "o1" })],
  ["an edit", consent.decisionStatementOf, decided({ decision: "edit", edit: '{"command":"ls"}' })],
  ["a denial by an offer with words", consent.decisionStatementOf, decided({ decision: "deny", offer: "o1", message: "no" })],
  ["an answer", consent.decisionStatementOf, decided({ decision: "answer", answers: [{ question: "q", choices: ["a", "b"], text: "t" }] })],
  ["a prompt", consent.steeringStatementOf, sent({ type: "prompt", text: "go on", busy: "steer", command: true, pictures: [picture] })],
  ["a mode", consent.steeringStatementOf, sent({ type: "mode", mode: "plan" })],
  ["a model", consent.steeringStatementOf, sent({ type: "model", model: "plan" })],
  ["the end of asking for everything", consent.steeringStatementOf, sent({ type: "askAll", on: false })],
  ["a rule that is taken back", consent.steeringStatementOf, sent({ type: "ruleOff", rule: "plan" })],
  ["keys", consent.steeringStatementOf, sent({ type: "keys", keys: "aWhlbGxv", seen: "t.1" })],
  ["a rule that is added", consent.steeringStatementOf, sent({ type: "ruleAdd", toml: "plan" })],
  ["a rule that is changed", consent.steeringStatementOf, sent({ type: "ruleChange", rule: "plan", toml: "plan" })],
  ["a start", consent.steeringStatementOf, sent({ type: "start", project: "p", agent: "claude", mode: "m", model: "n", text: "t", pictures: [picture] })],
  ["a resumed session", consent.steeringStatementOf, sent({ type: "resume", past: "x", project: "p", agent: "claude", mode: "m", model: "n", text: "t", pictures: [picture] })],
];

test("keys are signed for the drawing at which they were pressed, as the vector says", async () => {
  const { keys } = JSON.parse(await readFile(new URL("../ConsentTests/Fixtures/details.json", import.meta.url), "utf8"));
  const command = { type: "keys", session: "claude-0001", keys: "aWhlbGxv", seen: "t1.7" };
  const statement = await consent.steeringStatementOf({ ...sent({}), id: "c9", count: 41, command });
  assert.equal(consent.base64urlOf(statement), keys);
});

test("no two statements are alike, whatever field is another", async () => {
  const seen = new Map();
  let count = 0;
  for (const [name, make, fields] of kinds) {
    for (const [where, other] of [["", fields], ...mutations(fields)]) {
      // A picture's size is not signed, because its digest covers it.
      if (where.includes(".bytes")) continue;
      let statement;
      try {
        statement = hex(await make(other));
      } catch {
        continue;
      }
      const held = seen.get(statement);
      assert.ok(held === undefined, `${name}${where} and ${held}`);
      seen.set(statement, `${name}${where}`);
      count += 1;
    }
  }
  assert.ok(count > 400, String(count));
});

test("what a denial says is not taken for what an offer says, nor an empty text for none", async () => {
  const of = async (verdict) => hex(await consent.decisionStatementOf(decided(verdict)));
  assert.equal(await of({ decision: "deny", message: "" }), await of({ decision: "deny" }));
  assert.notEqual(await of({ decision: "deny", offer: "o1" }), await of({ decision: "deny", message: "o1" }));
  const answer = (more) => of({ decision: "answer", answers: [{ question: "q", choices: ["a"], ...more }] });
  assert.equal(await answer({ text: "" }), await answer({}));
  assert.equal(await answer({ indexes: [0] }), await answer({}));
  assert.notEqual(await answer({ choices: [], text: "a" }), await answer({}));
});

test("a plain prompt is its text alone, and nothing else is signed as one", async () => {
  const of = async (more) => hex(await consent.steeringStatementOf(sent({ type: "prompt", text: "/clear", ...more })));
  assert.equal(await of({ busy: "queue", command: false, pictures: [] }), await of({}));
  assert.equal(new Set(await Promise.all([{}, { busy: "steer" }, { busy: "refuse" }, { command: true }, { pictures: [picture] }].map(of))).size, 5);
});

test("a signature says whose it is and carries its number, as the wire has it", async () => {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const signer = { id: bytes(vectors.deviceID), sign: pair.privateKey };
  const { hostID, deviceID, ...fields } = decided({ decision: "allow" });
  const text = await consent.decisionSignatureOf(signer, { ...fields, host: vectors.hostID });
  const [form, id, number, signature] = text.split(".");
  assert.deepEqual([form, id, number], ["1", vectors.deviceID, "1"]);
  const statement = await consent.decisionStatementOf(decided({ decision: "allow" }));
  assert.ok(await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, pair.publicKey, bytes(signature), statement));
  const { hostID: _, deviceID: __, ...prompt } = sent({ type: "prompt", text: "go on" });
  assert.match(await consent.steeringSignatureOf(signer, { ...prompt, count: 1767225605000, host: vectors.hostID }), /^1\.[\w-]{22}\.1767225605000\.[\w-]{86}$/);
});

test("a short code is the first eighty bits of an id", () => assert.equal(consent.shortCodeOf(bytes(vectors.deviceID)), "9G2G-J972-NTGD-9D75"));

test("base64url has one spelling, and errors name the place", () => {
  assert.deepEqual([...bytes("_-8")], [255, 239]);
  for (const text of ["_-9", "_-8=", "+/8", "a", "ä", " _-8", undefined, 7]) assert.throws(() => consent.bytesOfBase64url(text, "here"), { name: "Error", place: "here" }, String(text));
  assert.throws(() => consent.bytesOfBase64url("_-8", "here", 3), /here: it has 2 bytes, not 3/);
});

test("a link's secret is for one host or for all of a machine; anything else is refused", () => {
  assert.deepEqual(consent.linkSecretOf(vectors.link.k), { hostID: bytes(vectors.hostID), secret: bytes(vectors.link.secret) });
  const secret = bytes(vectors.link.secret);
  assert.deepEqual(consent.linkSecretOf(consent.base64urlOf(Uint8Array.of(2, ...secret))), { secret });
  for (const broken of [[], [0, ...secret], [1, ...secret], [2, ...secret, 0], [3, ...secret], [2]]) {
    assert.throws(() => consent.linkSecretOf(consent.base64urlOf(Uint8Array.from(broken))), /^Error: k: /);
  }
});

test("digests and numbers that are none are refused", async () => {
  for (const text of ["", "ab", "AB".repeat(32), `${digest}0`, 7]) assert.throws(() => consent.digestBytesOf(text), { place: "digest" });
  for (const count of [-1, 0.5, NaN, 2 ** 53]) await assert.rejects(consent.steeringStatementOf({ ...sent({ type: "mode", mode: "x" }), count }), { place: "number" });
});
