import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "../../web/link.js";
import { Looks } from "../../web/looks.js";
import { Typist } from "../../web/typist.js";

/** Lets pending promises settle. */
const settle = async () => {
  for (let turn = 0; turn < 10; turn += 1) await undefined;
};

class Stage {
  asked = [];
  drawn = [];
  failures = [];
  timers = [];
  of = "";
  #replies = [];
  link = {
    isLive: true,
    freshID: () => "k1",
    command: (message) => {
      this.asked.push(message);
      return new Promise((resolve, reject) => this.#replies.push({ resolve, reject }));
    },
  };
  looks = new Looks(this.link, {
    of: () => this.of,
    opened: async (session, id, drawing) => drawing,
    drawn: (drawing) => {
      this.of = drawing.of;
      this.drawn.push(drawing.of);
    },
    failed: (error) => this.failures.push(error.code),
    setTimer: (run, milliseconds) => this.timers.push({ run, milliseconds }),
  });

  async reply(of) {
    this.#replies.shift().resolve({ screen: { of } });
    await settle();
  }

  async refuse(code) {
    this.#replies.shift().reject(new CommandError({ code, message: code }));
    await settle();
  }
}

test("the next screen is asked for when the one before is drawn, and only then", async () => {
  const stage = new Stage();
  stage.looks.start("s1");
  stage.looks.start("s1");
  assert.deepEqual(stage.asked, [{ type: "screen", session: "s1" }]);
  await stage.reply("t.1");
  assert.deepEqual([stage.drawn, stage.asked.at(-1)], [["t.1"], { type: "screen", session: "s1", after: "t.1" }]);
  assert.equal(stage.asked.length, 2);
});

test("nothing is asked, and nothing drawn, once nobody looks", async () => {
  const stage = new Stage();
  stage.looks.start("s1");
  stage.looks.stop();
  await stage.reply("t.1");
  assert.deepEqual([stage.drawn, stage.asked.length, stage.looks.isLooking], [[], 1, false]);
});

test("a failure that may pass is tried again after a while; another, or a broken link, is not", async () => {
  const stage = new Stage();
  stage.looks.start("s1");
  await stage.refuse("unavailable");
  assert.deepEqual([stage.failures, stage.asked.length, stage.looks.isLooking], [["unavailable"], 1, true]);
  stage.timers.find(({ milliseconds }) => milliseconds === 2_000).run();
  await settle();
  assert.equal(stage.asked.length, 2);
  await stage.refuse("unsupported");
  assert.deepEqual([stage.failures.at(-1), stage.looks.isLooking], ["unsupported", false]);
  stage.looks.start("s1");
  await stage.refuse("linkLost");
  assert.equal(stage.looks.isLooking, false);
});

test("a host that does not answer is said to be silent, and asked again", async () => {
  const stage = new Stage();
  stage.looks.start("s1");
  stage.timers.find(({ milliseconds }) => milliseconds === 20_000).run();
  await settle();
  assert.deepEqual(stage.failures, ["unavailable"]);
});

class Desk {
  sent = [];
  told = [];
  places = [];
  #replies = [];
  typist = new Typist(
    { freshID: () => `k${this.sent.length + 1}`, command: (message, { id }) => new Promise((resolve, reject) => {
      this.sent.push([id, Buffer.from(message.keys, "base64url").toString(), message.signature, message.seen]);
      this.places.push(message.session);
      this.#replies.push({ resolve, reject });
    }) },
    { signed: async (command, id) => ({ ...command, signature: `of ${id}` }) },
    (error, session) => this.told.push([error.code, session]));

  async type(text, seen = "t.1", session = "s1") {
    const isTaken = this.typist.type(session, new TextEncoder().encode(text), seen);
    await settle();
    return isTaken;
  }

  async reply(code) {
    const { resolve, reject } = this.#replies.shift();
    if (code) reject(new CommandError({ code, message: code }));
    else resolve({});
    await settle();
  }
}

test("keys go in their order, each signed, and those pressed meanwhile go together", async () => {
  const desk = new Desk();
  await desk.type("i");
  await desk.type("h", "t.2");
  await desk.type("ello", "t.3");
  assert.deepEqual(desk.sent, [["k1", "i", "of k1", "t.1"]]);
  await desk.reply();
  assert.deepEqual(desk.sent.at(-1), ["k2", "hello", "of k2", "t.2"], "where the first of them was pressed, whatever has come since");
  await desk.reply();
  assert.deepEqual([desk.sent.length, desk.told], [2, []]);
});

test("what was not typed is not sent again, nor what was written after it", async () => {
  const desk = new Desk();
  await desk.type("rm ");
  await desk.type("-rf /\r");
  await desk.reply("linkLost");
  assert.deepEqual([desk.sent.length, desk.told], [1, [["linkLost", "s1"]]]);
  await desk.type("x");
  assert.deepEqual(desk.sent.at(-1).slice(0, 2), ["k2", "x"]);
});

test("what is typed at another screen goes there, also while a message of the one before is under way", async () => {
  const desk = new Desk();
  await desk.type("one");
  await desk.type("rest of one");
  desk.typist.forget();
  await desk.type("two", "u.1", "s2");
  await desk.reply("linkLost");
  assert.deepEqual(desk.told, [["linkLost", "s1"]]);
  await desk.reply();
  assert.deepEqual([desk.sent.map(([, text]) => text), desk.places], [["one", "two"], ["s1", "s2"]]);
  await desk.type("a", "u.1", "s2");
  desk.typist.forget();
  await desk.type("b", "t.1", "s1");
  await desk.reply();
  assert.deepEqual([desk.sent.at(-1)[1], desk.places.at(-1)], ["b", "s1"]);
});

test("a long paste goes in several messages, and a file is none", async () => {
  const desk = new Desk();
  assert.equal(await desk.type("x".repeat(5_000)), true);
  await desk.reply();
  assert.deepEqual(desk.sent.map(([, text]) => text.length), [4_000, 1_000]);
  await desk.reply();
  assert.equal(await desk.type("x".repeat(70_000)), false);
});
