import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const source = readFileSync(new URL("../../web/first.js", import.meta.url), "utf8");

/** A browser that runs the script; `openSocket` is what the page gets of it. */
function visit({ known = false, hash = "#/", storage = true } = {}) {
  const sockets = [];
  class WebSocket {
    static OPEN = 1;
    readyState = 0;
    sent = [];
    constructor(url, protocols) {
      Object.assign(this, { url, protocols: [...protocols] });
      sockets.push(this);
    }
    addEventListener(name, run) { this[`listens-${name}`] = run; }
    send(text) { this.sent.push(JSON.parse(text)); }
    opens() {
      this.readyState = 1;
      this["listens-open"]();
      this.onopen?.({});
    }
  }
  const localStorage = { getItem: () => { if (!storage) throw new Error("blocked"); return known ? "hgk_1" : null; } };
  const openSocket = runInNewContext(`${source}; openSocket`, {
    WebSocket, localStorage, location: { protocol: "https:", host: "relay.example", hash }, Event, queueMicrotask,
  });
  return { sockets, openSocket };
}

test("a browser that was let in before opens its socket before the page has come, and no other does", () => {
  assert.equal(visit({ known: true }).sockets.length, 1);
  assert.equal(visit().sockets.length, 0);
  assert.equal(visit({ known: true, hash: "#pair=abcd" }).sockets.length, 0);
  assert.equal(visit({ known: true, storage: false }).sockets.length, 0);
});

test("the first socket greets at once, and what came meanwhile is heard in its order", async () => {
  const { sockets: [first], openSocket } = visit({ known: true });
  first.opens();
  assert.deepEqual(first.protocols, ["heliograph.v1", "key.hgk_1"]);
  assert.deepEqual(first.sent.map(({ type }) => type), ["hello", "subscribe"]);
  for (const data of ["welcome", "snapshot"]) first.onmessage({ data });
  const socket = openSocket(["heliograph.v1"]);
  assert.equal(socket, first);
  const heard = [];
  socket.onopen = () => heard.push("open");
  socket.onmessage = ({ data }) => heard.push(data);
  await Promise.resolve();
  socket.onmessage({ data: "events" });
  assert.deepEqual(heard, ["open", "welcome", "snapshot", "events"]);
});

test("a first socket that is still opening is taken as it is, and one that was lost is not", () => {
  const opening = visit({ known: true });
  assert.equal(opening.openSocket(["heliograph.v1"]), opening.sockets[0]);
  const lost = visit({ known: true });
  lost.sockets[0].readyState = 3;
  assert.equal(lost.openSocket(["heliograph.v1"]), lost.sockets[1]);
});

test("every later socket greets too", () => {
  const { sockets, openSocket } = visit();
  openSocket(["heliograph.v1"]);
  openSocket(["heliograph.v1"]).opens();
  assert.equal(sockets.length, 2);
  assert.deepEqual(sockets[1].sent, [{ type: "hello", version: 1, software: "heliograph-page/1" }, { type: "subscribe", id: "greeting" }]);
  assert.equal(sockets[1].url, "wss://relay.example/v1/client");
});
