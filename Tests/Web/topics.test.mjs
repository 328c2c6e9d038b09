import assert from "node:assert/strict";
import { test } from "node:test";
import { about, fate, testWords, wishes } from "../../web/device-words.js";
import { textsFor } from "../../web/choices.js";
import { Devices } from "../../web/devices.js";
import { emptyState } from "../../web/store.js";
import { topicFrom } from "../../web/topics.js";

test("a topic is taken as people paste it, with its scheme or without", () => {
  const topic = { server: "https://ntfy.sh", topic: "Agents-9_f" };
  assert.deepEqual(topicFrom("https://ntfy.sh/Agents-9_f"), topic);
  assert.deepEqual(topicFrom(" NTFY.sh/Agents-9_f\n"), topic);
  assert.deepEqual(topicFrom("http://192.168.1.5:8080/a", " tk_1 "), { server: "http://192.168.1.5:8080", topic: "a", token: "tk_1" });
  for (const bad of ["", "agents", "https://ntfy.sh", "https://ntfy.sh/", "https://ntfy.sh/a/json", "https://ntfy.sh/a?x", "ftp://ntfy.sh/a", "https://me@ntfy.sh/a", "https://ntfy.sh/a b"]) {
    assert.equal(topicFrom(bad), null, bad);
  }
});

test("a topic is registered with the choices of a beginner, and the list asked for again", async () => {
  const sent = [];
  const devices = new Devices({ isLive: true, command: async (message) => { sent.push(message); return { devices: [] }; } }, emptyState(), () => undefined);
  await devices.addTopic("d1", { server: "https://ntfy.sh", topic: "t" });
  assert.deepEqual(sent, [
    { type: "device", device: { device: "d1", name: "ntfy at https://ntfy.sh", language: "en-GB", ntfy: { server: "https://ntfy.sh", topic: "t" }, text: "summary", kinds: ["approval", "question", "error", "finished", "budget"], muted: [] } },
    { type: "devices", watch: true }]);
});

test("a topic has no cards and no tokens, but a server that reads what it says", () => {
  const device = { device: "d1", name: "Phone", profile: "ntfy", system: "ntfy", ntfy: { server: "https://ntfy.sh" }, text: "full", kinds: [] };
  const told = Object.fromEntries(wishes(device, String));
  assert.deepEqual([told.Cards, told.Tokens, told.Server, told["Offers Allow"]], [undefined, undefined, "https://ntfy.sh", "No: Deny only"]);
  assert.match(told.Says, /Its server can read it/);
  const bare = Object.fromEntries(wishes({ ...device, ntfy: {}, allowOnLockScreen: true }, String));
  assert.deepEqual([bare.Server, bare["Offers Allow"]], ["None: nothing can reach it", "Where it shows the whole command, to whoever can read the topic"]);
  assert.equal(about({ device, client: { name: "Ada" } }), "Topic of ntfy · added by Ada");
  assert.deepEqual(textsFor(device).map(({ text }) => text), ["full", "summary", "generic"]);
  assert.equal(fate({ outcome: { result: "accepted" } }, true).words, "Taken by the push service");
  assert.match(testWords({ outcome: { result: "accepted" } }, { reach: "ntfy", hasArrived: false }).words, /^Its server took it.*subscribed to this topic/);
});

test("a receiver is told by the name that the operator gave it", () => {
  const device = { device: "d1", name: "Mail", profile: "receiver", system: "receiver", receiver: { name: "mail" }, text: "full", kinds: [] };
  const told = Object.fromEntries(wishes(device, String));
  assert.deepEqual([told.Cards, told.Tokens, told.Receiver, told["Offers Allow"]], [undefined, undefined, "mail", "No: Deny only"]);
  assert.match(told.Says, /operator has set up can read it/);
  assert.equal(Object.fromEntries(wishes({ ...device, receiver: {} }, String)).Receiver, "None: nothing can reach it");
  assert.equal(about({ device, client: { name: "Ada" } }), "Receiver of the relay's operator · added by Ada");
  assert.deepEqual(textsFor(device).map(({ text }) => text), ["full", "summary", "generic"]);
  assert.match(testWords({ outcome: { result: "accepted" } }, { reach: "receiver", hasArrived: false }).words, /^Its receiver took it.*operator/);
});
