import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock } from "./clock.mjs";
import { Link } from "../../web/link.js";

/** A fake relay at the other end of a link, with a clock and timers that the test advances. */
class Scene {
  clock = new Clock(1_000_000);
  sockets = [];
  messages = [];
  phases = [];
  positions = {};
  standing = "paired";
  /** Milliseconds by which this device's clock was set forward. */ setBy = 0;
  /** The fake answer to the HTTP request that precedes an attempt. */ answers = Scene.answers;
  static answers = undefined;

  link = new Link({
    open: () => this.#open(),
    now: () => this.clock.time + this.setBy,
    random: () => 1,
    setTimer: this.clock.setTimer,
    clearTimer: this.clock.clearTimer,
    answers: this.answers,
    standing: async () => this.standing,
  }, {
    message: (message) => this.messages.push(message.type),
    state: () => this.phases.push(this.link.phase),
    position: (session) => this.positions[session],
  });

  #open() {
    const socket = { readyState: 1, sent: [], send: (text) => socket.sent.push(JSON.parse(text)), close: () => { socket.readyState = 3; } };
    this.sockets.push(socket);
    return socket;
  }

  get socket() { return this.sockets.at(-1); }
  say(message) { this.socket.onmessage({ data: JSON.stringify(message) }); }
  close(code, reason = "") { this.socket.onclose({ code, reason }); }
  sent(type) { return this.socket.sent.filter((message) => message.type === type); }

  wait(milliseconds) { this.clock.wait(milliseconds); }

  live() {
    if (this.link.phase === "idle") this.link.start();
    this.socket.onopen();
    this.say({ type: "welcome", epoch: "e", heartbeat: { pingSeconds: 20, hangUpSeconds: 45 } });
    this.say({ type: "snapshot", sessions: [], approvals: [] });
    assert.equal(this.link.phase, "live");
    return this;
  }
}

test("a socket that greets by itself is live with the snapshot", () => {
  const scene = new Scene().live();
  assert.deepEqual(scene.socket.sent, []);
  assert.deepEqual(scene.phases, ["connecting", "greeting", "catchingUp", "live"]);
});

test("a watched session goes on from its position after a loss", () => {
  const scene = new Scene();
  scene.link.watch("s");
  scene.live();
  assert.equal(scene.sent("subscribe")[0].after, undefined);
  scene.positions.s = { epoch: "e", seq: 7 };
  scene.close(1006);
  scene.wait(30_000);
  scene.live();
  assert.deepEqual(scene.sent("subscribe")[0].after, { epoch: "e", seq: 7 });
});

test("a command without its reply goes out again with the same id, and its one reply settles it", async () => {
  const scene = new Scene().live();
  const done = scene.link.command({ type: "decide", approval: "a" }, { id: "c1", again: true });
  scene.close(1006);
  scene.wait(30_000);
  scene.live();
  assert.equal(scene.sent("decide")[0].id, "c1");
  scene.say({ type: "reply", id: "c1" });
  assert.equal((await done).id, "c1");
  scene.close(1006);
  scene.wait(30_000);
  scene.live();
  assert.equal(scene.sent("decide").length, 0);
});

test("a question that is not to be sent again fails with the link", async () => {
  const scene = new Scene().live();
  const asked = scene.link.command({ type: "history", session: "s", before: 3, limit: 1 });
  scene.close(1006);
  await assert.rejects(asked, { code: "linkLost" });
});

test("a refused command carries the winner", async () => {
  const scene = new Scene().live();
  const asked = scene.link.command({ type: "decide" }, { id: "c1" });
  scene.say({ type: "reply", id: "c1", error: { code: "alreadyDecided", message: "no", winner: { by: { name: "Ada" } } } });
  await assert.rejects(asked, (error) => error.code === "alreadyDecided" && error.winner.by.name === "Ada");
});

test("attempts back off, doubling up to the cap", () => {
  const scene = new Scene();
  scene.link.start();
  const waits = [];
  for (let round = 0; round < 9; round += 1) {
    scene.close(1006);
    waits.push(scene.link.retryAt - scene.clock.time);
    scene.wait(waits.at(-1));
    assert.equal(scene.link.phase, "connecting");
  }
  assert.deepEqual(waits, [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000]);
});

/** Advances the clock to the next attempt. */
const again = (scene) => scene.wait(scene.link.retryAt - scene.clock.time);

/** A scene in which the link asks the relay by HTTP first, with its answer. */
function asking() {
  const questions = [];
  Scene.answers = () => new Promise((resolve) => questions.push(resolve));
  const scene = new Scene();
  Scene.answers = undefined;
  scene.link.start();
  for (let failures = 0; failures < 3; failures += 1) {
    assert.equal(questions.length, 0);
    scene.close(1006);
    again(scene);
  }
  return { scene, questions, answer: async (isThere) => { questions.at(-1)(isThere); await null; await null; } };
}

test("after a few sockets that failed the relay is asked first, and a socket is opened only where it answers", async () => {
  const { scene, questions, answer } = asking();
  assert.deepEqual([scene.link.phase, questions.length, scene.sockets.length], ["connecting", 1, 3]);
  await answer(false);
  assert.deepEqual([scene.link.phase, scene.sockets.length], ["waiting", 3]);
  again(scene);
  assert.equal(questions.length, 2);
  await answer(true);
  assert.deepEqual([scene.link.phase, scene.sockets.length], ["connecting", 4]);
  scene.live();
});

test("a person who tries again asks anew, and an answer that comes too late opens nothing", async () => {
  const { scene, questions } = asking();
  scene.link.wake();
  assert.equal(questions.length, 2);
  questions[0](true);
  await null;
  await null;
  assert.equal(scene.sockets.length, 3);
  questions[1](true);
  await null;
  await null;
  assert.equal(scene.sockets.length, 4);
});

test("a question that is swallowed is given up as an attempt is", async () => {
  const { scene, questions } = asking();
  scene.wait(10_000);
  assert.equal(scene.link.phase, "waiting");
  again(scene);
  assert.equal(questions.length, 2);
  scene.link.stop();
  questions[1](true);
  await null;
  assert.deepEqual([scene.link.phase, scene.sockets.length], ["stopped", 3]);
});

test("a link that lived forgets the failures before it; one that died at once does not", () => {
  const scene = new Scene().live();
  scene.close(4008);
  scene.wait(1_000);
  scene.live();
  scene.close(4008);
  assert.equal(scene.link.retryAt - scene.clock.time, 1000);
  scene.wait(1_000);
  scene.live();
  scene.wait(6_000);
  scene.close(1001);
  assert.equal(scene.link.retryAt - scene.clock.time, 500);
});

test("close codes say whether and when to come back", () => {
  for (const code of [4401, 4409, 4426]) {
    const scene = new Scene().live();
    scene.close(code);
    assert.deepEqual([scene.link.phase, scene.link.stopCode], ["stopped", code]);
    scene.wait(600_000);
    assert.equal(scene.sockets.length, 1);
  }
  const busy = new Scene().live();
  busy.close(4029, "17 seconds");
  assert.equal(busy.link.retryAt - busy.clock.time, 17_000);
  const restarting = new Scene().live();
  restarting.close(4000);
  assert.ok(restarting.link.retryAt - restarting.clock.time <= 2_000);
  for (const [reason, wait] of [["restarting: come back in 1340 ms with your position", 1_340], ["in 0 ms", 0], ["in 999999 ms", 60_000]]) {
    const told = new Scene().live();
    told.close(4000, reason);
    assert.equal(told.link.retryAt - told.clock.time, wait);
  }
});

test("a refused upgrade of a device that is not paired any more stops", async () => {
  const scene = new Scene();
  scene.standing = "unpaired";
  scene.link.start();
  scene.close(1006);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([scene.link.phase, scene.link.stopCode, scene.link.wasRemoved], ["stopped", 4401, false]);
});

test("the removal of the workspace is told apart from that of the device, live or afterwards", async () => {
  const live = new Scene().live();
  live.close(4401, "revoked: this workspace was removed from the relay");
  const later = new Scene();
  later.standing = "removed";
  later.link.start();
  later.close(1006);
  await new Promise((resolve) => setImmediate(resolve));
  for (const { link } of [live, later]) assert.deepEqual([link.phase, link.stopCode, link.wasRemoved], ["stopped", 4401, true]);
});

test("silence is asked about, called silent, and ends the link at the relay's own hang-up time", () => {
  const scene = new Scene().live();
  scene.wait(20_000);
  assert.equal(scene.sent("ping").length, 1);
  assert.equal(scene.link.phase, "live");
  scene.wait(10_000);
  assert.equal(scene.link.phase, "silent");
  scene.wait(15_001);
  assert.equal(scene.link.phase, "waiting");
});

test("an answer to the question keeps the link live, and the next silence is asked about again", () => {
  const scene = new Scene().live();
  for (let round = 1; round <= 3; round += 1) {
    scene.wait(20_500);
    const probes = scene.sent("ping");
    assert.equal(probes.length, round);
    scene.say({ type: "reply", id: probes.at(-1).id });
    assert.equal(scene.link.phase, "live");
    scene.wait(8_000);
    assert.equal(scene.link.phase, "live");
    scene.say({ type: "summary", summary: {} });
  }
});

test("a clock that is set back or forward does not put off the question", () => {
  for (const setBy of [-3_600_000, 3_600_000]) {
    const scene = new Scene().live();
    scene.setBy = setBy;
    scene.wait(31_000);
    assert.deepEqual([scene.sent("ping").length, scene.link.phase], [1, "silent"]);
  }
});

test("a word after silence makes it live again", () => {
  const scene = new Scene().live();
  scene.wait(31_000);
  assert.equal(scene.link.phase, "silent");
  scene.say({ type: "summary", summary: {} });
  assert.equal(scene.link.phase, "live");
  scene.wait(60_000);
  assert.equal(scene.link.phase === "waiting" || scene.link.phase === "connecting", true);
});

test("waking up tries at once, and asks a link that slept", () => {
  const scene = new Scene().live();
  scene.link.wake();
  assert.equal(scene.sent("ping").length, 1);
  scene.wait(4_100);
  assert.equal(scene.link.phase, "waiting");
  scene.link.wake();
  assert.equal(scene.link.phase, "connecting");
});

test("what an abandoned socket says is not heard", () => {
  const scene = new Scene().live();
  const old = scene.socket;
  scene.link.stop();
  old.onmessage({ data: JSON.stringify({ type: "summary", summary: {} }) });
  old.onclose({ code: 1006, reason: "" });
  assert.equal(scene.messages.includes("summary"), false);
  assert.equal(scene.link.phase, "stopped");
});

for (const [phase, begin] of [["connecting", () => undefined], ["greeting", (scene) => scene.socket.onopen()]]) {
  test(`an attempt that is swallowed while ${phase} ends after ten seconds, and the next begins`, () => {
    const scene = new Scene();
    scene.link.start();
    begin(scene);
    scene.wait(9_999);
    assert.equal(scene.link.phase, phase);
    scene.wait(1);
    assert.deepEqual([scene.link.phase, scene.socket.readyState], ["waiting", 3]);
    scene.wait(500);
    assert.deepEqual([scene.link.phase, scene.sockets.length], ["connecting", 2]);
    scene.live();
  });
}

test("a first snapshot that never comes ends the link at the relay's own hang-up time", () => {
  const scene = new Scene();
  scene.link.start();
  scene.socket.onopen();
  scene.say({ type: "welcome", epoch: "e", heartbeat: { pingSeconds: 20, hangUpSeconds: 45 } });
  scene.wait(44_900);
  assert.equal(scene.link.phase, "catchingUp");
  scene.wait(200);
  assert.equal(scene.link.phase, "waiting");
});

const phases = {
  connecting: (scene) => scene.link.start(),
  greeting: (scene) => (scene.link.start(), scene.socket.onopen()),
  catchingUp: (scene) => (scene.link.start(), scene.socket.onopen(), scene.say({ type: "welcome", epoch: "e" })),
  silent: (scene) => (scene.live(), scene.wait(31_000)),
  waiting: (scene) => (scene.link.start(), scene.close(1006)),
};
for (const [phase, reach] of Object.entries(phases)) {
  test(`waking up while ${phase} begins anew, and the old socket is not heard any more`, async () => {
    const scene = new Scene();
    reach(scene);
    assert.equal(scene.link.phase, phase);
    const old = scene.socket;
    const asked = scene.link.command({ type: "decide", approval: "a" }, { id: "c1", again: true });
    scene.link.wake();
    assert.deepEqual([scene.link.phase, scene.sockets.length], ["connecting", 2]);
    if (phase !== "waiting") assert.equal(old.readyState, 3);
    old.onclose({ code: 4401, reason: "" });
    scene.live();
    scene.say({ type: "reply", id: scene.sent("decide")[0].id });
    await asked;
    assert.equal(scene.clock.waiting, 1, "no timer of the attempt before is left");
    scene.wait(44_000);
    assert.equal(scene.sockets.length, 2);
  });
}

test("waking up a link that is already being asked shortens the wait, and never lengthens it", () => {
  const scene = new Scene().live();
  scene.wait(20_100);
  assert.equal(scene.sent("ping").length, 1);
  scene.link.wake();
  scene.wait(1_000);
  scene.link.wake();
  scene.wait(1_000);
  assert.equal(scene.link.phase, "silent");
  scene.wait(2_100);
  assert.equal(scene.link.phase, "waiting");
});

test("a link that was stopped, or never begun, is not woken", () => {
  const idle = new Scene();
  idle.link.wake();
  const stopped = new Scene().live();
  stopped.close(4401);
  stopped.link.wake();
  assert.deepEqual([idle.sockets.length, stopped.sockets.length, stopped.link.phase], [0, 1, "stopped"]);
});

test("a session that the relay did not know yet is asked for again when there is news of it", async () => {
  const scene = new Scene().live();
  scene.link.watch("s");
  scene.link.exists("s");
  const [asked] = scene.sent("subscribe");
  scene.say({ type: "reply", id: asked.id, error: { code: "notFound", message: "no such session" } });
  await new Promise((resolve) => setImmediate(resolve));
  scene.link.exists("s");
  scene.link.exists("s");
  assert.deepEqual(scene.sent("subscribe").map(({ session }) => session), ["s", "s"]);
});
