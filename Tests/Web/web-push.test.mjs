import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandError } from "../../web/link.js";
import { WebPush } from "../../web/web-push.js";

const keyOf = (last) => new Uint8Array([4, ...Array(63).fill(7), last]);
const inBase64URL = (bytes) => Buffer.from(bytes).toString("base64url");

/** A fake browser with a push service, a relay behind a link, and a person's permission. */
class Scene {
  clock = 0;
  permission = "default";
  /** The person's answer to the browser's permission prompt. */
  answer = "granted";
  relayKey = keyOf(1);
  keyAnswer = () => new Response(JSON.stringify({ key: inBase64URL(this.relayKey) }));
  asked = [];
  commands = [];
  /** The devices registered at the relay, by name. */
  known = new Map();
  refusals = {};
  stored = new Map();
  subscription = null;
  subscribed = 0;
  drawn = 0;
  link = { isLive: true, freshID: () => `id${this.commands.length}`, command: (message) => this.hear(message) };
  around = {
    isSecure: true, isTabOfPhone: false, isAble: true, agent: "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0",
    worker: async () => ({ pushManager: this.manager }),
    permission: () => this.permission,
    storage: () => ({ getItem: (key) => this.stored.get(key) ?? null, setItem: (key, value) => this.stored.set(key, value), removeItem: (key) => this.stored.delete(key) }),
    ask: async (path) => { this.asked.push(path); return this.keyAnswer(); },
    now: () => this.clock,
  };
  manager = {
    getSubscription: async () => this.subscription,
    subscribe: (options) => { this.subscribed += 1; return this.subscribe(options); },
  };

  async subscribe({ userVisibleOnly, applicationServerKey }) {
    assert.equal(userVisibleOnly, true);
    if (this.permission === "default") this.permission = this.answer;
    if (this.permission !== "granted") throw Object.assign(new Error("no"), { name: "NotAllowedError" });
    if (this.subscription) assert.deepEqual(new Uint8Array(this.subscription.options.applicationServerKey), applicationServerKey, "a browser refuses another key");
    this.subscription ??= this.made(applicationServerKey);
    return this.subscription;
  }

  made(key, name = `e${this.subscribed}`) {
    return {
      options: { applicationServerKey: key.slice().buffer },
      toJSON: () => ({ endpoint: `https://push.example/${name}`, expirationTime: null, keys: { p256dh: "P", auth: "A" } }),
      unsubscribe: async () => { this.subscription = null; return true; },
    };
  }

  async hear(message) {
    this.commands.push(message);
    if (this.refusals[message.type]) throw new CommandError(this.refusals[message.type]);
    if (message.type === "device") this.known.set(message.device.device, message.device);
    if (message.type === "forget") this.known.delete(message.device);
    return message.type === "devices" ? { devices: [...this.known.keys()].map((device) => ({ device: { device } })) } : {};
  }

  said = (type) => this.commands.filter((command) => command.type === type);
  push = new WebPush(this.around, this.link, () => "Ada's laptop", () => { this.drawn += 1; });
  get state() { return [this.push.standing, this.push.reason]; }

  async on() {
    await this.push.refresh();
    await this.push.switchOn();
    assert.deepEqual(this.state, ["on", ""]);
    return this;
  }
}

test("what stands in the way is named, and the relay is not asked", async () => {
  for (const [standing, change] of [["insecure", { isSecure: false }], ["homeScreen", { isTabOfPhone: true }], ["browser", { isAble: false }], ["browser", { worker: async () => undefined }]]) {
    const scene = new Scene();
    Object.assign(scene.around, change);
    await scene.push.refresh();
    assert.equal(scene.push.standing, standing);
    await scene.push.switchOn();
    assert.deepEqual([scene.asked.length, scene.subscribed, scene.commands.length], [0, 0, 0]);
  }
});

test("a relay that sends none says why; an older one is named; trouble is neither", async () => {
  const scene = new Scene();
  scene.keyAnswer = () => new Response(JSON.stringify({ error: { code: "webPushOff", message: "It has no public address." } }), { status: 404 });
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["relay", "It has no public address."]);
  scene.keyAnswer = () => new Response("there is nothing here", { status: 404 });
  await scene.push.refresh();
  assert.match(scene.push.reason, /older than this page/);
  const another = new Scene();
  another.keyAnswer = () => new Response("", { status: 503 });
  await another.push.refresh();
  assert.deepEqual(another.state, ["unknown", "The relay answered 503."]);
  another.keyAnswer = () => { throw new TypeError("Failed to fetch"); };
  await another.push.refresh();
  assert.deepEqual(another.state, ["unknown", "The relay cannot be reached."]);
});

test("a key that is none is not handed to the browser", async () => {
  const scene = new Scene();
  scene.relayKey = new Uint8Array(64);
  await scene.push.refresh();
  assert.equal(scene.push.standing, "unknown");
  await scene.push.switchOn();
  assert.equal(scene.subscribed, 0);
});

test("switched on in the very turn of the tap, told to the relay, and only then remembered", async () => {
  const scene = new Scene();
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["off", ""]);
  const switching = scene.push.switchOn();
  assert.equal(scene.subscribed, 1, "nothing comes between the tap and the browser's question");
  assert.equal(scene.push.isBusy, true);
  await switching;
  assert.equal(scene.push.isBusy, false);
  const [{ device }] = scene.said("device");
  assert.deepEqual(device, {
    device: scene.push.device, name: "Ada's laptop", system: "Firefox on Linux", language: "en-GB", web: { endpoint: "https://push.example/e1", p256dh: "P", auth: "A" },
    text: "summary", kinds: ["approval", "question", "error", "finished", "budget"], muted: [],
  });
  assert.equal(scene.stored.get("heliograph.device"), device.device);
});

test("a person who says no is told how to change that; one who waves it away may tap again", async () => {
  const scene = new Scene();
  scene.answer = "denied";
  await scene.push.refresh();
  await scene.push.switchOn();
  assert.deepEqual(scene.state, ["denied", ""]);
  scene.permission = "default";
  scene.answer = "default";
  await scene.push.refresh();
  await scene.push.switchOn();
  assert.equal(scene.push.standing, "off");
  assert.match(scene.push.reason, /Tap again/);
  scene.answer = "granted";
  await scene.push.switchOn();
  assert.equal(scene.push.standing, "on");
});

test("what the relay refuses is off, with its reason, and is not remembered", async () => {
  const scene = new Scene();
  scene.refusals.device = { code: "tooMany", message: "at most 100 devices" };
  await scene.push.refresh();
  await scene.push.switchOn();
  assert.deepEqual(scene.state, ["off", "The relay did not take it: at most 100 devices"]);
  assert.equal(scene.push.device, "");
  scene.refusals = {};
  await scene.push.switchOn();
  assert.equal(scene.push.standing, "on");
});

test("a push service that cannot be reached is not the person's fault", async () => {
  const scene = new Scene();
  scene.manager.subscribe = async () => { throw Object.assign(new Error("Registration failed"), { name: "AbortError" }); };
  await scene.push.refresh();
  await scene.push.switchOn();
  assert.deepEqual(scene.state, ["off", "The browser did not reach its push service: Registration failed"]);
});

test("switched off: the subscription is given up, and the relay forgets", async () => {
  const scene = await new Scene().on();
  const { device } = scene.push;
  await scene.push.switchOff();
  assert.deepEqual([scene.state, scene.subscription, scene.push.device], [["off", ""], null, ""]);
  assert.deepEqual(scene.said("forget"), [{ type: "forget", device }]);
});

test("switched off while the relay is away is off all the same, and says so", async () => {
  const scene = await new Scene().on();
  scene.refusals.forget = { code: "linkLost", message: "the link broke" };
  await scene.push.switchOff();
  assert.equal(scene.push.standing, "off");
  assert.match(scene.push.reason, /finds out with its next push: the link broke/);
  assert.equal(scene.subscription, null);
});

test("a subscription that the browser does not give up stays on", async () => {
  const scene = await new Scene().on();
  scene.subscription.unsubscribe = async () => false;
  await scene.push.switchOff();
  assert.equal(scene.push.standing, "on");
  assert.match(scene.push.reason, /Try again/);
  assert.equal(scene.said("forget").length, 0);
});

test("whoever comes back tells the relay again, but not each time; another subscription at once", async () => {
  const scene = await new Scene().on();
  const told = () => scene.said("device").length;
  await scene.push.returned();
  scene.clock = 599_999;
  await scene.push.returned();
  assert.equal(told(), 1);
  scene.clock = 600_000;
  await scene.push.returned();
  assert.equal(told(), 2);
  scene.subscription = scene.made(scene.relayKey, "renewed");
  await scene.push.returned();
  assert.equal(told(), 3);
  assert.equal(scene.said("device")[2].device.web.endpoint, "https://push.example/renewed");
  assert.equal(new Set(scene.said("device").map(({ device }) => device.device)).size, 1);
});

test("a browser that gets no pushes is not asked about them when somebody comes back", async () => {
  const scene = new Scene();
  await scene.push.returned();
  assert.deepEqual([scene.asked, scene.push.standing], [[], "unknown"]);
});

test("another key of the relay's: the browser subscribes anew, as the same device", async () => {
  const scene = await new Scene().on();
  const { device } = scene.push;
  scene.relayKey = keyOf(2);
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["on", ""]);
  assert.deepEqual(new Uint8Array(scene.subscription.options.applicationServerKey), keyOf(2));
  assert.deepEqual([scene.push.device, scene.said("device").length], [device, 2]);
});

test("where the browser wants a tap for that, one is asked for", async () => {
  const scene = await new Scene().on();
  scene.relayKey = keyOf(2);
  const { subscribe } = scene.manager;
  scene.manager.subscribe = async () => { throw Object.assign(new Error("no gesture"), { name: "NotAllowedError" }); };
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["off", "The relay has a new key: switch notifications on again."]);
  scene.manager.subscribe = subscribe;
  await scene.push.switchOn();
  assert.equal(scene.push.standing, "on");
});

test("what the browser dropped can be switched on again, as the same device with what was chosen for it", async () => {
  const scene = await new Scene().on();
  const { device } = scene.push;
  scene.subscription = null;
  await scene.push.refresh();
  assert.equal(scene.push.standing, "off");
  assert.match(scene.push.reason, /Switch them on again/);
  await scene.push.switchOn();
  assert.deepEqual([scene.push.standing, scene.push.device], ["on", device]);
});

test("what was forgotten elsewhere stays forgotten", async () => {
  const scene = await new Scene().on();
  scene.known.clear();
  scene.clock = 600_000;
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["off", "They were switched off for this browser from elsewhere."]);
  assert.deepEqual([scene.subscription, scene.push.device, scene.said("device").length], [null, "", 1]);
});

test("a relay that is away changes nothing", async () => {
  const scene = await new Scene().on();
  scene.clock = 600_000;
  scene.refusals.devices = { code: "linkLost", message: "the link broke" };
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["on", "The relay was not told the new address for pushes: the link broke"]);
  scene.link.isLive = false;
  await scene.push.refresh();
  assert.equal(scene.push.standing, "on");
  scene.keyAnswer = () => { throw new TypeError("Failed to fetch"); };
  await scene.push.refresh();
  assert.equal(scene.push.standing, "on");
});

test("a browser that does not answer is looked at again, and says so", async () => {
  const scene = new Scene();
  const { getSubscription } = scene.manager;
  scene.manager.getSubscription = async () => { throw new Error("the disk is full"); };
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["unknown", "The browser does not say whether it has a subscription: the disk is full"]);
  scene.manager.getSubscription = getSubscription;
  await scene.push.refresh();
  assert.deepEqual(scene.state, ["off", ""]);
});

test("who looks twice at once looks once", async () => {
  const scene = new Scene();
  await Promise.all([scene.push.refresh(), scene.push.refresh()]);
  assert.equal(scene.asked.length, 1);
});

test("logged out, nothing comes to this browser any more, and the relay need not be told", async () => {
  const scene = await new Scene().on();
  await scene.push.loggedOut();
  assert.deepEqual([scene.push.standing, scene.subscription, scene.push.device, scene.said("forget").length], ["unknown", null, "", 0]);
});

test("blocked site data is no fault of the page", async () => {
  const scene = new Scene();
  scene.around.storage = () => { throw new Error("blocked"); };
  assert.equal(scene.push.device, "");
  await scene.push.returned();
  assert.equal(scene.asked.length, 0);
});
