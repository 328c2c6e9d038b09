import assert from "node:assert/strict";
import { test } from "node:test";
import { wishes } from "../../web/device-words.js";
import { mute, putOff } from "../../web/muting.js";
import { Snoozes } from "../../web/snoozes.js";
import { emptyState } from "../../web/store.js";

// A device that does not vibrate.
globalThis.navigator ??= {};

const hour = 3_600_000;

/** A browser that gets notifications, and the choices that it tells the relay. */
function browser(chosen = {}, { loaded = true, device = "d1" } = {}) {
  const [state, told, announced] = [emptyState(), [], []];
  const load = () => (state.devices = new Map([["d1", { device: { device: "d1", name: "Phone", profile: "web", text: "full", kinds: ["approval"], muted: ["s9"], ...chosen }, pushes: [] }]]));
  if (loaded) load();
  for (const [approval, stage] of [["a1", "pending"], ["a2", "pending"], ["a0", "applied"]]) state.approvals.set(`s1/${approval}`, { session: "s1", approval, stage, requestedAt: 1 });
  const storage = { getItem: () => null, setItem: () => undefined };
  let refused = false;
  const app = {
    state, told, announced, refuse: () => (refused = true), webPush: { device }, now: () => 1_000, listChanged: () => undefined, announce: (words) => announced.push(words),
    snoozes: new Snoozes(() => storage, () => 1_000),
    loadSeldom: async () => (app.devices = devices),
  };
  const devices = {
    watch: async () => load(),
    choose: async (name, choices) => {
      if (refused) throw new Error("the relay is full");
      told.push(choices);
      Object.assign(state.devices.get(name).device, { mutedUntil: undefined }, choices);
    },
  };
  if (loaded) app.loadSeldom();
  return app;
}

test("what is put off is silent at the relay about what it asks by now, and other choices stay", async () => {
  for (const loaded of [true, false]) {
    const app = browser({ quiet: { from: 0, to: 60, timeZone: "UTC" }, mutedUntil: [{ session: "s2", until: 5_000 }, { session: "s3", until: 999 }] }, { loaded });
    await putOff(app, "s1", 1_000 + hour);
    assert.deepEqual(app.told, [{
      text: "full", kinds: ["approval"], muted: ["s9"], quiet: { from: 0, to: 60, timeZone: "UTC" },
      mutedUntil: [{ session: "s2", until: 5_000 }, { session: "s1", until: 1_000 + hour, asked: ["a1", "a2"] }],
    }]);
    assert.equal(app.snoozes.until("s1"), 1_000 + hour);
    await mute(app, "s1", true);
    assert.equal(app.told[1].mutedUntil.length, 2, "muting for good keeps them");
    await putOff(app, "s1", null);
    assert.deepEqual(app.told[2].mutedUntil, [{ session: "s2", until: 5_000 }]);
    assert.equal(app.snoozes.until("s1"), undefined);
  }
});

test("where this browser gets no notifications, or was not silent, the relay is told nothing; a refusal is said", async () => {
  const without = browser({}, { device: "" });
  await putOff(without, "s1", 1_000 + hour);
  assert.equal(without.snoozes.until("s1"), 1_000 + hour);
  const app = browser();
  await putOff(app, "s1", null);
  assert.deepEqual([...without.told, ...app.told], []);
  app.refuse();
  await putOff(app, "s1", 1_000 + hour);
  assert.deepEqual(app.announced, ["Not changed: the relay is full"]);
});

test("a device says which sessions are put off, until they are back", () => {
  const device = { kinds: [], muted: ["s1"], text: "summary", mutedUntil: [{ session: "s2", until: 1_000 + hour }, { session: "s3", until: 1_000 }] };
  const said = Object.fromEntries(wishes(device, (session) => `Title ${session}`, 1_000)).Muted;
  assert.match(said, /^Title s1, Title s2: back (at|tomorrow at) \d\d:\d\d$/);
});
