import assert from "node:assert/strict";
import { test } from "node:test";
import { about, fate, testAmong, testWords, wishes } from "../../web/device-words.js";
import { Devices, takeDevices } from "../../web/devices.js";
import { apply, emptyState } from "../../web/store.js";

const registration = (more = {}) => ({ device: "d1", name: "Phone", profile: "heliograph", environment: "sandbox", system: "18.1", ...more });
const push = (number, more = {}) => ({ push: number, device: "d1", purpose: "update", priority: 10, plannedAt: number, ...more });
const device = (pushes = [], id = "d1") => ({ device: registration({ device: id }), client: { id: "c", name: "n" }, present: false, cards: [], pushes });
const numbers = (state) => state.devices.get("d1").pushes.map((one) => one.push);
const holding = (...pushes) => {
  const state = emptyState();
  takeDevices(state, [device(pushes)]);
  return state;
};

test("a push that is planned stands first; what became of it keeps its payload", () => {
  const state = holding(push(1));
  const changes = apply(state, { type: "push", push: push(2, { payload: { aps: {} } }) });
  assert.deepEqual([...changes.devices], ["d1"]);
  apply(state, { type: "push", push: push(2, { answeredAt: 9, outcome: { result: "accepted" } }) });
  assert.deepEqual(numbers(state), [2, 1]);
  assert.deepEqual(state.devices.get("d1").pushes[0], push(2, { payload: { aps: {} }, answeredAt: 9, outcome: { result: "accepted" } }));
});

test("a push to a device that is not known changes nothing, and says that there is one", () => {
  const state = holding();
  assert.deepEqual([...apply(state, { type: "push", push: push(1, { device: "d2" }) }).devices], ["d2"]);
  assert.deepEqual([...state.devices.keys()], ["d1"]);
  assert.equal(apply(emptyState(), { type: "push", push: push(1) }).devices.size, 1);
});

test("the relay's list is the truth, and older pushes that are held stay behind it", () => {
  const state = holding(push(3), push(2), push(1));
  takeDevices(state, [device([push(5), push(4), push(3, { outcome: { result: "unknown" } })])]);
  assert.deepEqual(numbers(state), [5, 4, 3, 2, 1]);
  assert.equal(state.devices.get("d1").pushes[2].outcome.result, "unknown");
  takeDevices(state, [device([])]);
  assert.deepEqual(numbers(state), []);
  takeDevices(state, []);
  assert.equal(state.devices.size, 0);
});

test("what is held of one device is bounded", () => {
  const state = holding();
  for (let number = 1; number <= 500; number += 1) apply(state, { type: "push", push: push(number) });
  assert.deepEqual([numbers(state).length, numbers(state)[0]], [200, 500]);
});

test("another epoch numbers its pushes anew: what was held is asked for again", () => {
  const state = holding(push(7));
  const welcome = (epoch) => ({ type: "welcome", epoch, client: {}, workspace: {}, limits: {} });
  apply(state, welcome("e1"));
  assert.deepEqual(numbers(state), [7]);
  apply(state, welcome("e2"));
  assert.equal(state.devices, null);
});

test("each fate has its words", () => {
  assert.deepEqual([
    fate(push(1)), fate(push(1, { outcome: { result: "accepted" } })), fate(push(1, { outcome: { result: "refused", text: "BadDeviceToken" } })),
    fate(push(1, { outcome: { result: "unknown", text: "the connection broke" } })), fate(push(1, { outcome: { result: "notSent", text: "muted" } })),
  ].map(({ tone, words }) => `${tone}: ${words}`), [
    "going: Planned", "good: Accepted by APNs", "bad: Refused: BadDeviceToken", "void: Unknown: the connection broke", "bad: Not sent: muted"]);
});

test("what a device gets, in words", () => {
  const told = (more) => Object.fromEntries(wishes(registration(more), (session) => `title of ${session}`));
  const usual = told({ alertToken: true, startToken: true, kinds: ["approval", "error"] });
  assert.deepEqual([usual.Cards, usual["Rings for"], usual.Says, usual.Muted, usual.Cost, usual["Quiet hours"], usual.Tokens],
    ["One for each session, begun when a session needs you", "Approvals, errors", "A summary. Its alerts offer Deny, never Allow: for that, let the app show all of it", "No session", "Shown", "None", "alerts, starts of cards"]);
  const quiet = told({ cards: "off", kinds: [], text: "generic", muted: ["s1"], hidesCost: true, quiet: { from: 1320, to: 425, timeZone: "Europe/Berlin" } });
  assert.deepEqual([quiet.Cards, quiet["Rings for"], quiet.Muted, quiet.Cost, quiet["Quiet hours"], quiet.Tokens],
    ["None", "Nothing", "title of s1", "Hidden", "22:00 to 07:05, Europe/Berlin", "None: nothing can reach it"]);
  const risks = told({ muted: ["s1"], mutedProjects: [{ host: "h1", project: "webshop" }], quiet: { from: 1320, to: 425, timeZone: "Europe/Berlin", exceptRisks: true } });
  assert.deepEqual([risks.Muted, risks["Quiet hours"]], ["webshop · h1, title of s1", "22:00 to 07:05, Europe/Berlin, except for what needs a second look"]);
});

test("a browser has no cards and no tokens, but a push service", () => {
  const browser = { device: "d1", name: "Laptop", profile: "web", system: "Firefox on Linux", web: { service: "updates.push.services.mozilla.com" }, text: "full", kinds: [] };
  const told = Object.fromEntries(wishes(browser, String));
  assert.deepEqual([told.Cards, told.Tokens, told["Push service"], told["Offers Allow"]], [undefined, undefined, "updates.push.services.mozilla.com", "No: Deny and Review"]);
  const bare = Object.fromEntries(wishes({ ...browser, web: {}, allowOnLockScreen: true }, String));
  assert.deepEqual([bare["Push service"], bare["Offers Allow"]], ["None: nothing can reach it", "Where it shows the whole command, also while locked"]);
  assert.equal(about({ device: browser, client: { name: "Ada" } }), "Browser · Firefox on Linux · paired as Ada");
  assert.equal(about({ device: registration(), client: { name: "Ada" } }), "heliograph · sandbox · iOS 18.1 · paired as Ada");
  assert.equal(fate(push(1, { outcome: { result: "accepted" } }), true).words, "Taken by the push service");
});

test("a test is the first alert of no session after it was asked for", () => {
  const alert = (number, more = {}) => push(number, { purpose: "alert", ...more });
  const pushes = [alert(9), alert(8), alert(7, { session: "s1" }), push(6), alert(5)];
  assert.equal(testAmong(pushes, 5).push, 8);
  assert.equal(testAmong(pushes, 9), undefined);
});

test("a test tells a dead subscription from a phone that is set to be silent", () => {
  const words = (result, known = {}) => testWords(result && push(1, { outcome: result }), { reach: "web", hasArrived: false, ...known });
  assert.deepEqual(words(undefined), { tone: "going", words: "A test is on its way." });
  assert.match(words({ result: "accepted" }).words, /took it.*Do Not Disturb.*subscription is dead/);
  assert.match(words({ result: "accepted" }, { reach: "app" }).words, /^Apple took it.*open its app/);
  assert.match(words({ result: "accepted" }, { hasArrived: true }).words, /^It came to this browser and was shown.*Focus/);
  assert.deepEqual(words({ result: "refused", text: "410 gone" }), { tone: "bad", words: "The push service refused it: 410 gone. Switch notifications off and on again on that device." });
  assert.equal(words({ result: "notSent", text: "no key" }, { reach: "app" }).words, "It was not sent: no key.");
  assert.equal(words({ result: "unknown" }).tone, "bad");
});

test("what is chosen is sent whole, and the list asked for again", async () => {
  const sent = [];
  const devices = new Devices({ isLive: true, command: async (message) => { sent.push(message); return { devices: [device()] }; } }, emptyState(), () => undefined);
  await devices.choose("d1", { text: "full", kinds: [], muted: ["s1"], allowOnLockScreen: true });
  assert.deepEqual(sent, [{ type: "deviceChoices", device: "d1", text: "full", kinds: [], muted: ["s1"], allowOnLockScreen: true }, { type: "devices", watch: true }]);
});

test("the relay is asked while somebody looks, and again when the link is back", async () => {
  const state = emptyState();
  const asked = [];
  const link = { isLive: true, command: async (message) => { asked.push(message.type); return { devices: [device()] }; } };
  const devices = new Devices(link, state, () => undefined);
  await devices.again();
  assert.deepEqual(asked, []);
  await devices.watch();
  await devices.again();
  assert.deepEqual([asked, state.devices.size], [["devices", "devices"], 1]);
  link.isLive = false;
  await devices.again();
  assert.equal(asked.length, 2);
  link.isLive = true;
  await devices.forget("d1");
  assert.deepEqual(asked.slice(2), ["forget", "devices"]);
});

test("an older relay is named as such; any other refusal is its own words; the next list takes both back", async () => {
  let answer = { code: "unknownType", message: "what?" };
  const link = { isLive: true, command: async () => { if (answer) throw answer; return { devices: [] }; } };
  const devices = new Devices(link, emptyState(), () => undefined);
  await devices.watch();
  assert.match(devices.problem, /older than this page/);
  answer = { code: "unavailable", message: "The disk is full." };
  await devices.watch();
  assert.equal(devices.problem, "The disk is full.");
  answer = null;
  await devices.watch();
  assert.equal(devices.problem, "");
});
