import assert from "node:assert/strict";
import { test } from "node:test";
import { Script, createContext } from "node:vm";
import { bytesOfBase64url, decisionStatementOf } from "../../web/consent.js";
import { learned } from "../../web/epochs.js";
import { KeyStore } from "../../web/keys.js";
import { bundled } from "./bundle.mjs";
import { Clock } from "./clock.mjs";
import { MemoryDatabases } from "./memory-database.mjs";
import { PlayedHost } from "./played-host.mjs";
import { SealingHost } from "./sealing-host.mjs";

const origin = "https://relay.example";
const source = new Script(await bundled("worker.js"));

/** A fake browser for the service worker; it records notifications, requests and opened pages. */
function worker({ answer = () => new Response('{"type":"reply","id":"","stage":"decided"}'), subscribe, pages = [], shell, parts = [], clock = new Clock(), indexedDB = new MemoryDatabases(), relay } = {}) {
  const heard = new Map();
  const seen = { shown: [], asked: [], opened: [], kept: [], subscribed: [], closed: 0 };
  const self = {
    addEventListener: (name, run) => heard.set(name, run),
    registration: {
      showNotification: async (title, options) => void seen.shown.push({ title, ...options }),
      pushManager: { subscribe: async (options) => (seen.subscribed.push(options), subscribe?.()) },
    },
    clients: { matchAll: async () => pages, openWindow: async (address) => void seen.opened.push(address) },
  };
  const globals = { self, location: new URL(`${origin}/worker.js`), URL, AbortController, setTimeout: clock.setTimer, indexedDB, crypto, TextEncoder, TextDecoder, btoa, atob, WebSocket: relay };
  /** Cached responses besides the page, by path. */
  const kept = new Map(parts.map((path) => [path, new Response(`kept ${path}`)]));
  globals.caches = { open: async () => ({
    match: async (request) => (request === "/" ? shell : kept.get(new URL(request.url ?? request, origin).pathname))?.clone(), put: async (_, page) => void seen.kept.push(page),
    addAll: async (paths) => {
      for (const path of paths) {
        const part = await globals.fetch(path);
        if (!part.ok) throw new TypeError("failed");
        kept.set(path, part);
      }
    },
    keys: async () => [`${origin}/`, ...[...kept.keys()].map((path) => `${origin}${path}`)].map((url) => ({ url })), delete: async (path) => kept.delete(path),
  }) };
  globals.fetch = async (address, options) => {
    seen.asked.push({ address, ...options, signal: undefined });
    return answer(address);
  };
  source.runInContext(createContext(globals));
  /** The response that the browser shows for a path of the page. */
  const navigate = (address, more = {}) => {
    let answered;
    heard.get("fetch")({
      request: { mode: "navigate", url: `${origin}${address}` }, respondWith: (response) => { answered = response; }, waitUntil: () => undefined, ...more,
    });
    return answered;
  };
  const fire = async (name, event) => {
    const waits = [];
    heard.get(name)({ ...event, waitUntil: (done) => waits.push(done) });
    await Promise.all(waits);
  };
  return {
    seen, navigate, kept,
    request: (path) => navigate(path, { request: { mode: "cors", url: `${origin}${path}` } }),
    push: (data) => fire("push", { data: { json: () => JSON.parse(data) } }),
    changed: (event) => fire("pushsubscriptionchange", event),
    pushDeclared: (notification) => fire("push", { data: null, notification }),
    press: (action, shown = seen.shown.at(-1)) => fire("notificationclick", {
      action, notification: { ...structuredClone(shown), close: () => { seen.closed += 1; } },
    }),
  };
}

const told = { kind: "approval", session: "s1", approval: "a1", code: "c0de", decisions: ["deny"] };
const notification = (heliograph = told, more = {}) => ({
  title: "Allow Bash?", body: "swift test\n1 more waits", tag: "t", navigate: `${origin}/#/approvals/s1/a1`, data: { heliograph }, ...more,
});
const message = (...given) => JSON.stringify({ web_push: 8030, mutable: true, notification: notification(...given) });
/** Copies a value out of the worker's realm, whose objects have other prototypes. */
const plain = (value) => JSON.parse(JSON.stringify(value));

test("an approval is shown whole, with what this device may decide, and stays until it is seen", async () => {
  const one = worker();
  await one.push(message());
  const [shown] = one.seen.shown;
  assert.deepEqual([shown.title, shown.body, shown.tag], ["Allow Bash?", "swift test\n1 more waits", "t"]);
  assert.deepEqual(plain(shown.actions), [{ action: "deny", title: "Deny" }, { action: "review", title: "Review" }]);
  assert.deepEqual([shown.silent, shown.renotify, shown.requireInteraction], [false, true, true]);
});

test("a browser that reads the push itself shows the same", async () => {
  const one = worker();
  await one.push(message());
  await one.pushDeclared(notification());
  assert.deepEqual(plain(one.seen.shown[1]), plain(one.seen.shown[0]));
});

test("a test is shown, and open pages hear that it came this far", async () => {
  const heard = [];
  const one = worker({ pages: [{ postMessage: (message) => heard.push(plain(message)) }] });
  await one.push(message({ kind: "test" }, { title: "Heliograph" }));
  await one.push(message());
  assert.deepEqual([one.seen.shown.length, heard], [2, [{ arrived: "test" }]]);
});

test("Allow is offered only where the relay says so, and nothing without a code", async () => {
  const one = worker();
  await one.push(message({ ...told, decisions: ["deny", "allow", "rm"] }));
  await one.push(message({ ...told, code: undefined, decisions: ["deny", "allow"] }));
  assert.deepEqual(one.seen.shown.map(({ actions }) => plain(actions).map(({ action }) => action)), [["deny", "allow", "review"], ["review"]]);
});

test("what was settled elsewhere takes the place of its question without a sound", async () => {
  const one = worker();
  await one.push(message({ kind: "settled", session: "s1", rings: false }, { title: "Denied on laptop" }));
  const [shown] = one.seen.shown;
  assert.deepEqual([shown.silent, shown.renotify, shown.requireInteraction, plain(shown.actions)], [true, false, false, []]);
});

for (const text of ["", "no JSON", "7", "null", "[]", "{}", '{"notification":7}', '{"notification":{"title":""}}', '{"notification":{"title":7,"data":null}}']) {
  test(`of a push that says ${JSON.stringify(text)} something is shown all the same`, async () => {
    const one = worker();
    await one.push(text);
    assert.equal(one.seen.shown[0].title, "Heliograph");
    assert.equal(one.seen.shown[0].navigate, `${origin}/`);
  });
}

test("Deny decides with the code, once, with no page open", async () => {
  const one = worker();
  await one.push(message());
  await one.press("deny");
  assert.deepEqual(plain(one.seen.asked), [
    { address: "/v1/decisions/c0de", method: "POST", headers: { "Content-Type": "application/json" }, body: '{"decision":"deny"}' },
  ]);
  assert.deepEqual([one.seen.closed, one.seen.shown.length, one.seen.opened.length], [1, 1, 0]);
});

test("a button that was not offered only opens the page", async () => {
  const one = worker();
  await one.push(message());
  for (const action of ["allow", "constructor", "review", ""]) await one.press(action);
  assert.equal(one.seen.asked.length, 0);
  assert.deepEqual(one.seen.opened, Array(4).fill(`${origin}/#/approvals/s1/a1`));
});

const failures = {
  "an answer of somebody else": [
    () => new Response(JSON.stringify({ error: { code: "alreadyDecided", message: "decided", winner: { decision: "allow", by: { name: "laptop" } } } }), { status: 409 }),
    "Decided already: allowed by laptop."],
  "a network's page for logging in": [
    () => new Response("<html>Log in", { headers: { "Content-Type": "text/html" } }), "Something else answered in the relay's place. Open the page to decide."],
  "another server's JSON": [() => new Response('{"ok":true}'), "Something else answered in the relay's place. Open the page to decide."],
  "an answer without a body": [() => new Response(null, { status: 204 }), "Something else answered in the relay's place. Open the page to decide."],
  "a code that is used": [() => new Response("{}", { status: 404 }), "It was answered already, or waited too long."],
  "a proxy in trouble": [() => new Response("<html>", { status: 502 }), "The relay answered 502."],
  "a relay that says why": [() => new Response('{"error":{"code":"unavailable","message":"the disk is full"}}', { status: 503 }), "The relay says: the disk is full."],
  "no connection": [() => { throw new TypeError("failed"); }, "The relay cannot be reached. Open the page to decide."],
};
for (const [name, [answer, sentence]] of Object.entries(failures)) {
  test(`a denial that fails because of ${name} says so, and does not offer it again`, async () => {
    const one = worker({ answer });
    await one.push(message());
    await one.press("deny");
    const shown = one.seen.shown.at(-1);
    assert.deepEqual([shown.title, shown.body, shown.tag], ["Not denied: Allow Bash?", sentence, "t"]);
    await one.press("deny");
    assert.equal(one.seen.asked.length, 1);
    assert.deepEqual(one.seen.opened, [`${origin}/#/approvals/s1/a1`]);
  });
}

test("a press goes to the page that is looked at, else to one that is open", async () => {
  const page = (visibilityState) => {
    const one = { visibilityState, messages: [], isFocused: false, postMessage: (said) => one.messages.push(plain(said)), focus: async () => { one.isFocused = true; } };
    return one;
  };
  const [hidden, visible] = [page("hidden"), page("visible")];
  const one = worker({ pages: [hidden, visible] });
  await one.push(message());
  await one.press("");
  assert.deepEqual([visible.messages, visible.isFocused, hidden.messages], [[{ open: "#/approvals/s1/a1" }], true, []]);
});

test("a browser that does not let its page come forward opens another", async () => {
  const page = { visibilityState: "visible", postMessage: () => undefined, focus: async () => { throw new Error("InvalidAccessError"); } };
  const one = worker({ pages: [page] });
  await one.push(message());
  await one.press("");
  assert.deepEqual(one.seen.opened, [`${origin}/#/approvals/s1/a1`]);
});

// The push subscription

test("a subscription that the browser took back is replaced, and pages that are open hear of it", async () => {
  const heard = [];
  const one = worker({ pages: [{ postMessage: (said) => heard.push(plain(said)) }, { postMessage: (said) => heard.push(plain(said)) }] });
  await one.changed({ oldSubscription: { options: { applicationServerKey: "key" } }, newSubscription: null });
  assert.deepEqual(plain(one.seen.subscribed), [{ userVisibleOnly: true, applicationServerKey: "key" }]);
  assert.deepEqual([heard, one.seen.shown.length], [Array(2).fill({ subscription: "changed" }), 0]);
});

test("with no page open, somebody is told to open one", async () => {
  for (const event of [{}, { oldSubscription: { options: { applicationServerKey: "key" } } }, { oldSubscription: null, newSubscription: {} }]) {
    const one = worker({ subscribe: () => { throw new Error("NotAllowedError"); } });
    await one.changed(event);
    assert.equal(one.seen.shown[0].title, "Open Heliograph once");
    await one.press("");
    assert.deepEqual(one.seen.opened, [`${origin}/#/devices`]);
  }
});

for (const navigate of ["https://evil.example/#/approvals/s1/a1", "javascript:alert(1)", "//evil.example/", "http://relay.example/", 7, undefined]) {
  test(`a push that names ${navigate} opens our own page`, async () => {
    const one = worker();
    await one.push(message(told, { navigate }));
    await one.press("review");
    assert.ok(one.seen.opened[0].startsWith(`${origin}/`), one.seen.opened[0]);
  });
}

// The page without a connection

const text = async (response) => (await response).text();
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("the relay's page is shown and kept, whichever way it was asked for", async () => {
  const one = worker({ answer: () => new Response("asked"), shell: new Response("kept", { headers: { etag: "old" } }) });
  assert.equal(await text(one.navigate("/#/link")), "asked");
  assert.equal(await text(one.navigate("/", { preloadResponse: Promise.resolve(new Response("preloaded")) })), "preloaded");
  await turn();
  assert.equal(one.seen.kept.length, 2);
  assert.equal(one.navigate("/v1/me"), undefined);
});

test("the page's part is kept with it, in place of that of the page before, and shown without asking", async () => {
  const page = '<meta name="part" content="part-0a">';
  const one = worker({ answer: (address) => new Response(typeof address === "string" ? `new ${address}` : page), shell: new Response("kept", { headers: { etag: "old" } }), parts: ["/part-09.js"] });
  assert.equal(await text(one.navigate("/")), page);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.deepEqual([...one.kept.keys()], ["/part-0a.css", "/part-0a.js"]);
  assert.equal(one.seen.kept.length, 1);
  assert.equal(await text(one.request("/part-0a.js")), "new /part-0a.js");
  assert.equal(one.request("/part-x.js"), undefined);
  assert.equal(one.request("/v1/me"), undefined);
});

test("a page whose part does not come is not kept without it", async () => {
  const page = '<meta name="part" content="part-0a">';
  const one = worker({ answer: (address) => (typeof address === "string" ? new Response("", { status: 404 }) : new Response(page)), shell: new Response("kept", { headers: { etag: "old" } }) });
  assert.equal(await text(one.navigate("/")), page);
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.equal(one.seen.kept.length, 0);
});

const german = JSON.stringify({ Deny: "Ablehnen", Review: "Ansehen", "An agent needs you. Open the page to see what it asks.": "Ein Agent braucht dich." });

test("the sentences that the page keeps stay with the next page", async () => {
  const page = '<meta name="part" content="part-0a">';
  const one = worker({
    answer: (address) => new Response(typeof address === "string" ? `new ${address}` : page), shell: new Response("kept", { headers: { etag: "old" } }), parts: ["/part-09.js", "/languages/de-01.json"],
  });
  await text(one.navigate("/"));
  for (let turns = 0; turns < 20; turns += 1) await turn();
  assert.deepEqual([...one.kept.keys()], ["/languages/de-01.json", "/part-0a.css", "/part-0a.js"]);
});

test("its own words are in the page's language, and in English again after the page", async () => {
  const one = worker({ parts: ["/languages/de-01.json"] });
  one.kept.set("/languages/de-01.json", new Response(german));
  await one.push(JSON.stringify({ notification: notification() }));
  assert.deepEqual(one.seen.shown.at(-1).actions.map(({ title }) => title).join().split(","), ["Ablehnen", "Ansehen"]);
  assert.equal(one.seen.shown.at(-1).title, "Allow Bash?");
  await one.push("{}");
  assert.equal(one.seen.shown.at(-1).body, "Ein Agent braucht dich.");
  one.kept.clear();
  await one.push(JSON.stringify({ notification: notification() }));
  assert.deepEqual(one.seen.shown.at(-1).actions.map(({ title }) => title).join().split(","), ["Deny", "Review"]);
});

for (const [name, answer] of [["reaches nobody", () => { throw new TypeError("failed"); }], ["reaches a proxy alone", () => new Response("", { status: 502 })]]) {
  test(`a request that ${name} brings the kept page`, async () => {
    assert.equal(await text(worker({ answer, shell: new Response("kept") }).navigate("/")), "kept");
  });
}

test("a request that is swallowed brings the kept page after ten seconds", async () => {
  const clock = new Clock();
  const one = worker({ answer: () => new Promise(() => undefined), shell: new Response("kept"), clock });
  let shown = "";
  text(one.navigate("/")).then((page) => { shown = page; });
  await turn();
  clock.wait(9_999);
  await turn();
  assert.equal(shown, "");
  clock.wait(1);
  await turn();
  await turn();
  assert.equal(shown, "kept");
});

test("without a kept page a slow answer is waited for", async () => {
  const clock = new Clock();
  let reply = () => undefined;
  const one = worker({ answer: () => new Promise((resolve) => { reply = resolve; }), clock });
  const shown = text(one.navigate("/"));
  await turn();
  clock.wait(60_000);
  await turn();
  reply(new Response("late"));
  assert.equal(await shown, "late");
});

// Hosts that require signatures

const digest = "ab".repeat(32);

/** A fake WebSocket of a relay that answers a subscription with this snapshot, or not at all. */
const answering = (snapshot, seen = []) => class {
  constructor(address, subprotocols) {
    seen.push({ address, subprotocols });
    if (snapshot) setImmediate(() => this.onopen());
  }

  send(text) {
    const message = JSON.parse(text);
    seen.push(message);
    if (message.type === "subscribe") setImmediate(() => this.onmessage({ data: JSON.stringify(snapshot) }));
  }

  close() {
    seen.push("closed");
  }
};

/** A browser that a host trusts, and a request of that host, which requires signatures. */
async function signing({ head = {}, shown = {}, isTrusted = true, epochs } = {}) {
  const host = new PlayedHost();
  const indexedDB = new MemoryDatabases();
  globalThis.indexedDB = indexedDB;
  const keys = new KeyStore();
  const own = await keys.make();
  await keys.pin({ id: isTrusted ? host.id : new PlayedHost().id, sign: host.sign.point, box: host.box.point, name: "laptop", since: 1, ...(epochs ? { epochs } : {}) });
  await keys.keep("page", "hgk_1");
  const alert = { full: "rm -rf build", whole: true };
  const event = { kind: "approval.requested", at: 7, head: { approval: "a1", kind: "tool", tool: "Bash", digest, alert, ...head }, body: { input: { command: "rm -rf build" } } };
  const text = JSON.stringify({ salt: "AAAAAAAAAAAAAAAAAAAAAA", host: host.id, session: "s1", event, ...shown });
  const approval = { approval: "a1", session: "s1", stage: "pending", request: { ...event, body: { shown: text } } };
  return { host, own, text, indexedDB, snapshot: { type: "snapshot", session: "s1", approvals: [approval] } };
}

const offering = { ...told, decisions: ["deny", "allow"] };
const buttons = (one) => plain(one.seen.shown.at(-1).actions).map(({ action }) => action);

test("what a trusted host asks is shown in its own words, and what is pressed is signed", async () => {
  const { host, own, text, indexedDB, snapshot } = await signing();
  const heard = [];
  for (const decision of ["allow", "deny"]) {
    const one = worker({ indexedDB, relay: answering(snapshot, heard) });
    await one.push(message(offering, { title: "Allow ls?", body: "ls" }));
    const [shown] = one.seen.shown;
    assert.deepEqual([shown.title, shown.body, buttons(one)], ["Allow Bash? · laptop", "rm -rf build", ["deny", "allow", "review"]]);
    await one.press(decision);
    const { signature, ...rest } = JSON.parse(one.seen.asked[0].body);
    assert.deepEqual(rest, { decision });
    const [, id, issuedAt, proof] = signature.split(".");
    const statement = await decisionStatementOf({
      hostID: new Uint8Array(host.idBytes), session: "s1", approval: "a1", text, digest, verdict: { decision }, issuedAt: Number(issuedAt), deviceID: bytesOfBase64url(id, "id"),
    });
    const point = await crypto.subtle.importKey("raw", own.points.sign, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
    assert.ok(await crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, point, bytesOfBase64url(proof, "signature"), statement));
  }
  assert.deepEqual(plain(heard[0]), { address: "wss://relay.example/v1/client", subprotocols: ["heliograph.v1", "key.hgk_1"] });
  assert.equal(heard.filter((one) => one === "closed").length, 2);
});

const unsure = {
  "the relay left the host's text out": async () => {
    const { snapshot, ...rest } = await signing();
    return { ...rest, snapshot: { ...snapshot, approvals: [] } };
  },
  "its host is not trusted": () => signing({ isTrusted: false }),
  "its host seals, and it is in the open": () => signing({ epochs: new Map([[1, "key"]]) }),
  "it cannot be read": () => signing({ shown: { session: "s2" } }),
  "it is cut": () => signing({ head: { cut: true } }),
  "its words are not whole": () => signing({ head: { alert: { full: "rm", whole: false } } }),
  "it has no words": () => signing({ head: { alert: undefined } }),
  "its words are long": () => signing({ head: { alert: { full: "x".repeat(2601), whole: true } } }),
  "its words hide something": () => signing({ head: { alert: { full: "rm \u202e fdliub", whole: true } } }),
};
for (const [name, make] of Object.entries(unsure)) {
  test(`no Allow is offered if ${name}`, async () => {
    const { indexedDB, snapshot } = await make();
    const one = worker({ indexedDB, relay: answering(snapshot) });
    await one.push(message(offering));
    assert.deepEqual([one.seen.shown[0].title, buttons(one)], ["Allow Bash?", ["deny", "review"]]);
    await one.press("allow");
    assert.deepEqual([one.seen.asked.length, one.seen.opened.length], [0, 1]);
    await one.press("deny");
    assert.equal(one.seen.asked[0].body, '{"decision":"deny"}');
  });
}

test("a relay that does not say in time what is asked delays no notification for long", async () => {
  const { indexedDB } = await signing();
  const clock = new Clock();
  const one = worker({ indexedDB, relay: answering(undefined), clock });
  const pushed = one.push(message(offering));
  while (!clock.waiting) await new Promise(setImmediate);
  clock.wait(6_000);
  await pushed;
  assert.deepEqual(buttons(one), ["deny", "review"]);
});

test("a browser that has met such hosts, and is trusted by none, is offered no Allow for what they ask", async () => {
  const { snapshot } = await signing();
  const indexedDB = new MemoryDatabases();
  globalThis.indexedDB = indexedDB;
  await new KeyStore().keep("page", "hgk_1");
  const one = worker({ indexedDB, relay: answering(snapshot) });
  await one.push(message(offering));
  assert.deepEqual(buttons(one), ["deny", "review"]);
});

test("other hosts' approvals are as they were, and browsers that have met none with keys ask nothing", async () => {
  const { indexedDB, snapshot } = await signing();
  const [{ request, ...rest }] = snapshot.approvals;
  const open = { ...snapshot, approvals: [{ ...rest, request: { ...request, body: { input: {} } } }] };
  const one = worker({ indexedDB, relay: answering(open) });
  await one.push(message(offering));
  assert.deepEqual([one.seen.shown[0].title, buttons(one)], ["Allow Bash?", ["deny", "allow", "review"]]);
  await one.press("allow");
  assert.equal(one.seen.asked[0].body, '{"decision":"allow"}');
  const heard = [];
  const other = worker({ relay: answering(open, heard) });
  await other.push(message(offering));
  assert.deepEqual([heard, buttons(other)], [[], ["deny", "allow", "review"]]);
});

test("a browser that cleared its keys meanwhile does not allow, and says so", async () => {
  const { indexedDB, snapshot } = await signing();
  const one = worker({ indexedDB, relay: answering(snapshot) });
  await one.push(message(offering));
  indexedDB.deleteDatabase("heliograph.consent");
  await one.press("allow", { ...one.seen.shown[0] });
  assert.equal(one.seen.asked.length, 0);
  assert.match(one.seen.shown.at(-1).body, /has cleared its keys/);
});

/** A browser with the key of a host that seals. */
async function sealing() {
  const host = new SealingHost();
  const indexedDB = new MemoryDatabases();
  globalThis.indexedDB = indexedDB;
  const keys = new KeyStore();
  const own = await keys.make();
  const pin = (one, name) => ({ id: one.id, sign: one.sign.point, box: new Uint8Array(one.box.point), name, since: 1 });
  const stranger = new SealingHost();
  await keys.pin({ ...pin(stranger, "server"), epochs: await learned(own, pin(stranger), stranger.wraps(own)) });
  await keys.pin({ ...pin(host, "laptop"), epochs: await learned(own, pin(host), host.wraps(own)) });
  return { host, indexedDB };
}

const generic = { title: "An agent needs approval", body: "Open this notification to see what it asks." };

test("what its host has sealed of a session is shown with no page open", async () => {
  const { host, indexedDB } = await sealing();
  const one = worker({ indexedDB });
  await one.push(message({ ...told, line: host.line("s1", { title: "Fix the login", project: "webshop", operation: "Running make", error: "It broke" }) }, generic));
  assert.deepEqual([one.seen.shown[0].title, one.seen.shown[0].body], [generic.title, "webshop · Fix the login\nRunning make"]);
  const lines = [["error", { operation: "Running make", error: "It broke" }, "It broke"], ["approval", { operation: "Running make", asks: "Run: rm" }, "Run: rm"]];
  for (const [kind, line, shown] of lines) {
    await one.push(message({ kind, session: "s1", line: host.line("s1", { title: "Fix the login", ...line }) }, generic));
    assert.equal(one.seen.shown.at(-1).body, `Fix the login\n${shown}`);
  }
  assert.deepEqual(buttons(one), []);
});

test("on any failure to open it the relay's words stay", async () => {
  const { host, indexedDB } = await sealing();
  const line = host.line("s1", { title: "Fix the login" });
  const one = worker({ indexedDB });
  const hidden = host.line("s1", { title: "Fix \u202e the login" });
  host.turn();
  for (const [session, given] of [["s2", line], ["s1", `${line.slice(0, -3)}AAA`], ["s1", ""], ["s1", 7], [undefined, line], ["s1", new SealingHost().line("s1", { title: "x" })], ["s1", host.line("s1", { title: "x" })], ["s1", hidden]]) {
    await one.push(message({ ...told, session, line: given }, generic));
    assert.equal(one.seen.shown.at(-1).body, generic.body);
  }
  const other = worker();
  await other.push(message({ ...told, line }, generic));
  assert.equal(other.seen.shown[0].body, generic.body, "a browser without keys");
});

test("what is sealed is not allowed from a notification", async () => {
  const { snapshot, indexedDB } = await signing();
  snapshot.approvals[0].request.body = { sealed: "AAAA" };
  const one = worker({ indexedDB, relay: answering(snapshot) });
  await one.push(message(offering));
  assert.deepEqual(buttons(one), ["deny", "review"]);
});
