import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { base64urlOf, bytesOfBase64url, introductionOf, joinLetterOf, linkSecretOf, refusalOf, shortCodeOf } from "../../web/consent.js";
import { letterEveryMs, linkSecretMs } from "../../web/joining.js";
import { rollEveryMs, triesMax } from "../../web/rolls.js";
import { introductionLetterOf, newcomerOf, refusalLetterOf, vouchLetterOf, vouchingSecretOf } from "../../web/vouch-letters.js";
import { Vouching, linkOf, vouchingMs } from "../../web/vouching.js";
import { ownKeys } from "./own-keys.mjs";
import { PlayedHost, counted, domain, parts } from "./played-host.mjs";
import { device, nameOf, quiet, trusted } from "./trusting-device.mjs";

const last = (list) => list[list.length - 1];
const long = (number) => Buffer.from(number.toString(16).padStart(16, "0"), "hex");
/** The letters that one device sent to another. */
const toClient = (one, client) => one.sent.filter((message) => message.client === client).map(({ bytes }) => bytesOfBase64url(bytes, "letter"));

/** A host, a browser that it trusts and lists, and the link that this browser shows. */
async function voucher(host = new PlayedHost(), by) {
  const one = await trusted(host);
  await quiet(() => one.asks().length);
  one.letter(host.roll(last(one.asks()), [{ id: Buffer.from(one.keys.mine.id), name: "Ada's phone", since: 1, by }]), host.id);
  await quiet(() => one.trust.devicesOf(host.id).length);
  const link = await one.trust.bringing(Vouching).open("c_phone");
  return { host, one, ...link };
}

/** A browser that has opened the vouching browser's link. */
async function newcomer(k, options = { name: "Ada's tablet" }) {
  const tablet = await device(options);
  await tablet.trust.offered(k, true);
  await quiet(() => toClient(tablet, "c_phone").length);
  return tablet;
}

test("a device is brought to a host once a person has compared the codes, and both sides know it then", async () => {
  const { host, one, k, hosts } = await voucher();
  assert.deepEqual(hosts, ["laptop"]);
  const tablet = await newcomer(k);
  assert.deepEqual(tablet.sent.map(({ to }) => to), [undefined], "it has written to nobody else");
  const [join] = toClient(tablet, "c_phone");
  one.letterOfClient(join, "c_tablet");
  await quiet(() => one.trust.vouching.newcomer);
  const { code, name } = one.trust.vouching.newcomer;
  assert.deepEqual([name, code, tablet.trust.news.code], ["Ada's tablet", shortCodeOf(tablet.keys.mine.id), code]);
  assert.match(tablet.trust.news.words, /has to show the same code/);
  assert.ok(!one.letters().some((bytes) => nameOf(bytes) === "vouch"), "nothing is signed before");
  one.trust.bring();
  await quiet(() => one.letters().some((bytes) => nameOf(bytes) === "vouch"));
  const vouch = last(one.letters());
  const [body] = parts(vouch.subarray(1));
  const { points, id } = tablet.keys.mine;
  assert.deepEqual(body, Buffer.concat([domain("vouch"), counted(host.idBytes), counted(points.sign), counted(points.box), counted(Buffer.from("Ada's tablet")), long(one.keys.count), counted(one.keys.mine.id)]));
  assert.deepEqual(toClient(one, "c_tablet"), [], "the host has not said yes");
  one.letter(host.receipt(vouch), host.id);
  await quiet(() => toClient(one, "c_tablet").length);
  assert.deepEqual(one.trust.vouching.said, [{ tone: "good", words: "laptop trusts Ada's tablet now." }]);
  tablet.letterOfClient(toClient(one, "c_tablet")[0], "c_phone");
  await quiet(() => tablet.trust.hosts.size);
  const pin = tablet.trust.hosts.get(host.id);
  assert.deepEqual([pin.name, Buffer.from(pin.sign), Buffer.from(pin.box)], ["laptop", host.sign.point, host.box.point]);
  assert.match(tablet.trust.news.words, /^laptop trusts this browser now/);
  await quiet(() => !tablet.keys.links.size);
  // The vouching browser does not announce the device that it vouched for.
  assert.ok(one.keys.pins.get(host.id).known.includes(base64urlOf(id)));
});

test("a browser that was brought itself, or that no host trusts, shows no such link", async () => {
  const { k, one } = await voucher(new PlayedHost(), Buffer.alloc(16, 1));
  assert.deepEqual([k, one.trust.vouching.stage], ["", "closed"]);
  const nobody = await device();
  assert.equal((await nobody.trust.bringing(Vouching).open("c_phone")).k, "");
});

test("the address of a link is this page's own, and the secret is never where the relay is sent it", () => {
  const here = "https://relay.example/#/devices";
  assert.equal(linkOf("https://relay.example/#pair=c0-de", "K", here), "https://relay.example/#pair=c0-de&k=K");
  assert.equal(linkOf("https://other.example/#pair=c0-de", "K", here), "https://relay.example/#pair=c0-de&k=K");
  assert.equal(linkOf("https://relay.example/#pair=c0-de", "", here), "https://relay.example/#pair=c0-de");
  const own = "http://127.0.0.1:8787/#/devices";
  assert.equal(linkOf("https://relay.example/#pair=c0-de", "K", own), "https://relay.example/#pair=c0-de&k=K");
  for (const given of ["https://relay.example/r?c=CODE", "https://relay.example/r?#pair=c0-de", "https://relay.example/#pair=c0-de&x=", "https://a@relay.example/#pair=c0-de", "javascript:1//#pair=c0-de", "", undefined]) {
    for (const place of [here, own]) assert.throws(() => linkOf(given, "K", place), String(given));
  }
});

test("a link ends by this browser's own clock", async () => {
  const { one, k } = await voucher();
  const tablet = await newcomer(k);
  one.clock.wait(vouchingMs + 1);
  one.letterOfClient(toClient(tablet, "c_phone")[0], "c_tablet");
  await quiet(() => one.trust.vouching.stage === "closed");
  assert.equal(one.trust.vouching.newcomer, null);
});

test("a person who says no ends it, and the other device is told so whenever it asks", async () => {
  const { one, k } = await voucher();
  const tablet = await newcomer(k);
  const [join] = toClient(tablet, "c_phone");
  one.letterOfClient(join, "c_tablet");
  await quiet(() => one.trust.vouching.newcomer);
  one.trust.turnAway();
  await quiet(() => toClient(one, "c_tablet").length === 1);
  one.letterOfClient(join, "c_tablet");
  await quiet(() => toClient(one, "c_tablet").length === 2);
  tablet.letterOfClient(toClient(one, "c_tablet")[0], "c_phone");
  await quiet(() => tablet.trust.news.tone === "bad");
  assert.match(tablet.trust.news.words, /did not let this browser in/);
  assert.equal(tablet.keys.links.size, 0);
  assert.ok(!one.letters().some((bytes) => nameOf(bytes) === "vouch"));
});

test("a second device with the link is refused and said so, and forged joins change nothing", async () => {
  const { one, k } = await voucher();
  const { voucher: { id }, secret } = linkSecretOf(k);
  assert.equal(secret.length, 32);
  const [thief, tablet] = [await ownKeys(), await newcomer(k)];
  const [join] = toClient(tablet, "c_phone");
  // A relay knows all public keys, but not the secret.
  one.letterOfClient(await joinLetterOf(thief, vouchingSecretOf(id, "c_phone"), base64urlOf(id), "Ada's tablet"), "c_tablet");
  for (let at = 1; at < join.length; at += 11) one.letterOfClient(Uint8Array.from(join, (byte, place) => (place === at ? byte ^ 1 : byte)), "c_tablet");
  one.letterOfClient(join, "c_tablet");
  await quiet(() => one.trust.vouching.newcomer);
  assert.equal(one.trust.vouching.newcomer.code, shortCodeOf(tablet.keys.mine.id));
  const other = await newcomer(k, { name: "Mallory" });
  const [late] = toClient(other, "c_phone");
  one.letterOfClient(late, "c_other");
  await quiet(() => toClient(one, "c_other").length);
  other.letterOfClient(toClient(one, "c_other")[0], "c_phone");
  await quiet(() => other.trust.news.tone === "bad");
  assert.match(other.trust.news.words, /Another device has used this link already/);
  assert.deepEqual(one.trust.vouching.said.map(({ words }) => words), ["Another device has this link, too, and was refused."]);
  assert.equal(one.trust.vouching.newcomer.name, "Ada's tablet");
  // The vouching browser no longer shows the link.
  one.trust.vouching.close();
  one.letterOfClient(join, "c_tablet");
  await one.trust.vouching.open("c_phone");
  assert.equal(one.trust.vouching.newcomer, null);
});

test("a host that lets this browser bring nobody, or does not answer, is said, and the newcomer is told of those that do", async () => {
  const { one, host, k } = await voucher();
  const tablet = await newcomer(k);
  one.letterOfClient(toClient(tablet, "c_phone")[0], "c_tablet");
  await quiet(() => one.trust.vouching.newcomer);
  one.trust.bring();
  await quiet(() => one.letters().some((bytes) => nameOf(bytes) === "vouch"));
  const vouch = last(one.letters());
  one.letter(new PlayedHost().receipt(vouch), host.id);
  one.letter(host.refuse(vouch, "notTrusted"), host.id);
  await quiet(() => toClient(one, "c_tablet").length);
  assert.deepEqual(one.trust.vouching.said.map(({ words }) => words), ["laptop does not let this browser bring others."]);
  tablet.letterOfClient(toClient(one, "c_tablet")[0], "c_phone");
  await quiet(() => tablet.trust.news.tone === "bad");
  assert.equal(tablet.trust.hosts.size, 0);

  const silent = await voucher();
  const next = await newcomer(silent.k);
  silent.one.letterOfClient(toClient(next, "c_phone")[0], "c_tablet");
  await quiet(() => silent.one.trust.vouching.newcomer);
  silent.one.trust.bring();
  await quiet(() => silent.one.letters().some((bytes) => nameOf(bytes) === "vouch"));
  for (let tries = 0; tries < triesMax; tries += 1) {
    await quiet(() => silent.one.clock.waiting);
    silent.one.clock.wait(rollEveryMs);
  }
  await quiet(() => silent.one.trust.vouching.said.length);
  assert.match(silent.one.trust.vouching.said[0].words, /whether it trusts the device is not known/);
  const vouches = silent.one.letters().filter((bytes) => nameOf(bytes) === "vouch");
  assert.deepEqual([vouches.length, new Set(vouches.map(base64urlOf)).size], [triesMax, 1], "the same one each time");
});

test("the newcomer asks until it has all hosts, also over a reload, and no longer than the link is good for", async () => {
  const [own, studio, desk] = [await ownKeys(), new PlayedHost(), new PlayedHost()];
  const k = vouchingSecretOf(own.id, "c_phone");
  const tablet = await newcomer(k);
  await quiet(() => tablet.clock.waiting);
  tablet.clock.wait(letterEveryMs);
  await quiet(() => toClient(tablet, "c_phone").length === 2);
  const [join, again] = toClient(tablet, "c_phone");
  assert.deepEqual(join, again);
  const pinOf = (host, name) => ({ sign: host.sign.point, box: host.box.point, name });
  const next = await device({ keys: tablet.keys, clock: tablet.clock });
  next.letterOfClient(await introductionLetterOf(own, k, join, pinOf(studio, "studio"), 2), "c_phone");
  await quiet(() => next.trust.hosts.size === 1);
  assert.equal(next.keys.links.size, 1);
  next.letterOfClient(await introductionLetterOf(own, k, join, pinOf(studio, "studio"), 2), "c_phone");
  next.letterOfClient(await introductionLetterOf(own, k, join, pinOf(desk, "desk"), 2), "c_phone");
  await quiet(() => next.trust.hosts.size === 2 && !next.keys.links.size);

  const late = await newcomer(k);
  late.clock.time += linkSecretMs;
  late.trust.stirred();
  await quiet(() => late.trust.news.tone === "bad");
  assert.match(late.trust.news.words, /The other device has not answered in ten minutes/);
});

test("an introduction is refused that was altered in any byte, is to another join, or of another device", async () => {
  const [own, thief, tablet, host] = [await ownKeys(), await ownKeys(), await ownKeys(), new PlayedHost()];
  const [k, id] = [vouchingSecretOf(own.id, "c_phone"), base64urlOf(own.id)];
  const join = await joinLetterOf(tablet, k, id, "tablet");
  assert.deepEqual((await newcomerOf(join, k, own.id)).id, tablet.id);
  const pin = { sign: host.sign.point, box: host.box.point, name: "laptop" };
  const introduction = await introductionLetterOf(own, k, join, pin, 1);
  const read = await introductionOf(introduction, k, id, join);
  assert.deepEqual([read.id, read.name, read.hosts], [host.id, "laptop", 1]);
  const [body, tag, signature] = parts(introduction.subarray(1));
  assert.deepEqual([tag.length, signature.length], [32, 64]);
  assert.deepEqual(body, Buffer.concat([domain("introduce"), counted(createHash("sha256").update(parts(join.subarray(1))[0]).digest()), counted(own.points.sign), counted(pin.sign), counted(pin.box), counted(Buffer.from("laptop")), long(1)]));
  for (let at = 0; at < introduction.length; at += 1) {
    await assert.rejects(introductionOf(Uint8Array.from(introduction, (byte, place) => (place === at ? byte ^ 1 : byte)), k, id, join), `byte ${at}`);
  }
  await assert.rejects(introductionOf(introduction, k, id, await joinLetterOf(tablet, k, id, "tablet")), /another letter/);
  await assert.rejects(introductionOf(await introductionLetterOf({ ...thief, id: own.id }, k, join, pin, 1), k, id, join), /another host's|not by/);
  await assert.rejects(introductionOf(await introductionLetterOf(own, vouchingSecretOf(own.id, "c_phone"), join, pin, 1), k, id, join), /introduce.tag/);
  assert.equal((await refusalOf(await refusalLetterOf(own, join, "notTrusted"), id, join)).reason, "notTrusted");
  await assert.rejects(newcomerOf(await joinLetterOf(own, k, id, "me"), k, own.id), /it is this device/);
  const vouch = await vouchLetterOf(own, host.id, await newcomerOf(join, k, own.id), 7);
  await assert.rejects(newcomerOf(vouch, k, own.id), /join: it begins otherwise/);
  for (const wrong of [k.slice(0, -30), `${k}${"A".repeat(60)}`]) assert.throws(() => linkSecretOf(wrong));
});

test("a vouch, an introduction and a link have the bytes of the other implementations' vectors", async () => {
  const [vectors, details] = ["vectors", "details"].map((name) => JSON.parse(readFileSync(new URL(`../ConsentTests/Fixtures/${name}.json`, import.meta.url), "utf8")));
  const bytes = (text) => new Uint8Array(Buffer.from(text, "base64url"));
  const point = (name) => bytes(vectors.keys[name].public);
  const own = { ...(await ownKeys()), id: bytes(vectors.deviceID), points: { sign: point("deviceSign"), box: point("deviceBox") } };
  const bodyOf = (letter) => parts(letter.subarray(1))[0].toString("base64url");
  assert.equal(bodyOf(await vouchLetterOf(own, vectors.hostID, { id: own.id, points: own.points, name: "Ada's phone" }, 41)), details.letters.vouch);
  const { pair } = vectors;
  const join = Uint8Array.of(1, ...[pair.join, pair.joinTag, pair.joinSignature].flatMap((text) => [...counted(bytes(text))]));
  const host = { sign: point("hostSign"), box: point("hostBox"), name: "Ada's laptop" };
  assert.equal(bodyOf(await introductionLetterOf(own, details.deviceLink, join, host, 3)), details.letters.introduce);
  const { voucher, secret } = linkSecretOf(details.deviceLink);
  assert.deepEqual([base64urlOf(voucher.id), voucher.client, base64urlOf(secret)], [vectors.deviceID, "c_phone", vectors.link.secret]);
});
