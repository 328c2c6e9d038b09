/**
 * Runs before the rest of the page has loaded: a paired browser opens its socket at once, so that page and data load
 * in parallel, and the page's language is loaded before anything is drawn. A classic script, because modules wait for the whole page.
 */

/** The storage key that marks a paired browser: see `page-key.js`. */
const keyIsHere = "heliograph.key";

/**
 * Opens a socket that greets the relay and subscribes to the workspace as soon as it is open.
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
      return null; // Site data is blocked; the page then only starts later.
    }
  };
  /** @type {WebSocket|null} */
  let first = null;
  /** @type {MessageEvent[]} Messages that arrived before the page had loaded. */
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
    // The caller sets its listeners in this turn; the early messages are delivered after it, and before later ones.
    queueMicrotask(() => {
      if (socket.readyState === WebSocket.OPEN) socket.onopen?.(new Event("open"));
      for (const message of early.splice(0)) socket.onmessage?.(message);
    });
    return socket;
  };
})();

/**
 * The page's language with its sentences: the first of the reader's languages that exists. Texts drawn earlier would be drawn twice, so
 * the page waits for the sentences once. `later.js` caches them, because no service worker answers a request that blocks the page.
 */
const spoken = (() => {
  const files = document.querySelector("meta[name=languages]")?.getAttribute("content")?.split(" ") ?? [];
  /** @type {{tag: string, sentences: {}, file: string}} */
  const english = { tag: "en-GB", sentences: {}, file: "" };
  let [chosen, kept] = ["", ""];
  try {
    [chosen, kept] = ["language", "sentences"].map((name) => localStorage.getItem(`heliograph.${name}`) ?? "");
  } catch {
    // Site data is blocked, so no chosen language can be read.
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
