/**
 * Runs before the rest of the page has come: a browser that was let in before opens its socket at once, so that the page and what it shows
 * are under way together; and who reads another language gets its sentences before a word is drawn. Not a module, as those wait for the whole page.
 */

/** Where a browser that was let in has its key: see `page-key.js`. */
const keyIsHere = "heliograph.key";

/**
 * Opens the socket, which greets the relay and asks for the workspace as soon as it is open.
 * @type {(subprotocols: string[]) => WebSocket}
 */
const openSocket = (() => {
  const greeting = [{ type: "hello", version: 1, software: "heliograph-page/1" }, { type: "subscribe", id: "greeting" }];
  /** @param {string[]} subprotocols */
  const open = (subprotocols) => {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/client`, subprotocols);
    socket.addEventListener("open", () => greeting.forEach((message) => socket.send(JSON.stringify(message))));
    return socket;
  };
  const key = () => {
    try {
      return localStorage.getItem(keyIsHere);
    } catch {
      return null; // Site data is blocked: nothing is lost but the head start.
    }
  };
  /** @type {WebSocket|null} */
  let first = null;
  /** @type {MessageEvent[]} What came before the page. */
  const early = [];
  const kept = key();
  if (!location.hash.includes("=") && kept) {
    first = open(["heliograph.v1", `key.${kept}`]);
    first.onmessage = (message) => early.push(message);
  }
  return (subprotocols) => {
    const socket = first && first.readyState <= WebSocket.OPEN ? first : null;
    first = null;
    if (!socket) return open(subprotocols);
    // The caller says in this same turn what it listens to; only then comes what was kept, and after that what arrives.
    queueMicrotask(() => {
      if (socket.readyState === WebSocket.OPEN) socket.onopen?.(new Event("open"));
      for (const message of early.splice(0)) socket.onmessage?.(message);
    });
    return socket;
  };
})();

/**
 * The language of the page, with its sentences: the first of those that its reader wants that is there. What is drawn before them would be drawn twice, so
 * the page waits for them, once: `later.js` keeps them, as no worker answers a request that a page waits for.
 */
const spoken = (() => {
  const files = document.querySelector("meta[name=languages]")?.getAttribute("content")?.split(" ") ?? [];
  /** @type {{tag: string, sentences: {}, file: string}} */
  const english = { tag: "en-GB", sentences: {}, file: "" };
  let [chosen, kept] = ["", ""];
  try {
    [chosen, kept] = ["language", "sentences"].map((name) => localStorage.getItem(`heliograph.${name}`) ?? "");
  } catch {
    // Site data is blocked, and with it a choice.
  }
  for (const tag of [chosen, ...navigator.languages]) {
    const [code] = tag.split("-");
    if (code === "en") break;
    const file = files.find((name) => name.split("-")[0] === code);
    if (!file) continue;
    english.file = file;
    try {
      const request = new XMLHttpRequest();
      if (!kept.startsWith(`${file}{`)) {
        request.open("GET", `/languages/${file}.json`, false);
        request.send();
        kept = request.status === 200 ? file + request.responseText : "";
      }
      const sentences = JSON.parse(kept.slice(file.length));
      document.documentElement.lang = tag;
      return { tag, sentences, file };
    } catch {
      break;
    }
  }
  return english;
})();
