import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock } from "./clock.mjs";
import { Presence } from "../../web/presence.js";

/** A page with a link whose replies the test controls, and a clock. */
class Scene {
  clock = new Clock();
  look = { foreground: true, session: undefined };
  sent = [];
  link = { isLive: true, command: (message, options) => new Promise((resolve, reject) => this.sent.push({ at: this.clock.time, message, options, resolve, reject })) };

  presence = new Presence(this.clock, this.link, () => this.look);

  get messages() { return this.sent.map(({ message }) => message); }

  wait(milliseconds) { this.clock.wait(milliseconds); }

  see(look) {
    this.look = { ...this.look, ...look };
    this.presence.changed();
  }

  async refuse(code) {
    this.sent.at(-1).reject({ code });
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test("a page in the foreground says so at once, and again every 15 seconds", () => {
  const scene = new Scene();
  scene.presence.linkChanged();
  scene.wait(31_000);
  assert.deepEqual(scene.sent.map(({ at }) => at), [0, 15_000, 30_000]);
  assert.deepEqual(scene.messages[0], { type: "presence", foreground: true });
});

test("a browser that gets pushes says as which device it is looked at", () => {
  const scene = new Scene();
  scene.presence.linkChanged();
  scene.see({ device: "d1" });
  assert.deepEqual(scene.messages, [{ type: "presence", foreground: true }, { type: "presence", foreground: true, device: "d1" }]);
});

test("a change is said at once, the same thing is not, and the time starts anew", () => {
  const scene = new Scene();
  scene.presence.linkChanged();
  scene.wait(10_000);
  scene.see({ session: "s1" });
  scene.presence.changed();
  scene.wait(14_999);
  assert.deepEqual(scene.messages, [{ type: "presence", foreground: true }, { type: "presence", foreground: true, session: "s1" }]);
  scene.wait(1);
  assert.equal(scene.sent.length, 3);
});

test("who goes away says it once, and who comes back says that", () => {
  const scene = new Scene();
  scene.presence.linkChanged();
  scene.see({ foreground: false });
  scene.wait(120_000);
  assert.deepEqual(scene.messages.map(({ foreground }) => foreground), [true, false]);
  scene.see({ foreground: true });
  assert.equal(scene.messages.at(-1).foreground, true);
});

test("without a link nothing is said; the next one is told at once", () => {
  const scene = new Scene();
  scene.presence.linkChanged();
  scene.link.isLive = false;
  scene.presence.linkChanged();
  scene.see({ session: "s1" });
  scene.wait(60_000);
  assert.equal(scene.sent.length, 1);
  scene.link.isLive = true;
  scene.presence.linkChanged();
  assert.deepEqual(scene.messages.at(-1), { type: "presence", foreground: true, session: "s1" });
  // A link that was silent for a moment is still the same link, so nothing is reported again.
  scene.presence.linkChanged();
  assert.equal(scene.sent.length, 2);
});

for (const code of ["unknownType", "unsupported"]) {
  test(`an older relay (${code}) is asked once on each link`, async () => {
    const scene = new Scene();
    scene.presence.linkChanged();
    await scene.refuse(code);
    scene.see({ session: "s1" });
    scene.presence.seen({ session: "s1", approval: "a1" });
    scene.wait(60_000);
    assert.equal(scene.sent.length, 1);
    scene.link.isLive = false;
    scene.presence.linkChanged();
    scene.link.isLive = true;
    scene.presence.linkChanged();
    assert.equal(scene.sent.length, 2);
  });
}

test("a word that was lost with the link is no reason to stop", async () => {
  const scene = new Scene();
  scene.presence.linkChanged();
  await scene.refuse("linkLost");
  scene.wait(15_000);
  assert.equal(scene.sent.length, 2);
});

test("an approval is told as seen once, and goes out again if the link breaks", () => {
  const scene = new Scene();
  scene.presence.seen({ session: "s1", approval: "a1", stage: "pending" });
  scene.presence.seen({ session: "s1", approval: "a1" });
  scene.presence.seen({ session: "s2", approval: "a1" });
  assert.deepEqual(scene.messages, [{ type: "seen", session: "s1", approval: "a1" }, { type: "seen", session: "s2", approval: "a1" }]);
  assert.deepEqual(scene.sent[0].options, { again: true });
});
