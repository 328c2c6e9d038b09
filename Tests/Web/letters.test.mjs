import assert from "node:assert/strict";
import { test } from "node:test";
import { ConsentError, admitOf, base64urlOf, checkReceipt, joinLetterOf, letterNameOf, refusalOf } from "../../web/consent.js";
import { bumpLetterOf } from "../../web/vouch-letters.js";
import { ownKeys } from "./own-keys.mjs";
import { PlayedHost, counted, domain, parts } from "./played-host.mjs";

test("a host that showed the link takes the join, and the device takes its answer", async () => {
  const [host, own] = [new PlayedHost(), await ownKeys()];
  for (const k of [host.k, host.machineK]) {
    const join = await joinLetterOf(own, k, host.id, "Ada's phone");
    const points = await admitOf(host.admit(join), k, host.id, join);
    assert.deepEqual([Buffer.from(points.sign), Buffer.from(points.box)], [host.sign.point, host.box.point]);
    assert.deepEqual([...host.devices], [[base64urlOf(own.id), "Ada's phone"]]);
  }
});

test("an answer is refused that was altered in any byte, or is to another letter, or of another host", async () => {
  const [host, other, own] = [new PlayedHost(), new PlayedHost(), await ownKeys()];
  const join = await joinLetterOf(own, host.k, host.id, "x");
  const admit = host.admit(join);
  for (let at = 0; at < admit.length; at += 1) {
    const altered = Uint8Array.from(admit, (byte, place) => (place === at ? byte ^ 1 : byte));
    await assert.rejects(admitOf(altered, host.k, host.id, join), ConsentError, `byte ${at}`);
  }
  for (const cut of [admit.slice(0, -1), Uint8Array.of(...admit, 0), new Uint8Array(0), new Uint8Array(5000)]) await assert.rejects(admitOf(cut, host.k, host.id, join));
  await assert.rejects(admitOf(admit, host.k, host.id, await joinLetterOf(own, host.k, host.id, "x")), /admit: it answers another letter/);
  // A relay knows all public keys, but not the secret.
  other.secret = Buffer.alloc(32, 8);
  await assert.rejects(admitOf(other.tagged(parts(admit.subarray(1))[0]), host.k, host.id, join), /admit.tag: /);
});

test("a host that has seen the secret cannot pass for the one in the link", async () => {
  const [host, thief, own] = [new PlayedHost(), new PlayedHost(), await ownKeys()];
  const join = await joinLetterOf(own, host.k, host.id, "x");
  await assert.rejects(admitOf(host.admit(join, { sign: thief.sign.point, by: thief.sign }), host.k, host.id, join), /admit.sign: it is another host's/);
  await assert.rejects(admitOf(host.admit(join, { by: thief.sign }), host.k, host.id, join), /admit.signature: /);
  await assert.rejects(admitOf(host.admit(join, { box: Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]) }), host.k, host.id, join), /admit.box: it is no point of the curve/);
  await assert.rejects(admitOf(host.admit(join, { box: Buffer.concat([Buffer.from([5]), host.box.point.subarray(1)]) }), host.k, host.id, join), /admit.box: it is no uncompressed point/);
});

test("a refusal is its host's own, and to this letter; no admission is read as one", async () => {
  const [host, other, own] = [new PlayedHost(), new PlayedHost(), await ownKeys()];
  const join = await joinLetterOf(own, host.k, host.id, "x");
  const refusal = host.refuse(join, "usedSecret");
  assert.deepEqual(await refusalOf(refusal, host.id, join), { reason: "usedSecret", generation: new Uint8Array(16) });
  for (let at = 0; at < refusal.length; at += 1) {
    await assert.rejects(refusalOf(Uint8Array.from(refusal, (byte, place) => (place === at ? byte ^ 1 : byte)), host.id, join), `byte ${at}`);
  }
  await assert.rejects(refusalOf(other.refuse(join, "usedSecret"), host.id, join), /refusal.sign: /);
  await assert.rejects(refusalOf(refusal, host.id, await joinLetterOf(own, host.k, host.id, "x")), /refusal: it answers another letter/);
  await assert.rejects(refusalOf(host.admit(join), host.id, join), /refusal: it begins otherwise/);
  await assert.rejects(admitOf(refusal, host.k, host.id, join), /admit: it begins otherwise/);
  const long = host.signed(Buffer.concat([domain("refusal"), counted(host.sign.point), counted(Buffer.alloc(32)), counted(Buffer.alloc(33, 97)), counted(Buffer.alloc(16))]));
  await assert.rejects(refusalOf(long, host.id, join), /refusal.reason: it has 33 bytes/);
});

test("a name in a letter is one line, and not too long", () => {
  assert.equal(letterNameOf("Ada's\nphone\u0007\u2028x"), "Ada's phone x");
  assert.equal(letterNameOf("\n"), "A browser");
  const long = letterNameOf("😀".repeat(100));
  assert.equal(long, "😀".repeat(64));
});

test("a count that is said again is signed, and only its host's own receipt is one", async () => {
  const [host, other, own] = [new PlayedHost(), new PlayedHost(), await ownKeys()];
  const generation = new Uint8Array(16).fill(3);
  const bump = await bumpLetterOf(own, host.id, generation, 41);
  const [body, tag] = parts(bump.subarray(1));
  assert.deepEqual(body, Buffer.concat([domain("bump"), counted(host.idBytes), counted(generation), Buffer.from([0, 0, 0, 0, 0, 0, 0, 41]), counted(own.id)]));
  assert.equal(tag.length, 0);
  await checkReceipt(host.receipt(bump), host.id, bump);
  const again = await bumpLetterOf(own, host.id, generation, 42);
  for (const [receipt, letter] of [[other.receipt(bump), bump], [host.receipt(bump), again], [host.refuse(bump, "restored"), bump]]) await assert.rejects(checkReceipt(receipt, host.id, letter), ConsentError);
});
