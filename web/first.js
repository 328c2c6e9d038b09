/**
 * Runs before the rest of the page has come: a browser that was let in before opens its socket at once, so that the page and what it shows
 * are under way together. Not a module, as those wait for the whole page.
 */

/** Where this browser remembers that it was let in. No secret. */
const knownHere = "heliograph.known";

/**
 * Opens the socket, which greets the relay and asks for the workspace as soon as it is open.
 * @type {() => WebSocket}
 */
const openSocket = (() => {
  const greeting = [{ type: "hello", version: 1, software: "heliograph-page/1" }, { type: "subscribe", id: "greeting" }];
  const open = () => {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/client`, "heliograph.v1");
    socket.addEventListener("open", () => greeting.forEach((message) => socket.send(JSON.stringify(message))));
    return socket;
  };
  const isKnown = () => {
    try {
      return localStorage.getItem(knownHere) !== null;
    } catch {
      return false; // Site data is blocked: nothing is lost but the head start.
    }
  };
  /** @type {WebSocket|null} */
  let first = null;
  /** @type {MessageEvent[]} What came before the page. */
  const early = [];
  if (!location.hash.includes("=") && isKnown()) {
    first = open();
    first.onmessage = (message) => early.push(message);
  }
  return () => {
    const socket = first && first.readyState <= WebSocket.OPEN ? first : null;
    first = null;
    if (!socket) return open();
    // Who asked for it says in this same turn what it listens to; only then comes what was kept, and after that what arrives.
    queueMicrotask(() => {
      if (socket.readyState === WebSocket.OPEN) socket.onopen?.(new Event("open"));
      for (const message of early.splice(0)) socket.onmessage?.(message);
    });
    return socket;
  };
})();
