import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { KeyStore } from "../../web/keys.js";
import { MemoryDatabases } from "./memory-database.mjs";

beforeEach(() => { globalThis.indexedDB = new MemoryDatabases(); });

test("two tabs that make keys at once get the same, which no script can read out", async () => {
  const [one, other] = [new KeyStore(), new KeyStore()];
  assert.equal(await one.own(), undefined);
  const [made, again] = await Promise.all([one.make(), other.make()]);
  assert.deepEqual(made.id, again.id);
  assert.deepEqual((await one.own()).points, made.points);
  assert.deepEqual([made.sign.extractable, made.box.extractable, made.points.sign.length, made.points.box[0]], [false, false, 65, 4]);
  await assert.rejects(crypto.subtle.exportKey("pkcs8", made.sign));
});

test("counts rise, above those before and above the clock, whoever asks and when", async () => {
  const [one, other] = [new KeyStore(), new KeyStore()];
  const given = await Promise.all([one.nextCount(1000), other.nextCount(1000), one.nextCount(1000.5)]);
  assert.deepEqual([...given].sort(), [1000, 1001, 1002]);
  assert.equal(await one.nextCount(7), 1003);
  assert.equal(await one.nextCount(5000), 5000);
});

test("pins and links are kept until they are taken away, and logging out leaves nothing", async () => {
  const one = new KeyStore();
  const pin = { id: "h1", sign: new Uint8Array(65), box: new Uint8Array(65), name: "laptop", since: 1 };
  const secret = { k: "k1", at: 1, letters: { h1: Uint8Array.of(1) }, answered: [] };
  await one.pin(pin);
  await one.keepSecret(secret);
  await one.keep("page", "hgk_1");
  const other = new KeyStore();
  assert.deepEqual([await other.hosts(), await other.secrets(), await other.kept("page")], [[pin], [secret], "hgk_1"]);
  await one.unpin("h1");
  await one.dropSecret("k1");
  assert.deepEqual([await one.hosts(), await one.secrets()], [[], []]);
  await one.make();
  await one.forget();
  assert.deepEqual([await one.own(), await one.kept("page")], [undefined, undefined]);
});

test("what two tabs learn of a host at once is kept of both, and nothing of one that was forgotten", async () => {
  const [one, other] = [new KeyStore(), new KeyStore()];
  const pin = { id: "h1", sign: new Uint8Array(65), box: new Uint8Array(65), name: "laptop", since: 1 };
  await one.pin(pin);
  await Promise.all([one.pin({ id: "h1", known: ["d1"] }), other.pin({ id: "h1", relayed: ["r1"] })]);
  assert.deepEqual(await one.hosts(), [{ ...pin, known: ["d1"], relayed: ["r1"] }]);
  await one.pin({ ...pin, name: "studio", since: 2 });
  assert.deepEqual(await one.hosts(), [{ ...pin, name: "studio", since: 2, known: ["d1"], relayed: ["r1"] }]);
  await one.unpin("h1");
  assert.equal(await other.pin({ id: "h1", known: ["d2"] }), undefined);
  assert.deepEqual(await one.hosts(), []);
});
