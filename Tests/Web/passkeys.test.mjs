import assert from "node:assert/strict";
import { createHash, createPublicKey, generateKeyPairSync, sign as signWith, verify as verifyWith } from "node:crypto";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { bytesOfBase64url, decisionStatementOf } from "../../web/consent.js";
import { Passkeys, passkeyBytesOf, rawOf } from "../../web/passkeys.js";
import { rollEveryMs } from "../../web/rolls.js";
import { shownApproval } from "../../web/shown.js";
import { mutations } from "./consent-vectors.mjs";
import { PlayedHost, parts } from "./played-host.mjs";
import { nameOf, quiet, trusted } from "./trusting-device.mjs";

const fixture = async (name) => JSON.parse(await readFile(new URL(`../ConsentTests/Fixtures/${name}.json`, import.meta.url), "utf8"));
const [vectors, passkey] = [await fixture("vectors"), await fixture("passkeys")];
const bytes = (text) => bytesOfBase64url(text, "vector");
const sha256 = (data) => createHash("sha256").update(data).digest();

/** A fake authenticator. `refuses`: its person refuses. */
class Authenticator {
  pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  asked = [];
  made = 0;
  refuses = false;

  create = async ({ publicKey }) => {
    this.asked.push(publicKey);
    if (this.refuses) throw new DOMException("no", "NotAllowedError");
    this.made += 1;
    return { rawId: Buffer.from("credential"), response: { getPublicKey: () => this.pair.publicKey.export({ type: "spki", format: "der" }) } };
  };

  get = async ({ publicKey }) => {
    this.asked.push(publicKey);
    if (this.refuses) throw new DOMException("no", "NotAllowedError");
    const clientDataJSON = Buffer.from(JSON.stringify({ type: "webauthn.get", challenge: Buffer.from(publicKey.challenge).toString("base64url"), origin: "https://relay.example" }));
    const authenticatorData = Buffer.concat([sha256("relay.example"), Buffer.from([5, 0, 0, 0, 0])]);
    return { response: { authenticatorData, clientDataJSON, signature: signWith("sha256", Buffer.concat([authenticatorData, sha256(clientDataJSON)]), this.pair.privateKey) } };
  };
}

const passkeyLetters = (one) => one.letters().filter((letter) => nameOf(letter) === "passkey");

/** An approval that its host requires a passkey for. */
function guarded(host, approval = "a1") {
  const head = { approval, kind: "tool", tool: "Bash", title: "make deploy", digest: "ab".repeat(32), passkey: true };
  const shown = JSON.stringify({ salt: Buffer.alloc(16, 1).toString("base64url"), host: host.id, session: "s1", event: { kind: "approval.requested", at: 5, head, body: { input: { command: "make deploy" } } } });
  return { session: "s1", approval, stage: "pending", requestedAt: 5, request: { kind: "approval.requested", at: 5, head: { ...head, passkey: undefined }, body: { shown } } };
}

/** A browser that a host trusts, with an authenticator. */
async function withAuthenticator(options) {
  const [host, authenticator] = [new PlayedHost(), new Authenticator()];
  const one = await trusted(host, { credentials: authenticator, ...options });
  const asked = shownApproval(guarded(host));
  const obstacle = () => one.trust.approvalObstacle(asked, "laptop");
  return { host, authenticator, one, asked, obstacle };
}

/** A browser whose passkey the host has accepted. */
async function confirmed() {
  const all = await withAuthenticator();
  all.obstacle();
  await quiet(() => all.one.trust.passkeys?.isKnown);
  await all.one.trust.passkeys.setUp(all.host.id);
  all.one.letter(all.host.receipt(passkeyLetters(all.one)[0]), all.host.id);
  await quiet(() => all.obstacle() === "");
  return all;
}

test("letter and signature are the vectors' bytes, and no altered letter is the same", () => {
  const fields = { hostID: bytes(vectors.hostID), point: bytes(passkey.public), origin: passkey.origin, count: passkey.count, deviceID: bytes(vectors.deviceID) };
  const make = (given) => Buffer.from(passkeyBytesOf(given.hostID, given.point, given.origin, given.count, given.deviceID)).toString("base64url");
  assert.equal(make(fields), passkey.letter);
  let count = 0;
  for (const [where, other] of mutations(fields)) {
    assert.notEqual(make(other), passkey.letter, where);
    count += 1;
  }
  assert.ok(count > 90);
  assert.equal(Buffer.from(rawOf(bytes(passkey.der))).toString("base64url"), passkey.signature);
});

test("a signature in any other form than DER's is refused, and short numbers are filled", () => {
  const der = bytes(passkey.der);
  for (const bad of [der.slice(0, -1), Uint8Array.from([...der, 0]), Uint8Array.from(der, (byte, at) => (at === 0 ? 0x31 : byte)), Uint8Array.from(der, (byte, at) => (at === 2 ? 3 : byte)), new Uint8Array(0)]) {
    assert.throws(() => rawOf(bad));
  }
  assert.throws(() => rawOf(Uint8Array.from([0x30, 38, 0x02, 33, ...new Uint8Array(33).fill(1), 0x02, 1, 1])), /too long/);
  const raw = rawOf(Uint8Array.from([0x30, 7, 0x02, 1, 9, 0x02, 2, 0, 0x80]));
  assert.deepEqual([raw[31], raw[63], raw.reduce((sum, byte) => sum + byte, 0)], [9, 0x80, 9 + 0x80]);
});

test("without a passkey there is no Allow, and the sentence says what to do at each step", async () => {
  const { host, authenticator, one, obstacle } = await withAuthenticator();
  assert.equal(obstacle(), "…");
  await quiet(() => one.trust.passkeys?.isKnown);
  assert.match(obstacle(), /wants a passkey to confirm this\. This browser has none there: set one up under Devices\.$/);
  await one.trust.passkeys.setUp(host.id);
  const [letter] = passkeyLetters(one);
  const { authenticatorSelection, pubKeyCredParams } = authenticator.asked[0];
  assert.deepEqual([authenticatorSelection.userVerification, pubKeyCredParams], ["required", [{ type: "public-key", alg: -7 }]]);
  const code = /Passkey ([0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}) waits for a yes: on laptop run heliograph host passkey \1\.$/.exec(obstacle());
  assert.ok(code, obstacle());
  one.letter(host.refuse(letter, "waiting"), host.id);
  one.letter(new PlayedHost().receipt(letter), host.id);
  one.letter(host.receipt(one.asks()[0]), host.id);
  one.clock.wait(2 * rollEveryMs);
  await quiet(() => one.clock.now() > 0);
  assert.match(obstacle(), /waits for a yes/, "nobody but the host says that it is taken, and of this letter");
  one.letter(host.receipt(letter), host.id);
  await quiet(() => obstacle() === "");
  assert.equal(one.trust.passkeys.standing(host.id, "laptop"), `Passkey ${code[1]} confirms what the owner of laptop wants confirmed.`);
});

test("what a person confirms carries a proof over the statement that the device signed", async () => {
  const { host, authenticator, one, asked } = await confirmed();
  for (const verdict of [{ decision: "allow" }, { decision: "allow", offer: "o1" }]) {
    const { signature } = await one.trust.signedDecision(asked, verdict);
    const [form, device, at, own, ...proof] = signature.split(".");
    assert.deepEqual([form, proof.length], ["2", 3]);
    const statement = await decisionStatementOf({
      hostID: host.idBytes, session: "s1", approval: "a1", text: JSON.parse(JSON.stringify(guarded(host))).request.body.shown, digest: "ab".repeat(32), verdict, issuedAt: Number(at), deviceID: bytes(device) });
    const { type, challenge } = JSON.parse(Buffer.from(proof[1], "base64url"));
    assert.deepEqual([type, challenge], ["webauthn.get", sha256(statement).toString("base64url")]);
    const { userVerification, allowCredentials } = authenticator.asked.at(-1);
    assert.deepEqual([userVerification, Buffer.from(allowCredentials[0].id).toString()], ["required", "credential"]);
    const signed = Buffer.concat([Buffer.from(proof[0], "base64url"), sha256(Buffer.from(proof[1], "base64url"))]);
    assert.ok(verifyWith("sha256", signed, { key: authenticator.pair.publicKey, dsaEncoding: "ieee-p1363" }, Buffer.from(proof[2], "base64url")));
    const { points } = one.keys.mine;
    const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x: Buffer.from(points.sign.subarray(1, 33)).toString("base64url"), y: Buffer.from(points.sign.subarray(33)).toString("base64url") } });
    assert.ok(verifyWith("sha256", statement, { key, dsaEncoding: "ieee-p1363" }, Buffer.from(own, "base64url")), "and its own, as ever");
  }
  const asks = authenticator.asked.length;
  assert.match((await one.trust.signedDecision(asked, { decision: "deny", message: "no" })).signature, /^1\./);
  assert.equal(authenticator.asked.length, asks, "a denial needs none");
});

test("a person who does not confirm sends nothing", async () => {
  const { authenticator, one, asked } = await confirmed();
  authenticator.refuses = true;
  await assert.rejects(one.trust.signedDecision(asked, { decision: "allow" }), { code: "notSigned", message: "the passkey did not confirm it" });
});

test("a browser that is told no makes no passkey, and says so", async () => {
  const { host, authenticator, one, obstacle } = await withAuthenticator();
  obstacle();
  await quiet(() => one.trust.passkeys?.isKnown);
  authenticator.refuses = true;
  await one.trust.passkeys.setUp(host.id);
  assert.match(one.trust.passkeys.problem, /^No passkey was made: the browser was told not to/);
  assert.equal(passkeyLetters(one).length, 0);
  assert.match(obstacle(), /This browser has none there/);
});

test("a page at a number, and a browser without passkeys, say so", async () => {
  for (const [options, words] of [
    [{ place: { origin: "http://127.0.0.1:8787", hostname: "127.0.0.1" } }, /opened by a number: open it by the relay's HTTPS name/],
    [{ place: { origin: "http://[::1]:8787", hostname: "[::1]" } }, /opened by a number/],
    [{ credentials: undefined }, /This browser has no passkeys/],
  ]) {
    const { host, authenticator, one, obstacle } = await withAuthenticator(options);
    obstacle();
    await quiet(() => one.trust.passkeys?.isKnown);
    assert.match(obstacle(), words);
    await one.trust.passkeys.setUp(host.id);
    assert.match(one.trust.passkeys.problem, words);
    assert.equal(authenticator.made + passkeyLetters(one).length, 0);
  }
});

test("a host that does not know it any more is asked again, and until it says yes there is no Allow", async () => {
  const { host, one, obstacle } = await confirmed();
  const before = passkeyLetters(one).length;
  one.trust.received({ type: "approval", approval: { ...guarded(host), stage: "stale", reason: "passkeyUnknown" } });
  await quiet(() => passkeyLetters(one).length > before);
  assert.match(obstacle(), /waits for a yes/);
});

test("what hosts answer otherwise is said, and the letter is not sent again", async () => {
  const { host, one, obstacle } = await withAuthenticator();
  obstacle();
  await quiet(() => one.trust.passkeys?.isKnown);
  await one.trust.passkeys.setUp(host.id);
  one.letter(host.refuse(passkeyLetters(one)[0], "full"), host.id);
  await quiet(() => one.trust.passkeys.problem !== "");
  assert.match(one.trust.passkeys.problem, /^laptop has taken as many passkeys/);
  const count = passkeyLetters(one).length;
  one.clock.wait(rollEveryMs);
  assert.equal(passkeyLetters(one).length, count);
});

test("an unanswered letter is sent again, a few times, and on a new connection another one", async () => {
  const { host, one, obstacle } = await withAuthenticator();
  obstacle();
  await quiet(() => one.trust.passkeys?.isKnown);
  await one.trust.passkeys.setUp(host.id);
  for (let time = 0; time < 20; time += 1) one.clock.wait(rollEveryMs);
  const sent = passkeyLetters(one);
  assert.ok(sent.length === 12 && sent.every((letter) => Buffer.from(letter).equals(Buffer.from(sent[0]))), String(sent.length));
  one.trust.stirred();
  await quiet(() => passkeyLetters(one).length > 12);
  assert.ok(!Buffer.from(passkeyLetters(one).at(-1)).equals(Buffer.from(sent[0])));
  const [body] = parts(passkeyLetters(one).at(-1).subarray(1));
  assert.ok(body.includes(Buffer.from("https://relay.example")));
});

test("the browser's passkey is asked for at a second host, a new one where it is there already, and logging out forgets it", async () => {
  const { host, authenticator, one } = await confirmed();
  const other = new PlayedHost();
  one.trust.hosts.set(other.id, { id: other.id, name: "desk", since: 1 });
  await one.trust.passkeys.setUp(other.id);
  assert.equal(authenticator.made, 1);
  assert.deepEqual(one.keys.besides.get("passkey").hosts, { [host.id]: "taken", [other.id]: "asked" });
  authenticator.pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await one.trust.passkeys.setUp(host.id);
  assert.equal(authenticator.made, 2);
  assert.deepEqual(one.keys.besides.get("passkey").hosts, { [host.id]: "asked" }, "no other has the new one");
  await one.trust.loggedOut();
  assert.equal(one.trust.passkeys.standing(host.id, "laptop"), "");
});

test("a host without signatures can take no passkey", async () => {
  const { one } = await withAuthenticator();
  const open = { session: "s2", approval: "a2", stage: "pending", requestedAt: 1, request: { kind: "approval.requested", at: 1, head: { approval: "a2", kind: "tool", passkey: true }, body: { input: {} } } };
  one.runs("s2", undefined);
  one.trust.approvalObstacle(open, "laptop");
  await quiet(() => one.trust.passkeys?.isKnown);
  assert.match(one.trust.approvalObstacle(open, "laptop"), /signatures are not asked for/);
});

test("a part of the page that has just come reads what is kept", async () => {
  const { host, one } = await confirmed();
  const again = new Passkeys({ credentials: undefined, place: { origin: "https://relay.example", hostname: "relay.example" }, changed: () => undefined },
    { keys: one.keys, now: one.clock.now, setTimer: one.clock.setTimer, tellTabs: () => undefined }, one.link, { hosts: () => one.trust.hosts });
  await quiet(() => again.isKnown);
  assert.match(again.standing(host.id, "laptop"), /confirms/);
});
