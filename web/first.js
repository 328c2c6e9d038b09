/**
 * Runs before the rest of the page has come: a browser that was let in before opens its socket at once, so that the page and what it shows
 * are under way together. Not a module, as those wait for the whole page.
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
