/**
 * The service worker, which a browser runs beside the page: without a connection it shows the page's shell in place of the browser's error.
 *
 * The relay is always asked first, and what it answers is shown; the shell is the page as it was last served, without a word of any session.
 * So nothing that is kept can pass for live, and nothing keeps an upgrade of the relay away. It has no part in anything but `/`.
 */

const worker = /** @type {WorkerScope} */ (/** @type {unknown} */ (self));

/** One cache with one page. */
const cacheName = "shell";
/** From a proxy that does not reach the relay, and from a relay that has no room just now. */
const awayStatuses = [502, 503, 504];

/** @param {Response} page Kept in place of the one before, if it is another. */
async function keep(page) {
  const cache = await caches.open(cacheName);
  const held = await cache.match("/");
  if (!held || held.headers.get("etag") !== page.headers.get("etag")) await cache.put("/", page);
}

/** @param {FetchEvent} event @returns {Promise<Response>} */
async function page(event) {
  const shell = async () => (await caches.open(cacheName)).match("/");
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    if (response.ok) event.waitUntil(keep(response.clone()));
    if (!awayStatuses.includes(response.status)) return response;
    return (await shell()) ?? response;
  } catch (error) {
    const kept = await shell();
    if (kept) return kept;
    throw error;
  }
}

worker.addEventListener("install", (event) => {
  worker.skipWaiting();
  event.waitUntil(fetch("/", { cache: "no-cache" }).then((response) => (response.ok ? keep(response) : undefined)));
});

worker.addEventListener("activate", (event) => {
  // The browser asks for the page while the worker is still being started: it costs no time.
  event.waitUntil(Promise.all([worker.clients.claim(), worker.registration.navigationPreload?.enable()]));
});

worker.addEventListener("fetch", (event) => {
  if (event.request.mode === "navigate" && new URL(event.request.url).pathname === "/") event.respondWith(page(event));
});
