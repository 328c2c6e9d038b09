import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOfBase64url, decisionStatementOf, shortCodeOf, steeringStatementOf } from "../../web/consent.js";
import { sealsHere } from "../../web/ingress.js";
import { shownApproval } from "../../web/shown.js";
import { letterEveryMs, linkSecretMs, machineSecretMs } from "../../web/joining.js";
import { rollEveryMs } from "../../web/rolls.js";
import { PlayedHost } from "./played-host.mjs";
import { device, nameOf, quiet, trusted } from "./trusting-device.mjs";

const digest = "ab".repeat(32);
const rawRequest = (host) => approvalOf(host, {}, (approval) => approval).request;
function approvalOf(host, more = {}, read = shownApproval) {
  const event = { kind: "approval.requested", at: 7, head: { approval: "a1", kind: "tool", tool: "Bash", digest }, body: { input: { command: "ls" } } };
  const shown = JSON.stringify({ salt: "AAAAAAAAAAAAAAAAAAAAAA", host: host.id, session: "s1", event });
  return read({ approval: "a1", session: "s1", stage: "pending", request: { ...event, body: { shown } }, ...more });
}

async function isSigned(keys, signature, statement) {
  const point = await crypto.subtle.importKey("raw", keys.mine.points.sign, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, point, bytesOfBase64url(signature.split(".")[3], "signature"), statement);
}

test("a link that a person opened makes a host trust this browser, and both show the same code", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  const [[id, name]] = host.devices;
  assert.equal(name, "Ada's phone");
  assert.equal(one.trust.news.code, shortCodeOf(bytesOfBase64url(id, "id")));
  assert.match(one.trust.news.words, /^laptop trusts this browser now/);
  assert.equal(one.trust.hosts.get(host.id).name, "laptop");
  assert.deepEqual([...one.keys.links], [], "the secret is forgotten");
  assert.equal(one.trust.obstacle(host.id, "laptop"), "");
});

test("before a person says so nothing is sent, and saying no forgets it", async () => {
  const host = new PlayedHost();
  const one = await device();
  one.runs("s1", host.id);
  await one.trust.offered(host.k, false);
  assert.deepEqual([one.trust.asked, one.sent, one.keys.links.size], [host.k, [], 0]);
  one.trust.decline();
  await one.trust.accept();
  assert.deepEqual([one.trust.asked, one.sent, one.keys.mine], [null, [], undefined]);
});

test("a letter is sent again, the same one, until it is answered, also by the next visit", async () => {
  const host = new PlayedHost();
  const one = await device();
  await one.trust.offered(host.k, true);
  await quiet(() => one.letters().length === 1);
  await quiet(() => one.clock.waiting);
  one.clock.wait(letterEveryMs);
  await quiet(() => one.letters().length === 2);
  const next = await device({ keys: one.keys, clock: one.clock });
  await quiet(() => next.letters().length);
  assert.deepEqual(next.letters()[0], one.letters()[0]);
  assert.deepEqual(one.letters()[1], one.letters()[0]);
});

test("after ten minutes nobody is asked any more, and the person is told", async () => {
  const host = new PlayedHost();
  const one = await device();
  one.link.isLive = false;
  await one.trust.offered(host.k, true);
  await quiet(() => one.clock.waiting);
  one.clock.time += linkSecretMs;
  one.trust.stirred();
  await quiet(() => one.trust.news?.tone === "bad");
  assert.match(one.trust.news.words, /ten minutes/);
  assert.equal(one.keys.links.size, 0);
});

test("a second device with the same link is told so, and what a host refuses ends it", async () => {
  const host = new PlayedHost();
  const one = await device();
  one.runs("s1", host.id);
  await one.trust.offered(host.k, true);
  await quiet(() => one.letters().length);
  one.letter(host.refuse(one.letters()[0], "usedSecret"), host.id);
  await quiet(() => one.trust.news?.tone === "bad");
  assert.match(one.trust.news.words, /^Another device has used this code already\. .* heliograph host devices on laptop/);
  assert.equal(one.trust.hosts.size, 0);
  assert.equal(one.keys.links.size, 0);
});

test("what the relay makes up as an answer changes nothing", async () => {
  const [host, relay] = [new PlayedHost(), new PlayedHost()];
  relay.secret = Buffer.alloc(32);
  const one = await device();
  await one.trust.offered(host.k, true);
  await quiet(() => one.letters().length);
  const [join] = one.letters();
  for (const [bytes, from] of [[host.admit(join), relay.id], [relay.refuse(join, "usedSecret"), host.id], [new Uint8Array(9), host.id], [host.admit(join), "__proto__"], [host.admit(join), "constructor"]]) one.letter(bytes, from);
  one.trust.received({ type: "letter", from: host.id, bytes: "no base64url!" });
  one.letter(host.admit(join), host.id);
  await quiet(() => one.trust.hosts.size);
  assert.deepEqual([...one.trust.hosts.keys()], [host.id]);
});

test("a link for all hosts of a machine asks each that wants signatures, and is for those that know it", async () => {
  const [host, stranger, late] = [new PlayedHost(), new PlayedHost(), new PlayedHost()];
  const one = await device();
  one.runs("s1", host.id);
  one.runs("s2", stranger.id, "other");
  one.runs("s3", undefined);
  one.runs("s4", "no key");
  await one.trust.offered(host.machineK, true);
  await quiet(() => one.letters().length === 2);
  const joins = Object.fromEntries(one.sent.map(({ to, bytes }) => [to, bytesOfBase64url(bytes, "letter")]));
  one.letter(host.admit(joins[host.id]), host.id);
  one.letter(stranger.refuse(joins[stranger.id], "unknownSecret"), stranger.id);
  await quiet(() => one.keys.links.get(host.machineK).answered.length === 2);
  assert.deepEqual([...one.trust.hosts.keys()], [host.id]);
  assert.equal(one.trust.news.tone, "good", "that another machine knows nothing of it is no news");
  one.sent.length = 0;
  one.runs("s5", late.id, "demo");
  one.trust.met();
  await quiet(() => one.letters().length);
  assert.deepEqual(one.sent.map(({ to }) => to), [late.id]);
});

test("a relay's link waits for the first host of its machine for a day, without a word", async () => {
  const host = new PlayedHost();
  const one = await device();
  await one.trust.offered(host.machineK, true);
  await quiet(() => one.keys.links.size);
  assert.deepEqual([one.trust.news, one.clock.waiting, one.letters().length], [null, 0, 0], "nothing is under way");
  one.clock.time += machineSecretMs - 1;
  // The approval arrives before its session's offer, as from hosts that cannot be steered.
  one.state.approvals.set("s1/a1", approvalOf(host, {}, (approval) => approval));
  one.trust.met();
  await quiet(() => one.letters().length);
  one.letter(host.admit(one.letters()[0], { name: "Ada's laptop" }), host.id);
  await quiet(() => one.trust.hosts.size);
  assert.match(one.trust.news.words, /^Ada's laptop trusts this browser now/);
  one.runs("s1", host.id, "what the relay says");
  one.trust.met();
  assert.equal(one.trust.hosts.get(host.id).name, "Ada's laptop");
  const late = await device({ keys: one.keys, clock: one.clock });
  one.clock.time += 1;
  late.runs("s2", new PlayedHost().id);
  late.trust.met();
  await quiet(() => one.keys.links.size === 0);
  assert.deepEqual([late.letters(), late.trust.news], [[], null]);
});

test("a damaged link says so", async () => {
  const one = await device();
  await one.trust.offered("AAAA", true);
  assert.match(one.trust.news.words, /damaged/);
});

test("a decision is signed over what was shown, with all that goes with it", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  const approval = approvalOf(host);
  const { text } = { text: JSON.stringify({ salt: "AAAAAAAAAAAAAAAAAAAAAA", host: host.id, session: "s1", event: approval.request }) };
  for (const verdict of [{ decision: "allow", mode: "plan" }, { decision: "deny", message: "no" }, { decision: "answer", answers: [{ question: "q", choices: ["a"] }] }, { decision: "deny" }]) {
    const { verdict: given, signature } = await one.trust.signedDecision(approval, verdict);
    assert.deepEqual(given, verdict);
    const statement = await decisionStatementOf({ hostID: new Uint8Array(host.idBytes), session: "s1", approval: "a1", text, digest, verdict, issuedAt: Number(signature.split(".")[2]), deviceID: one.keys.mine.id });
    assert.ok(await isSigned(one.keys, signature, statement), verdict.decision);
  }
});

test("where no host trusts this browser only a plain denial goes, unsigned", async () => {
  const host = new PlayedHost();
  const one = await device();
  one.runs("s1", host.id);
  const approval = approvalOf(host);
  assert.match(one.trust.approvalObstacle(approval, "laptop"), /^This device is not trusted by laptop yet\. At that machine run heliograph host trust and scan what it shows\.$/);
  assert.deepEqual(await one.trust.signedDecision(approval, { decision: "deny" }), { verdict: { decision: "deny" } });
  for (const verdict of [{ decision: "allow" }, { decision: "deny", message: "no" }, { decision: "deny", offer: "o1" }, { decision: "answer", answers: [] }]) {
    await assert.rejects(one.trust.signedDecision(approval, verdict), { code: "notSigned" });
  }
});

test("a signed host's approval without its text can only be denied", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  const { request, ...rest } = approvalOf(host);
  assert.match(one.trust.approvalObstacle({ ...rest, request: structuredClone(request) }, "laptop"), /^The relay left out what its host showed/);
  assert.match(one.trust.approvalObstacle(shownApproval({ ...rest, request: { ...request, body: { shown: "{}" } } }), "laptop"), /cannot be read/);
  assert.equal(one.trust.approvalObstacle(approvalOf(host), "laptop"), "");
  one.runs("s2", undefined);
  assert.equal(one.trust.approvalObstacle({ ...rest, session: "s2", request: structuredClone(request) }, "laptop"), "");
});

test("what gives an agent more freedom is signed with a count that rises; the rest is sent as it is", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  const of = (command) => one.trust.signed({ session: "s1", ...command }, "c1");
  let last = 0;
  for (const command of [{ type: "prompt", text: "go on" }, { type: "mode", mode: "plan" }, { type: "model", model: "m" }, { type: "askAll", on: false }, { type: "ruleOff", rule: "tests" }, { type: "ruleAdd", toml: "[[rule]]" }, { type: "ruleChange", rule: "tests", toml: "[[rule]]" }, { type: "start", project: "p", agent: "a" }, { type: "resume", past: "x", project: "p", agent: "a" }]) {
    const signed = await of(command);
    const count = Number(signed.signature.split(".")[2]);
    assert.ok(count > last, `${count} after ${last}`);
    last = count;
    const { signature, ...plain } = signed;
    assert.ok(await isSigned(one.keys, signature, await steeringStatementOf({ hostID: new Uint8Array(host.idBytes), id: "c1", command: plain, count, deviceID: one.keys.mine.id })), command.type);
  }
  for (const command of [{ type: "interrupt" }, { type: "stop" }, { type: "askAll", on: true }, { type: "past", project: "p", agent: "a" }, { type: "withdraw", client: "c", command: "x" }]) {
    assert.equal((await of(command)).signature, undefined, command.type);
  }
  one.runs("s2", undefined);
  assert.deepEqual(await one.trust.signed({ type: "prompt", session: "s2", text: "x" }, "c1"), { type: "prompt", session: "s2", text: "x" });
});

test("what is sent to a host that seals is signed as it leaves, sealed, and never without that", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  one.trust.hosts.get(host.id).epochs = new Map([[1, {}]]);
  const prompt = { type: "prompt", session: "s1", text: "go on" };
  const denial = { decision: "deny", message: "no" };
  await assert.rejects(one.trust.signed(prompt, "c1"), { code: "notSigned" });
  await assert.rejects(one.trust.signedDecision(approvalOf(host), denial), { code: "notSigned" });
  one.trust.sealer = { command: async (command, id) => ({ ...command, text: `sealed.${id}` }), verdict: async ({ approval }, verdict) => ({ ...verdict, message: `sealed.${approval}` }) };
  const { signature, ...sent } = await one.trust.signed(prompt, "c1");
  assert.deepEqual(sent, { ...prompt, text: "sealed.c1" });
  const statement = await steeringStatementOf({ hostID: new Uint8Array(host.idBytes), id: "c1", command: sent, count: Number(signature.split(".")[2]), deviceID: one.keys.mine.id });
  assert.ok(await isSigned(one.keys, signature, statement));
  const decided = await one.trust.signedDecision(approvalOf(host), denial);
  assert.equal(decided.verdict.message, "sealed.a1");
  const text = JSON.stringify({ salt: "AAAAAAAAAAAAAAAAAAAAAA", host: host.id, session: "s1", event: approvalOf(host).request });
  const about = { hostID: new Uint8Array(host.idBytes), session: "s1", approval: "a1", text, digest, verdict: decided.verdict, issuedAt: Number(decided.signature.split(".")[2]), deviceID: one.keys.mine.id };
  assert.ok(await isSigned(one.keys, decided.signature, await decisionStatementOf(about)));
});

test("a prompt for a host that does not trust this browser goes nowhere", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  await one.trust.forget(host.id);
  await assert.rejects(one.trust.signed({ type: "prompt", session: "s1", text: "x" }, "c1"), { code: "notSigned" });
  assert.match(one.trust.steeringObstacle("s1", "laptop"), /not trusted by laptop/);
  assert.equal(one.trust.steeringObstacle("s9", "laptop"), "");
});

test("a browser that cleared its keys says so, and gets others by the next link", async () => {
  const host = new PlayedHost();
  const { storage, trust: before } = await trusted(host);
  const one = await device({ storage });
  assert.equal(one.trust.isLost, true);
  assert.match(one.trust.obstacle(host.id, "laptop"), /^This browser has cleared its keys, so laptop does not trust it any more\. At that machine run heliograph host trust/);
  one.runs("s1", host.id);
  await one.trust.offered(host.k, true);
  assert.equal(one.trust.isLost, false);
  assert.notEqual(one.trust.code, before.code);
});

test("the worker can look up approvals from the first host on that wants signatures", async () => {
  const one = await device();
  one.runs("s1", undefined);
  one.trust.met();
  assert.equal(one.keys.besides.get("page"), undefined);
  one.runs("s2", new PlayedHost().id);
  one.trust.met();
  await quiet(() => one.keys.besides.get("page") === "hgk_1");
});

test("a device that a host trusts since is announced until a person has read it, and can be told to go", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  await quiet(() => one.asks().length === 1);
  const [ask] = one.asks();
  const own = [...host.devices.keys()][0];
  const old = { id: Buffer.alloc(16, 1), name: "Old tablet", since: 5 };
  const come = { id: Buffer.alloc(16, 2), name: "Bob's phone", since: 9, by: old.id };
  const self = { id: Buffer.from(own, "base64url"), name: "Ada's phone", since: 7 };
  one.letter(host.roll(ask, [self, old]), host.id);
  await quiet(() => one.trust.devicesOf(host.id).length === 2);
  assert.match(one.trust.news.words, /^laptop trusts this browser now/, "those that were there are no news");
  one.trust.dismiss();
  one.letter(host.roll(ask, [come, self, old]), host.id);
  await quiet(() => one.trust.news);
  assert.match(one.trust.news.words, /^Bob's phone \(0810-40G2-0810-40G2\) is now trusted by laptop, brought by Old tablet\. Was that not you\?/);
  // The next visit announces the device again, until a person has read that.
  const next = await device({ keys: one.keys, clock: one.clock });
  next.runs("s1", host.id);
  next.trust.met();
  await quiet(() => next.asks().length);
  next.letter(host.roll(next.asks()[0], [come, self, old]), host.id);
  await quiet(() => next.trust.news?.newcomer);
  one.trust.distrust(host.id, one.trust.news.newcomer.device);
  await quiet(() => one.letters().some((bytes) => nameOf(bytes) === "distrust"));
  const distrust = one.letters().at(-1);
  assert.ok(Buffer.from(distrust).includes(come.id), "this device and no other");
  one.letter(host.receipt(distrust), host.id);
  await quiet(() => one.trust.news.tone === "good");
  assert.match(one.trust.news.words, /^laptop does not trust Bob's phone any more/);
  one.letter(host.roll(ask, [self, old]), host.id);
  await quiet(() => one.trust.devicesOf(host.id).length === 2);
  next.trust.dismiss();
  await quiet(() => one.keys.pins.get(host.id).known.length === 3);
});

test("each device that came since this browser is announced, one after the other, also before the first roll", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  await quiet(() => one.asks().length === 1);
  const self = { id: Buffer.from([...host.devices.keys()][0], "base64url"), name: "Ada's phone", since: 7 };
  const [carol, bob, old] = ["Carol's phone", "Bob's phone", "Old tablet"].map((name, at) => ({ id: Buffer.alloc(16, at + 2), name, since: 9 - at }));
  one.letter(host.roll(one.asks()[0], [carol, bob, self, old]), host.id);
  await quiet(() => one.trust.news?.newcomer);
  assert.match(one.trust.news.words, /^Bob's phone/);
  one.trust.dismiss();
  await quiet(() => /^Carol's phone/.test(one.trust.news.words));
  // If storage fails, the note disappears nevertheless, and returns with the host's next list.
  const { pin } = one.keys;
  one.keys.pin = () => Promise.reject(new Error("full"));
  one.trust.dismiss();
  await quiet(() => one.trust.news === null);
  one.keys.pin = pin;
  one.letter(host.roll(one.asks()[0], [carol, bob, self, old]), host.id);
  await quiet(() => one.trust.news?.newcomer);
  one.trust.dismiss();
  await quiet(() => one.trust.news === null);
});

test("a roll that is altered, or of another host, or for another letter, says nothing", async () => {
  const [host, other] = [new PlayedHost(), new PlayedHost()];
  const one = await trusted(host);
  await quiet(() => one.asks().length === 1);
  const [ask] = one.asks();
  const come = { id: Buffer.alloc(16, 2), name: "Bob's phone", since: 9 };
  const good = host.roll(ask, [come]);
  for (const place of [20, 150, 190, good.length - 1]) one.letter(good.map((byte, at) => (at === place ? byte ^ 1 : byte)), host.id);
  one.letter(other.roll(ask, [come]), host.id);
  one.letter(host.roll(host.receipt(ask), [come]), host.id);
  one.letter(good, other.id);
  one.letter(good, host.id);
  await quiet(() => one.trust.devicesOf(host.id).length === 1);
  assert.deepEqual(one.keys.pins.get(host.id).known, [come.id.toString("base64url")], "the first that was right");
  one.link.isLive = false;
  one.trust.stirred();
  one.link.isLive = true;
  one.clock.wait(rollEveryMs);
  await quiet(() => one.asks().length > 1);
  assert.notDeepEqual(one.asks().at(-1), ask, "another connection, another letter");
});

test("without TLS nothing is signed, and the reason is said", async () => {
  const host = new PlayedHost();
  const one = await device({ isSecure: false });
  assert.match(one.trust.obstacle(host.id, "laptop"), /without TLS/);
  await one.trust.offered(host.k, true);
  assert.equal(one.trust.news.tone, "bad");
  assert.equal(one.keys.mine, undefined);
});

test("what another tab did is known here, and logging out leaves nothing", async () => {
  const host = new PlayedHost();
  const one = await trusted(host);
  const other = await device({ keys: one.keys, storage: one.storage });
  assert.deepEqual([...other.trust.hosts.keys()], [host.id]);
  assert.equal(one.storage.has(sealsHere), false);
  await one.trust.keep({ id: host.id, epochs: new Map([[1, {}]]) });
  assert.equal(one.storage.has(sealsHere), true);
  await one.trust.forget(host.id);
  await other.trust.changedElsewhere();
  await quiet(() => other.trust.hosts.size === 0);
  await one.trust.loggedOut();
  assert.deepEqual([one.keys.mine, one.storage.size, one.trust.code], [undefined, 0, ""]);
  one.keys.forget = () => Promise.reject(new Error("the disk"));
  await assert.rejects(one.trust.loggedOut(), "the page says that its keys are still there");
});

for (const [how, message] of [
  ["a decision", (host) => ({ type: "approval", approval: { ...approvalOf(host), request: rawRequest(host), stage: "stale", reason: "restored" } })],
  ["a prompt", () => ({ type: "events", session: "s1", epoch: "e", first: 1, events: [{ kind: "steering.changed", at: 1, head: { client: "c", command: "x", stage: "refused", reason: "The host was restored from older files and waits for this device to confirm its count." } }] })],
]) {
  test(`a restored host that refused ${how} is told the count again, in its own generation`, async () => {
    const host = new PlayedHost();
    const one = await trusted(host);
    const generation = Buffer.alloc(16, 5);
    one.sent.length = 0;
    one.trust.received(message(host));
    one.trust.received(message(host));
    await quiet(() => one.letters().length === 1);
    one.letter(host.refuse(one.letters()[0], "restored", generation), host.id);
    await quiet(() => one.letters().length === 2);
    const body = Buffer.from(one.letters()[1]);
    assert.ok(body.includes(generation) && !body.includes(Buffer.concat([Buffer.from("bump\0"), Buffer.alloc(40)])));
    one.letter(host.receipt(one.letters()[1]), host.id);
    await quiet(() => one.trust.news.words.includes("restored"));
    assert.equal(one.trust.news.tone, "good");
    assert.equal(one.letters().length, 2);
  });
}
