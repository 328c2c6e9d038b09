import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runInNewContext } from "node:vm";

const source = readFileSync(new URL("../../web/first.js", import.meta.url), "utf8");

/** Runs `first.js` in a fake browser; `openSocket` is the function that it leaves for the page. */
function visit({ known = false, hash = "#/", storage = true, languages = ["en-US"], chosen = null, file = "{}", kept = null } = {}) {
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
  const asked = [];
  class XMLHttpRequest {
    open(method, path, isAsync) { asked.push([method, path, isAsync]); }
    send() {
      if (file === null) throw new Error("no connection");
      [this.status, this.responseText] = [file === "" ? 404 : 200, file];
    }
  }
  const localStorage = {
    getItem: (name) => {
      if (!storage) throw new Error("blocked");
      return { "heliograph.language": chosen, "heliograph.sentences": kept }[name] ?? (name === "heliograph.key" && known ? "hgk_1" : null);
    },
  };
  const document = { documentElement: { lang: "en" }, querySelector: () => ({ getAttribute: () => "de-0123 fr-4567" }) };
  const [openSocket, spoken] = runInNewContext(`${source}; [openSocket, spoken]`, {
    WebSocket, XMLHttpRequest, localStorage, document, navigator: { languages }, location: { protocol: "https:", host: "relay.example", hash }, Event, queueMicrotask,
  });
  return { sockets, openSocket, asked, spoken, lang: document.documentElement.lang };
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

test("the page speaks the first language of its reader that is there, and asks for no other's sentences", () => {
  const file = JSON.stringify({ Allow: "Erlauben" });
  const german = visit({ languages: ["nl", "de-AT", "en"], file });
  assert.deepEqual([german.asked, german.lang, german.spoken.tag, german.spoken.sentences.Allow], [[["GET", "/languages/de-0123.json", false]], "de-AT", "de-AT", "Erlauben"]);
  for (const languages of [["en-US"], ["en", "de"], ["nl"], []]) {
    const english = visit({ languages, file });
    assert.deepEqual([english.asked, english.lang, english.spoken.tag], [[], "en", "en-GB"], languages.join());
  }
});

test("what somebody chose comes before what the browser says, and both where site data is blocked are as it says", () => {
  const file = JSON.stringify({ Allow: "Erlauben" });
  assert.equal(visit({ languages: ["en-US"], chosen: "de", file }).lang, "de");
  assert.equal(visit({ languages: ["de"], chosen: "en", file }).lang, "en");
  assert.equal(visit({ languages: ["en"], chosen: "../../v1/me", file }).asked.length, 0);
  assert.equal(visit({ languages: ["de"], storage: false, file }).lang, "de");
});

test("a language that does not come leaves the page in English", () => {
  for (const file of [null, "<!doctype html>"]) {
    const { asked, lang, spoken } = visit({ languages: ["de"], file });
    assert.deepEqual([asked.length, lang, spoken.tag, spoken.file], [1, "en", "en-GB", "de-0123"]);
  }
});

test("sentences that are kept are requested no more while they are the page's", () => {
  const file = JSON.stringify({ Allow: "Erlauben" });
  const again = visit({ languages: ["de"], kept: `de-0123${file}`, file: null });
  assert.deepEqual([again.asked, again.spoken.sentences.Allow], [[], "Erlauben"]);
  const renewed = visit({ languages: ["de"], kept: `de-00ff${file}` });
  assert.deepEqual([renewed.asked.length, renewed.spoken.sentences.Allow], [1, undefined]);
});
