import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { ask, forgetKey, keepKey, subprotocols } from "../../web/page-key.js";

/** @param {Storage|undefined} storage If undefined, site data is blocked, so access throws. */
function browser(storage) {
  const asked = [];
  Object.defineProperty(globalThis, "localStorage", {
    configurable: true,
    get: () => storage ?? (() => { throw new DOMException("denied", "SecurityError"); })(),
  });
  globalThis.fetch = async (path, options) => asked.push({ path, ...options });
  return asked;
}

function storage() {
  const kept = new Map();
  return {
    kept, getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value), removeItem: (name) => kept.delete(name),
  };
}

beforeEach(() => mock.timers.enable(["setTimeout"]));
afterEach(() => {
  mock.timers.reset();
  forgetKey();
});

test("what pairing gave goes with every request and every socket, and beside what the request has", async () => {
  const asked = browser(storage());
  keepKey("hgk_1");
  await ask("/v1/me", { headers: { Accept: "x" }, cache: "no-store" });
  assert.deepEqual(asked.map(({ signal, ...rest }) => rest), [{ path: "/v1/me", cache: "no-store", headers: { Accept: "x", "Heliograph-Key": "hgk_1" } }]);
  assert.deepEqual(subprotocols(), ["heliograph.v1", "key.hgk_1"]);
});

test("a request that a network swallows reaches nobody, and says so after fifteen seconds", async () => {
  const asked = browser(storage());
  ask("/v1/me");
  ask("/v1/pictures/1", {}, 60_000);
  mock.timers.tick(14_999);
  assert.deepEqual(asked.map(({ signal }) => signal.aborted), [false, false]);
  mock.timers.tick(1);
  assert.deepEqual(asked.map(({ signal }) => signal.aborted), [true, false]);
  assert.ok(asked[0].signal.reason instanceof TypeError);
  mock.timers.tick(45_000);
  assert.equal(asked[1].signal.aborted, true);
});

test("it outlives the page, and is gone after logging out", () => {
  const store = storage();
  browser(store);
  keepKey("hgk_1");
  assert.deepEqual([...store.kept.values()], ["hgk_1"]);
  forgetKey();
  assert.equal(store.kept.size, 0);
  assert.deepEqual(subprotocols(), ["heliograph.v1"]);
});

test("where the browser keeps nothing, it holds as long as the page", async () => {
  const asked = browser(undefined);
  keepKey("hgk_2");
  await ask("/v1/me");
  assert.equal(asked[0].headers["Heliograph-Key"], "hgk_2");
  forgetKey();
  await ask("/v1/me");
  assert.deepEqual(asked[1].headers, {});
});

test("whoever is logged out leaves no drafts behind", () => {
  const place = storage();
  browser(place);
  place.setItem("heliograph.drafts", "[]");
  forgetKey();
  assert.equal(place.kept.size, 0);
});
