import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { learned } from "../../web/epochs.js";
import { rowsWith } from "../../web/find.js";
import { asSent, Ingress, sealsHere } from "../../web/ingress.js";
import { Kept } from "../../web/kept.js";
import { Opening } from "../../web/opening.js";
import { shownEvent, consentOf, shownApproval } from "../../web/shown.js";
import { noSieve, passes } from "../../web/sieve.js";
import { apply, emptyState, takeHistory } from "../../web/store.js";
import { ownKeys } from "./own-keys.mjs";
import { SealingHost } from "./sealing-host.mjs";

const session = "s1";
// Fakes the browser's global `reportError`, and fails the test.
globalThis.reportError = (error) => process.nextTick(() => { throw error; });

/** A fake page with the parts that open sealed content. */
async function page({ host = new SealingHost(), isTrusted = true, hasKey = true } = {}) {
  const state = emptyState();
  const own = await ownKeys();
  const trust = { ready: Promise.resolve(), hosts: new Map(), keep: async (part) => void kept.push(part) };
  const pin = (one = host) => trust.hosts.set(one.id, { id: one.id, sign: one.sign.point, box: new Uint8Array(one.box.point), name: one.name, since: 0 });
  if (isTrusted) pin();
  const clock = { time: 1_000_000 };
  const [again, kept] = [[], []];
  const opening = new Opening({ trust, own: async () => own, now: () => clock.time, again: (name) => again.push(name), summary: (name) => state.sessions.get(name) ?? state.hosts.get(name) });

  let loads = 0;
  const ingress = new Ingress(async () => { loads += 1; ingress.opener = opening; });
  const taken = [];
  const say = (message) => ingress.through([message], (opened) => opened.forEach((one) => { taken.push(one); apply(state, one); }));
  const settled = () => new Promise((resolve) => ingress.through([{ type: "notice" }], resolve));
  const tell = async (message) => { say(message); await settled(); };
  const welcome = (sessions = [], more = {}) => tell({ type: "snapshot", sessions: [host.summary(host.desk, 1, { steering: host.offer(host.desk, { projects: [{ name: "webshop", folder: "~/webshop" }], wraps: hasKey ? host.wraps(own) : [] }) }), ...sessions], approvals: [], ...more });
  const snapshot = (first, events, more = {}) => tell({ type: "snapshot", session, epoch: "e", first, seq: first + events.length - 1, events, approvals: [], summary: host.summary(session, first + events.length - 1, { line: { title: "Fix the login" } }), ...more });
  const live = (first, ...events) => tell({ type: "events", session, epoch: "e", first, events });
  const rows = () => state.logs.get(session).timeline.rows.map(({ event: { kind, head, body } }) => (kind === "sealing" ? `! ${head.words}` : kind === "message" ? body.text : kind));
  return { host, own, trust, pin, clock, again, kept, opening, state, ingress, taken, say, tell, settled, welcome, snapshot, live, rows, loads: () => loads };
}

const repeated = "! Not shown: the relay repeated or reordered events";
const unopened = "! Cannot be opened: it was changed on the way, or sealed for another place";
const missing = (count) => `! ${count === 1 ? "1 event is missing here: the relay has not delivered it" : `${count} events are missing here: the relay has not delivered them`}`;
const oldKey = "! Not shown: sealed with a key that is no longer used";
const unsealed = "! Not sealed: the relay could have written this";

test("a list, a log and what follows are those of another host, once opened", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 3, { line: { title: "Fix the login – grün", project: "webshop", cwd: "~/webshop", operation: "Running make", current: "Tests" }, operation: "Works on something sealed", todo: { completed: 1, total: 2, current: "A sealed task" } })]);
  const summary = one.state.sessions.get(session);
  assert.deepEqual([summary.title, summary.project, summary.cwd, summary.operation, summary.todo], ["Fix the login – grün", "webshop", "~/webshop", "Running make", { completed: 1, total: 2, current: "Tests" }]);
  assert.deepEqual(one.state.hosts.get(host.desk).steering.projects, [{ name: "webshop", folder: "~/webshop" }]);
  // The relay says whether a request still waits: it may have expired there.
  const line = { operation: "Running make", asks: "Run: rm" };
  for (const [operation, shown] of [["A sealed request", "Run: rm"], ["Works on something sealed", "Running make"]]) {
    await one.tell({ type: "summary", summary: host.summary(session, 3, { line, operation }) });
    assert.equal(one.state.sessions.get(session).operation, shown);
  }
  host.numbers.clear();
  await one.snapshot(1, [host.message(session, "one"), host.message(session, "two")]);
  await one.live(3, host.message(session, "three"));
  assert.deepEqual(one.rows(), ["one", "two", "three"]);
  await one.tell({ type: "deltas", session, message: "m1", text: host.live(session, "m1", "fou") });
  assert.equal(one.state.logs.get(session).unfinished.get("m1").text, "fou");
  assert.equal(one.loads(), 1);
  // The search finds opened text.
  assert.deepEqual(rowsWith(one.state.logs.get(session).timeline.rows, "thr"), ["e:3"]);
  const isFound = (words) => passes(summary, { ...noSieve(), words }, () => "Running");
  assert.deepEqual([isFound("grün"), isFound("Sealed")], [true, false]);
});

test("what has nothing sealed goes straight through, and nothing overtakes what is being opened", async () => {
  const one = await page();
  const plain = { ...one.host.summary("p1", 1), title: "Plain", steering: undefined, host: { id: "h2", name: "server", connected: true } };
  one.say({ type: "summary", summary: plain });
  assert.equal(one.state.sessions.get("p1").title, "Plain", "at once");
  assert.equal(one.loads(), 0);
  await one.welcome([plain]);
  one.say({ type: "summary", summary: one.host.summary(session, 1, { line: { title: "Sealed" } }) });
  one.say({ type: "summary", summary: { ...plain, seq: 2, title: "Plain again" } });
  assert.equal(one.state.sessions.get("p1").title, "Plain");
  await one.settled();
  assert.deepEqual(one.taken.slice(-2).map(({ summary }) => summary.title), ["Sealed", "Plain again"]);
});

test("an event that the relay drops is missing, in what comes live, in a snapshot and between pages", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const events = Array.from({ length: 12 }, (_, at) => host.message(session, String(at + 1)));
  await one.snapshot(21, [events[4], events[6]]);
  await one.live(23, events[9]);
  assert.deepEqual(one.rows(), ["5", missing(1), "7", missing(2), "10"]);
  one.ingress.through([{ type: "reply", session, first: 19, events: [events[0], events[1]] }], ([opened]) => takeHistory(one.state, session, opened));
  await one.settled();
  assert.deepEqual(one.rows(), ["1", "2", missing(2), "5", missing(1), "7", missing(2), "10"]);
});

test("what is repeated, or in another order, is said and not shown", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const [first, second, third] = [1, 2, 3].map((text) => host.message(session, String(text)));
  await one.snapshot(1, [first, second]);
  await one.live(3, second);
  await one.live(4, first);
  await one.live(5, third);
  assert.deepEqual(one.rows(), ["1", "2", repeated, "3"]);
  const other = await page({ host });
  await other.welcome();
  await other.snapshot(1, [first, third, second]);
  assert.deepEqual(other.rows(), ["1", missing(1), "3", repeated]);
});

test("what is of another session, another host, another kind, or was changed does not open", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const stranger = new SealingHost();
  const of = (event) => ({ ...event, kind: "message", head: { role: "assistant" } });
  const [good, other, foreign, kind, changed] = [host.message(session, "good"), host.message("s2", "another session's"), stranger.message(session, "another host's"),
    of(host.event(session, { kind: "error", head: { message: "x" } })), host.message(session, "changed")];
  changed.body.sealed = `${changed.body.sealed.slice(0, -3)}AAA`;
  for (const [at, event] of [other, foreign, kind, changed, { kind: "message", at: 1, head: { role: "assistant", summary: "by the relay" }, body: { sealed: "" } }].entries()) {
    await one.snapshot(1, [good, event]);
    assert.equal(one.rows().length, 2);
    assert.match(one.rows()[1], /^! Cannot be opened: /, `${at}`);
  }
  const head = { ...good, head: { role: "user", summary: "another head" } };
  await one.snapshot(1, [head]);
  assert.deepEqual(one.state.logs.get(session).events[0].head, { role: "assistant" }, "heads are for the relay");
});

test("once a host has a new key, what the old one seals is not shown", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 2)]);
  await one.snapshot(1, [host.message(session, "1"), host.message(session, "2")]);
  host.turn();
  await one.welcome([host.summary(session, 3)]);
  await one.live(3, host.message(session, "under way", { epoch: 1 }));
  one.clock.time += 60_000;
  // An attacker with the relay and a host's old key.
  const forged = host.message(session, "forged", { epoch: 1 });
  await one.live(4, forged);
  await one.tell({ type: "summary", summary: { ...host.summary(session, 4), line: host.line(session, { title: "Forged" }, { epoch: 1, number: 99 }) } });
  assert.equal(one.state.sessions.get(session).title, "Fix the login");
  await one.live(5, host.message(session, "4", { number: 4 }));
  await one.live(6, host.message(session, "5", { number: 5, epoch: 1 }));
  assert.deepEqual(one.rows(), ["1", "2", "under way", oldKey, "4", oldKey]);
});

test("each new key has its own time, however soon the next one comes", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  await one.snapshot(1, [host.message(session, "1")]);
  for (let epoch = 2; epoch <= 4; epoch += 1) {
    host.turn();
    await one.welcome([host.summary(session, 1)]);
    one.clock.time += 20_000;
  }
  await one.live(2, host.message(session, "forged", { epoch: 1 }));
  await one.live(3, host.message(session, "3", { number: 2, epoch: 3 }));
  assert.deepEqual(one.rows(), ["1", oldKey, "3"]);
});

test("what is not sealed is not shown, but for what the relay tells itself and what was before", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const plain = { kind: "message", at: 1, head: { role: "assistant" }, body: { text: "plain" } };
  const crossed = { kind: "budget.crossed", at: 1, head: { level: 50, scope: "session", microUSD: 1, spentMicroUSD: 1 } };
  host.from = 2;
  host.numbers.set(session, 1);
  await one.snapshot(1, [plain, host.message(session, "2"), crossed, plain]);
  await one.live(5, plain);
  await one.live(6, host.message(session, "3"));
  assert.deepEqual(one.rows(), ["plain", "2", "budget.crossed", unsealed, "3"]);
  const { state, rows, live, snapshot, welcome } = await page({ host });
  await welcome();
  await snapshot(1, [plain]);
  await live(2, plain);
  assert.deepEqual(rows(), ["plain", unsealed], "also where nothing sealed has come");
  assert.equal(state.logs.get(session).events.length, 2);
  host.from = undefined;
  const silent = await page({ host });
  await silent.welcome();
  await silent.snapshot(1, [plain]);
  assert.deepEqual(silent.rows(), [unsealed], "a host that does not say since when it seals");
  const inflated = await page({ host });
  await inflated.welcome([{ ...host.summary(session, 1), seq: 2 ** 50 }]);
  await inflated.snapshot(1, [plain]);
  assert.deepEqual(inflated.rows(), [unsealed], "whatever the relay counts");
});

test("what the relay says that it skipped is said once", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const events = Array.from({ length: 6 }, (_, at) => host.message(session, String(at + 1)));
  const said = "! The relay says that 3 events are missing here, as its host could not keep them";
  const skip = { kind: "truncated", at: 1, head: { count: 3 } };
  await one.snapshot(1, [events[0], skip, events[4]]);
  assert.deepEqual(one.rows(), ["1", said, "5"]);
  const other = await page({ host });
  await other.welcome();
  await other.snapshot(1, [events[0], skip, events[5]]);
  assert.deepEqual(other.rows(), ["1", said, missing(4), "6"], "a word that is not the hole");
});

test("a line is the newest that came, and one that does not open is said", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const lined = (seq, title, number) => ({ ...host.summary(session, seq), line: host.line(session, { title }, { number }) });
  await one.tell({ type: "summary", summary: lined(9, "new", 9) });
  await one.tell({ type: "summary", summary: lined(10, "old", 3) });
  assert.equal(one.state.sessions.get(session).title, "new");
  await one.tell({ type: "summary", summary: { ...host.summary(session, 11), line: host.line("s2", { title: "another's" }, { number: 20 }) } });
  const summary = one.state.sessions.get(session);
  assert.deepEqual([summary.title, summary.operation], ["new", unopened.slice(2)]);
});

test("an offer is the newest that came", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const [older, newer] = [["/deploy"], ["/deploy", "/review"]].map((commands) => host.offer(session, { commands }));
  await one.tell({ type: "summary", summary: host.summary(session, 5, { steering: newer }) });
  await one.tell({ type: "summary", summary: host.summary(session, 6, { steering: older }) });
  assert.deepEqual(one.state.sessions.get(session).steering.commands, ["/deploy", "/review"]);
  const aliased = await one.opening.command({ type: "prompt", session, text: "/review the login", command: true }, "c1");
  assert.equal(aliased.text.split(" ")[0], host.alias("/review"));
  assert.equal(host.read(session, "c1", aliased.text.split(" ")[1]), "the login");
});

test("without a key there is one sentence, and no stand-in passes for content", async () => {
  const one = await page({ isTrusted: false });
  const { host } = one;
  await one.welcome([host.summary(session, 2, { line: { title: "Fix the login" }, operation: "Works on something sealed" })]);
  assert.equal(one.state.sessions.get(session).title, "Sealed session");
  assert.deepEqual(one.state.hosts.get(host.desk).steering.projects, []);
  await one.snapshot(1, [host.message(session, "1"), host.message(session, "2")]);
  await one.live(3, host.message(session, "3"));
  assert.deepEqual(one.rows(), ["! What is said here is sealed for the devices that laptop trusts. At that machine run heliograph host trust and scan what it shows, or let a device that it trusts bring this browser."]);
  await assert.rejects(one.opening.command({ type: "prompt", session, text: "go on" }, "c1"), { code: "notSigned" });
  // The person pairs with the host, which pins it; then the host sends another event.
  one.pin();
  await one.tell({ type: "letter", from: host.id, bytes: "" });
  assert.equal(one.kept[0].epochs.size, 1);
  assert.equal(one.state.sessions.get(session).title, "Fix the login");
  assert.deepEqual(one.again, [session]);
});

test("what was closed opens when its key comes, without anybody doing anything", async () => {
  const one = await page({ hasKey: false });
  const { host } = one;
  await one.welcome([host.summary(session, 2, { line: { title: "Fix the login" } })]);
  await one.snapshot(1, [host.message(session, "1"), host.message(session, "2")]);
  assert.match(one.rows()[0], /^! Sealed with a key that laptop has not given to this browser\. It is asked for when laptop is next there/);
  await one.tell({ type: "summary", summary: host.summary(host.desk, 2, { steering: host.offer(host.desk, { projects: [], wraps: host.wraps(one.own) }) }) });
  assert.equal(one.state.sessions.get(session).title, "Fix the login");
  assert.deepEqual(one.again, [session]);
  assert.equal(one.kept[0].epochs.get(1).extractable, false);
});

test("with the host its keys are forgotten, and nothing more opens until it is trusted again", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  await one.snapshot(1, [host.message(session, "1")]);
  one.trust.hosts.clear();
  await one.live(2, host.message(session, "2"));
  assert.match(one.rows()[1], /^! What is said here is sealed for the devices that laptop trusts/);
  one.clock.time += 1;
  one.pin();
  one.trust.hosts.get(host.id).since = one.clock.time;
  await one.tell({ type: "letter", from: host.id, bytes: "" });
  assert.deepEqual(one.again, [session]);
  await one.snapshot(1, [host.message(session, "1", { number: 1 }), host.message(session, "2", { number: 2 })]);
  assert.deepEqual(one.rows(), ["1", "2"]);
});

test("a session that has opened is its host's, as long as that is trusted", async () => {
  const one = await page();
  const { host } = one;
  host.turn();
  await one.welcome([host.summary(session, 2, { line: { title: "Before" } })]);
  await one.snapshot(1, [host.message(session, "1"), host.message(session, "2")]);
  const other = new SealingHost();
  other.name = "server";
  one.pin(other);
  await one.tell({ type: "summary", summary: other.summary(other.desk, 1, { host: { id: "h2", name: "server", connected: true }, steering: other.offer(other.desk, { projects: [], wraps: other.wraps(one.own) }) }) });
  const taken = () => one.tell({ type: "summary", summary: other.summary(session, 3, { line: { title: "Another's" }, host: { id: "h2", name: "laptop", connected: true } }) });
  await taken();
  assert.deepEqual([one.state.sessions.get(session).title, one.state.sessions.get(session).host.name], ["Fix the login", "laptop"]);
  await one.live(3, other.message(session, "3"));
  assert.equal(one.rows().at(-1), unopened);
  one.trust.hosts.delete(host.id);
  await taken();
  assert.deepEqual([one.state.sessions.get(session).title, one.state.sessions.get(session).host.name], ["Another's", "server"], "by the name that it had when it was trusted");
});

test("a relay that names no host leaves what it says of it closed", async () => {
  const one = await page();
  await one.tell({ type: "summary", summary: { ...one.host.summary(session, 1), steering: { actions: [], consent: "no key", seals: true, sealed: "x", wraps: [{}] } } });
  assert.equal(one.state.sessions.get(session).title, "Sealed session");
});

test("a wrap for another device, or of another host's key, is none", async () => {
  const one = await page({ hasKey: false });
  const { host } = one;
  const [other, stranger] = [await ownKeys(), new SealingHost()];
  const [mine] = host.wraps(one.own);
  const device = mine.device;
  for (const wraps of [host.wraps(other), [{ ...host.wraps(other)[0], device }], [{ ...stranger.wraps(one.own)[0], device }], [{ ...mine, epoch: 2 }], [{ ...mine, wrap: "" }], "no list", [null]]) {
    await one.tell({ type: "summary", summary: host.summary(host.desk, 2, { steering: { ...host.offer(host.desk, { projects: [] }), wraps } }) });
  }
  assert.equal(one.kept.length, 0);
});

test("one that joined late reads from then on", async () => {
  const host = new SealingHost();
  const one = await page({ host, hasKey: false });
  const before = [host.message(session, "before"), host.message(session, "before, too")];
  host.turn();
  await one.tell({ type: "snapshot", sessions: [host.summary(host.desk, 1, { steering: host.offer(host.desk, { projects: [], wraps: host.wraps(one.own, [2]) }) })], approvals: [] });
  await one.snapshot(1, [...before, host.message(session, "after")]);
  assert.equal(one.rows().length, 2);
  assert.match(one.rows()[0], /^! Sealed with a key .* what was said before it trusted this browser may stay sealed\.$/);
  assert.equal(one.rows()[1], "after");
  assert.deepEqual(one.again, []);
});

// Approvals, and persons' words

const digest = "ab".repeat(32);
const shown = (host, approval, event) => ({ shown: JSON.stringify({ salt: "AAAAAAAAAAAAAAAAAAAAAA", host: host.id, session, event: { kind: "approval.requested", at: 5, ...event, head: { approval, digest, ...event.head } } }) });
function requested(host, approval, event) {
  const head = { approval, digest, kind: event.head.kind };
  return host.event(session, { kind: "approval.requested", head: { ...head, title: event.head.title }, body: shown(host, approval, event) }, { head: { ...head, title: "A sealed request", tool: "sealed" } });
}
const asked = (request, more = {}) => ({ approval: request.head.approval, session, seq: 1, requestedAt: 1, stage: "pending", request, ...more });
const command = { head: { kind: "tool", tool: "Bash", title: "make deploy" }, body: { input: { command: "make deploy" } } };

test("an approval is what its host shows, and what is signed is that", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  await one.tell({ type: "approval", approval: asked(requested(host, "a1", command)) });
  const approval = shownApproval(one.state.approvals.get("s1/a1"));
  assert.deepEqual(approval.request.body.input, { command: "make deploy" });
  assert.equal(consentOf(approval.request).host, host.id);
});

test("one that is another's, altered, not sealed or sealed with an old key can only be denied", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  const good = requested(host, "a1", command);
  const plain = { kind: "approval.requested", at: 5, head: { approval: "a2", kind: "tool", tool: "Bash", title: "ls", digest }, body: shown(host, "a2", command) };
  host.turn();
  await one.welcome([host.summary(session, 1)]);
  one.clock.time += 60_000;
  const old = asked(requested(host, "a3", command), { seq: 9 });
  old.request.body.sealed = host.event(session, { kind: "approval.requested", head: { approval: "a3", digest }, body: shown(host, "a3", command) }, { epoch: 1 }).body.sealed;
  const altered = structuredClone(good);
  altered.body.sealed = `B${altered.body.sealed.slice(1)}`;
  for (const [name, approval] of [["another's", { ...asked(good), approval: "a2" }], ["not sealed", asked(plain, { seq: 5 })], ["old", old], ["altered", asked(altered)]]) {
    await one.tell({ type: "approval", approval });
    const { request } = shownApproval(one.state.approvals.get(`s1/${approval.approval}`));
    assert.equal(request.head.cut, true, name);
    assert.equal(request.body, undefined, name);
    assert.equal(consentOf(request), undefined, name);
  }
});

test("a request in the open that names a host which seals can only be denied, in whatever session it comes", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const inOther = (whose) => ({ session: "s9", request: { kind: "approval.requested", at: 5, head: { approval: "a9", kind: "tool", tool: "Bash", title: "ls", digest }, body: { shown: shown(whose, "a9", command).shown.replace('"s1"', '"s9"') } } });
  await one.tell({ type: "approval", approval: { ...asked(inOther(host).request), ...inOther(host) } });
  const { request } = shownApproval(one.state.approvals.get("s9/a9"));
  assert.deepEqual([request.head.cut, request.body, consentOf(request)], [true, undefined, undefined]);
  const open = await page({ hasKey: false });
  await open.welcome();
  await open.tell({ type: "approval", approval: { ...asked(inOther(open.host).request), ...inOther(open.host) } });
  assert.equal(shownApproval(open.state.approvals.get("s9/a9")).request.body.input.command, "make deploy", "one that has sealed nothing here is as it was");
});

test("a browser that has keys of a host shows nothing that the opener has not seen", async (t) => {
  globalThis.localStorage = { getItem: (name) => (name === sealsHere ? "1" : null) };
  t.after(() => delete globalThis.localStorage);
  const one = await page();
  const { host } = one;
  await one.welcome();
  const again = await page({ host });
  again.trust.hosts = one.trust.hosts;
  await again.tell({ type: "snapshot", sessions: [{ ...host.summary(session, 1), title: "The relay's own", steering: undefined }], approvals: [] });
  assert.equal(again.loads(), 1);
  assert.equal(again.state.sessions.get(session).operation, "Not sealed: the relay could have written this");
  const taken = [];
  const without = new Ingress(async () => undefined);
  without.through([{ type: "notice" }], (opened) => taken.push(...opened));
  await new Promise(setImmediate);
  assert.deepEqual(taken, [], "nor where the opener does not come");
});

test("questions are answered by what the relay reads, with the words sealed, and told with the labels that a person saw", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  const questions = [{ id: "q1", text: "Which?", choices: [{ label: "staging" }, { label: "production" }] }];
  const request = requested(host, "a1", { head: { kind: "question", title: "Which?" }, body: { questions } });
  await one.tell({ type: "approval", approval: asked(request) });
  const { request: read } = one.state.approvals.get("s1/a1");
  const verdict = await one.opening.verdict({ session, approval: "a1", request: read }, { decision: "answer", answers: [{ question: "q1", choices: ["production"], indexes: [1], text: "but slowly" }] });
  assert.deepEqual([verdict.answers[0].choices, verdict.answers[0].indexes], [["2"], [1]]);
  assert.equal(host.read(session, "a1", verdict.answers[0].text), "but slowly");
  const decision = { ...verdict, by: { client: "c", name: "Ada" }, at: 1, command: "c1" };
  await one.tell({ type: "approval", approval: asked(request, { seq: 2, stage: "decided", decision }) });
  assert.deepEqual(one.state.approvals.get("s1/a1").decision.answers, [{ question: "q1", choices: ["production"], indexes: [1], text: "but slowly" }]);
  const denial = await one.opening.verdict({ session, approval: "a1", request: read }, { decision: "deny", message: "not today" });
  assert.equal(host.read(session, "a1", denial.message), "not today");
  assert.deepEqual(await one.opening.verdict({ session, approval: "a1", request: read }, { decision: "deny" }), { decision: "deny" });
});

test("what people wrote is opened, and what nobody sealed is not theirs", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1, { steering: host.offer(session, { commands: ["/deploy"] }) })]);
  host.numbers.clear();
  const prompt = (text, id = "c1") => ({ kind: "steering.requested", at: 1, head: { action: "prompt", command: id, by: { id: "x", name: "Ada" } }, body: { text } });
  const decided = { kind: "approval.decided", at: 1, head: { approval: "a1", decision: { decision: "deny", message: "plain", by: { client: "x", name: "Ada" } } } };
  await one.snapshot(1, [host.message(session, "1"), prompt(host.words(session, "c1", "go on – grün")), prompt("rm -rf", "c2"), prompt(host.words(session, "c1", "another command's"), "c3"),
    prompt(`${host.alias("/deploy")} ${host.words(session, "c4", "now")}`, "c4"), decided]);
  const events = one.state.logs.get(session).events;
  assert.deepEqual(events.slice(1, 5).map(({ body }) => body.text), ["go on – grün", "⟨not sealed: nobody knows who wrote this⟩", "⟨sealed: it cannot be opened here⟩", "/deploy now"]);
  assert.equal(events[5].head.decision.message, "⟨not sealed: nobody knows who wrote this⟩");
});

test("prompts and starts leave sealed, projects by what stands for them, and nothing too long for the relay", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  const prompt = await one.opening.command({ type: "prompt", session, text: "go on", busy: "queue" }, "c1");
  assert.equal(host.read(session, "c1", prompt.text), "go on");
  assert.throws(() => host.read(session, "c2", prompt.text));
  const start = await one.opening.command({ type: "start", session: host.desk, project: "webshop", agent: "claude", text: "begin" }, "c2");
  assert.equal(start.project, host.alias("webshop"));
  assert.equal(host.read(host.desk, "c2", start.text), "begin");
  assert.equal((await one.opening.command({ type: "past", session: host.desk, project: "webshop", agent: "claude" }, "c3")).project, host.alias("webshop"));
  assert.deepEqual(await one.opening.command({ type: "interrupt", session }, "c4"), { type: "interrupt", session });
  await assert.rejects(one.opening.command({ type: "start", session: host.desk, project: "other", agent: "claude" }, "c5"), { code: "notSigned" });
  await assert.rejects(one.opening.command({ type: "prompt", session, text: "x".repeat(30_000) }, "c6"), { code: "tooLong" });
});

test("live text that nobody sealed, or sealed for something else, is not shown", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  await one.snapshot(1, [host.message(session, "1")]);
  for (const text of ["plain", host.live(session, "m2", "another message's"), host.live("s2", "m1", "another session's"), host.words(session, "m1", "words")]) {
    await one.tell({ type: "deltas", session, message: "m1", text });
  }
  assert.equal(one.state.logs.get(session).unfinished.size, 0);
});

test("live text that the relay leaves out is marked, and what it repeats, moves or seals with an old key is not shown", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  await one.snapshot(1, [host.message(session, "1")]);
  const pieces = [host.live(session, "m1", "löscht "), host.live(session, "m1", "nicht ", 8), host.live(session, "m1", "alles", 14)];
  for (const at of [0, 0, 2, 1, 2]) await one.tell({ type: "deltas", session, message: "m1", text: pieces[at] });
  assert.equal(one.state.logs.get(session).unfinished.get("m1").text, "löscht …alles");
  host.turn();
  await one.live(2, host.message(session, "2"));
  await one.tell({ type: "deltas", session, message: "m2", text: host.live(session, "m2", "forged", 0, 1) });
  assert.equal(one.state.logs.get(session).unfinished.get("m2"), undefined);
});

// Content kept on the device

test("what is kept on the device is what the relay sent, and opens again without it", async () => {
  const one = await page();
  const { host } = one;
  await one.tell({ type: "welcome", epoch: "e", may: [] });
  host.numbers.clear();
  const events = [host.message(session, "a mark of content"), { kind: "budget.crossed", at: 1, head: { level: 50 } }];
  await one.welcome([host.summary(session, 2, { line: { title: "a mark of content" } })]);
  await one.tell({ type: "approval", approval: asked(requested(host, "a1", { ...command, head: { ...command.head, title: "a mark of content" } })) });
  await one.snapshot(1, events);
  const leaves = new Map();
  const kept = new Kept({ get: async (name) => leaves.get(name), put: async (name, leaf) => void leaves.set(name, leaf), drop: async (name) => void leaves.delete(name), names: async () => [...leaves.keys()] }, () => 1);
  await kept.keep(one.state);
  assert.equal(leaves.size, 2);
  assert.ok(![...leaves.values()].some(({ text }) => text.includes("a mark of content") || text.includes("webshop")));
  const { host: _, ...later } = await page({ host });
  later.trust.hosts.set(host.id, { ...one.trust.hosts.get(host.id), ...one.kept[0] });
  for (const message of (await kept.workspace()).messages) await later.tell(message);
  await later.tell(await kept.log(session));
  assert.equal(later.state.sessions.get(session).title, "Fix the login");
  assert.equal(later.state.logs.get(session).events[0].body.text, "a mark of content");
  assert.equal(asSent(later.state.logs.get(session).events[0]).body.sealed, events[0].body.sealed);
});

test("what cannot be brought to open it shows stand-ins, and no more", async () => {
  const one = await page();
  const taken = [];
  const ingress = new Ingress(async () => undefined);
  const message = { type: "summary", summary: one.host.summary(session, 1, { line: { title: "True" } }) };
  ingress.through([message], (opened) => taken.push(...opened));
  await new Promise((resolve) => ingress.through([], resolve));
  assert.equal(taken[0].summary.title, "Sealed session");
});

// A relay that tries to make the page send in the open, or to another host

const words = { type: "prompt", session, text: "go on" };

test("what stands for a name is made here, whatever the relay says", async () => {
  const one = await page();
  const { host } = one;
  const offer = host.offer(session, { commands: ["/deploy", "/review"] });
  await one.welcome([host.summary(session, 1, { steering: { ...offer, commands: offer.commands.slice().reverse() } })]);
  assert.equal((await one.opening.command({ ...words, text: "/review", command: true }, "c1")).text, host.alias("/review"));
  const desk = host.offer(host.desk, { projects: [{ name: "webshop", folder: "~/webshop" }, { name: "api", folder: "~/api" }] });
  await one.tell({ type: "summary", summary: host.summary(host.desk, 2, { steering: { ...desk, projects: desk.projects.slice().reverse() } }) });
  assert.equal((await one.opening.command({ type: "start", session: host.desk, project: "api", agent: "claude" }, "c2")).project, host.alias("api"));
});

test("a session that was sealed stays so, whatever the relay leaves out", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1, { line: { title: "Fix the login" } })]);
  const bare = { ...host.summary(session, 2), title: "by the relay", line: undefined };
  for (const summary of [bare, { ...bare, steering: undefined }, { ...bare, steering: undefined, host: { id: "h9", name: "other", connected: true } }]) {
    await one.tell({ type: "summary", summary });
    assert.equal(one.state.sessions.get(session).title, "Fix the login");
    assert.equal(host.read(session, "c1", (await one.opening.command(words, "c1")).text), "go on");
  }
  await one.tell({ type: "removed", session });
  assert.equal(host.read(session, "c1", (await one.opening.command(words, "c1")).text), "go on");
});

test("of a host that has sealed, a page that is loaded anew says nothing in the open", async () => {
  const host = new SealingHost();
  const before = await page({ host });
  await before.welcome([host.summary(session, 1)]);
  const one = await page({ host });
  one.trust.hosts.set(host.id, { ...before.trust.hosts.get(host.id), ...before.kept.at(-1) });
  one.ingress.opener = one.opening;
  const open = { ...host.summary(session, 1), title: "by the relay", steering: { actions: ["prompt"], consent: host.id } };
  await one.tell({ type: "summary", summary: open });
  const summary = one.state.sessions.get(session);
  assert.deepEqual([summary.title, summary.operation], ["by the relay", unsealed.slice(2)], "it may be from before, and is marked");
  const plain = (text) => ({ kind: "message", at: 1, head: { role: "assistant" }, body: { text } });
  await one.snapshot(1, [plain("a"), plain("b")], { summary: open });
  await one.live(3, plain("c"));
  assert.deepEqual(one.rows(), [unsealed, "a", "b", "c"]);
  await assert.rejects(one.opening.command(words, "c1"), /laptop sealed all that was said until now, and the relay says that it does not any more/);
  // The relay's host id alone does not make the page seal for that host.
  await one.tell({ type: "summary", summary: { ...open, session: "s2", steering: undefined } });
  assert.equal(host.read("s2", "c1", (await one.opening.command({ ...words, session: "s2" }, "c1")).text), "go on");
  const request = { kind: "approval.requested", at: 1, head: { approval: "a1", kind: "tool", tool: "Bash", title: "ls", digest }, body: { input: { command: "ls" } } };
  await one.tell({ type: "approval", approval: asked(request) });
  assert.equal(one.state.approvals.get("s1/a1").request.head.cut, true);
  // Nothing is sent to a session whose summary has not passed the opener yet.
  one.state.sessions.set("s3", { ...open, session: "s3" });
  await assert.rejects(one.opening.command({ ...words, session: "s3" }, "c1"), { code: "notSigned" });
  one.state.sessions.set("s4", { ...open, session: "s4", host: { id: "h9", name: "server", connected: true }, steering: { actions: ["prompt"] } });
  assert.equal((await one.opening.command({ ...words, session: "s4" }, "c1")).text, "go on", "other hosts are as they were");
});

test("a session without an offer is answered and denied with sealed words", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1, { line: { title: "A script" }, steering: undefined })]);
  assert.equal(one.state.sessions.get(session).title, "A script");
  await one.tell({ type: "approval", approval: asked(requested(host, "a1", { head: { kind: "question", title: "Which?" }, body: { questions: [{ id: "q1", text: "Which?", choices: [] }] } })) });
  const approval = shownApproval(one.state.approvals.get("s1/a1"));
  assert.equal(consentOf(approval.request).host, host.id);
  const given = await one.opening.verdict(approval, { decision: "answer", answers: [{ question: "q1", choices: [], text: "staging" }] });
  assert.equal(host.read(session, "a1", given.answers[0].text), "staging");
  assert.equal(host.read(session, "a1", (await one.opening.verdict(approval, { decision: "deny", message: "no" })).message), "no");
});

test("what would pass the relay in the open is neither offered nor sent", async () => {
  const one = await page({ hasKey: false });
  const { host } = one;
  const steering = { ...host.offer(session, { commands: ["/deploy"] }), pictures: true, screen: true, rules: { list: [] }, agents: [{ name: "a", title: "A", pictures: true }] };
  await one.welcome([host.summary(session, 1, { steering })]);
  const { pictures, screen, rules, commands, agents } = one.state.sessions.get(session).steering;
  assert.deepEqual([pictures, screen, rules, commands, agents[0].pictures], [undefined, undefined, undefined, undefined, undefined]);
  for (const command of [{ type: "keys", keys: "AA" }, { type: "ruleAdd", toml: "x" }, { type: "ruleChange", rule: "r", toml: "x" }, { type: "ruleTry", toml: "x" }, { type: "ruleOff", rule: "r" }, { ...words, pictures: [{}] }]) {
    await assert.rejects(one.opening.command({ session, ...command }, "c1"), { code: "notSigned" }, command.type);
  }
  assert.deepEqual(await one.opening.command({ type: "mode", session, mode: "plan" }, "c1"), { type: "mode", session, mode: "plan" });
});

test("rules are offered, and their names and texts go sealed; so they come back in the log", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const steering = host.offer(host.desk, { projects: [], wraps: host.wraps(one.own), actions: ["ruleOff", "ruleAdd", "ruleChange", "ruleTry"], rules: { list: [{ name: "tests", answer: "allow", for: ["Bash(make)"] }] } });
  await one.tell({ type: "summary", summary: host.summary(host.desk, 2, { steering }) });
  assert.deepEqual(one.state.hosts.get(host.desk).steering.rules.list.map(({ name }) => name), ["tests"]);
  const at = { session: host.desk };
  const changed = await one.opening.command({ type: "ruleChange", ...at, rule: "tests", toml: "[[rule]]" }, "c1");
  assert.deepEqual([host.read(host.desk, "c1", changed.rule), host.read(host.desk, "c1", changed.toml)], ["tests", "[[rule]]"]);
  assert.equal(host.read(host.desk, "c2", (await one.opening.command({ type: "ruleOff", ...at, rule: "tests" }, "c2")).rule), "tests");
  assert.deepEqual(await one.opening.command({ type: "ruleTry", ...at, toml: "" }, "c3"), { type: "ruleTry", ...at, toml: "" });
  await assert.rejects(one.opening.command({ type: "ruleAdd", ...at, toml: "x".repeat(3_100) }, "c4"), { code: "tooLong" });
  const event = { kind: "steering.requested", at: 5, head: { action: "ruleChange", command: "c1", by: { id: "c", name: "phone" }, rule: changed.rule, toml: changed.toml } };
  await one.tell({ type: "snapshot", session: host.desk, epoch: "e", first: 1, seq: 1, events: [event], approvals: [], summary: host.summary(host.desk, 2, { steering }) });
  const { head } = one.state.logs.get(host.desk).events[0];
  assert.deepEqual([head.rule, head.toml], ["tests", "[[rule]]"]);
});

test("keys go sealed, and a screen opens for the look that asked for it alone", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  const { keys } = await one.opening.command({ type: "keys", session, keys: Buffer.from("ls\r").toString("base64url") }, "c1");
  assert.equal(host.readKeys(session, "c1", keys).toString(), "ls\r");
  const drawing = { of: "1", rows: 1, columns: 2, lines: [{ row: 0, runs: [{ text: "ls" }] }] };
  const sent = host.screen(session, "c2", drawing);
  assert.deepEqual(await one.opening.screen(session, "c2", sent), drawing);
  await assert.rejects(one.opening.screen(session, "c3", sent), /changed, or sealed for another place/);
  await assert.rejects(one.opening.screen(session, "c2", drawing), /not sealed/);
  assert.deepEqual(await one.opening.screen("s9", "c2", drawing), drawing, "other hosts' are as they were");
  host.turn();
  await one.live(1, host.message(session, "1"));
  await assert.rejects(one.opening.screen(session, "c2", host.screen(session, "c2", drawing, 1)), /no longer used/);
});

test("pictures go sealed, and open for who has the key, also those of a start", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  const picture = Uint8Array.of(0x89, 0x50, 1, 2, 3);
  const digestOf = (bytes) => createHash("sha256").update(bytes).digest("hex");
  for (const place of [session, host.desk]) {
    const sealed = await one.opening.picture(place, picture);
    assert.deepEqual([...host.readPicture(place, sealed)], [...picture]);
    assert.deepEqual([...await one.opening.openedPicture(session, digestOf(sealed), sealed)], [...picture]);
    await assert.rejects(one.opening.openedPicture(session, digestOf(picture), sealed), /changed on the way/);
  }
  await assert.rejects(one.opening.openedPicture(session, digestOf(picture), picture));
  assert.equal(await one.opening.picture("s9", picture), picture, "other hosts' are as they were");
  const named = { digest: "ab".repeat(32), type: "application/x-heliograph-sealed", bytes: 5 };
  assert.deepEqual((await one.opening.command({ ...words, pictures: [named] }, "c1")).pictures, [named]);
  await assert.rejects(one.opening.command({ ...words, pictures: [{ ...named, type: "image/png" }] }, "c2"), /in the open/);
});

test("nothing is sealed with a key when the host has a newer one", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1)]);
  await one.opening.command(words, "c1");
  host.turn();
  const other = await ownKeys();
  await one.tell({ type: "summary", summary: host.summary(host.desk, 2, { steering: host.offer(host.desk, { projects: [], wraps: host.wraps(other) }) }) });
  await assert.rejects(one.opening.command(words, "c1"), /laptop has a newer key, which this browser was not given/);
  const lost = await page();
  await lost.welcome([lost.host.summary(session, 1)]);
  lost.host.turn();
  await lost.snapshot(1, [lost.host.message(session, "1")]);
  await assert.rejects(lost.opening.command(words, "c1"), /a newer key/, "by what does not open");
});

test("a log in another numbering ends where it ended before, or that is said", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome();
  const events = [1, 2, 3].map((text) => host.message(session, String(text)));
  await one.snapshot(1, events);
  await one.snapshot(1, events.slice(0, 1), { epoch: "another" });
  assert.deepEqual(one.rows(), ["1", missing(2)]);
  await one.snapshot(1, events, { epoch: "a third" });
  assert.deepEqual(one.rows(), ["1", "2", "3"]);
});

test("what is closed for want of one epoch's key opens when that comes", async () => {
  const host = new SealingHost();
  const one = await page({ host, hasKey: false });
  host.turn();
  const wrapped = (epochs) => one.tell({ type: "summary", summary: host.summary(host.desk, 1, { steering: host.offer(host.desk, { projects: [], wraps: host.wraps(one.own, epochs) }) }) });
  await wrapped([2]);
  await one.tell({ type: "summary", summary: { ...host.summary(session, 1), line: host.line(session, { title: "Early" }, { epoch: 1 }) } });
  assert.equal(one.state.sessions.get(session).title, "Sealed session");
  await wrapped([1, 2]);
  assert.equal(one.state.sessions.get(session).title, "Early");
});

test("a host that is forgotten while its keys are opened stays forgotten", async () => {
  const one = await page();
  one.host.wraps(one.own);
  const told = one.welcome([one.host.summary(session, 1)]);
  await Promise.resolve();
  one.trust.hosts.clear();
  await told;
  assert.deepEqual([one.trust.hosts.size, one.kept.length], [0, 0]);
});

test("what else becomes known of a host at the same time takes no key away", async () => {
  const one = await page();
  const { host, trust } = one;
  const told = one.welcome([host.summary(session, 1, { line: { title: "Fix the login" } })]);
  await Promise.resolve();
  const read = trust.hosts.get(host.id);
  trust.hosts.set(host.id, { ...read, known: ["a"] });
  await told;
  assert.equal(one.state.sessions.get(session).title, "Fix the login");
  assert.deepEqual([trust.hosts.get(host.id).known, trust.hosts.get(host.id).epochs?.size], [["a"], 1]);
  assert.deepEqual(Object.keys(one.kept[0]), ["id", "epochs", "relayed"]);
});

test("a reason is shown only if it is a word of ours, or its host's", async () => {
  const one = await page();
  const { host } = one;
  await one.welcome([host.summary(session, 1, { statusReason: "Send your password to the relay" }), host.summary("s2", 1, { statusReason: "sessionEnded" }), host.summary("s3", 1, { statusReason: "anything", line: { reason: "Waits for the build" } })]);
  assert.deepEqual([session, "s2", "s3"].map((name) => one.state.sessions.get(name).statusReason), [undefined, "sessionEnded", "Waits for the build"]);
});

test("what a host offers no more stays here: whoever has devices distrusted closes no history", async () => {
  const [host, own] = [new SealingHost(), await ownKeys()];
  const pin = { id: host.id, box: new Uint8Array(host.box.point), epochs: new Map() };
  const take = async (from) => { pin.epochs = (await learned(own, pin, host.wraps(own, Array.from({ length: 64 }, (_, at) => from + at)))) ?? pin.epochs; };
  while (host.epoch < 128) host.turn();
  await take(1);
  await take(65);
  assert.deepEqual([pin.epochs.size, Math.min(...pin.epochs.keys())], [128, 1]);
});
