/**
 * The page as something that is kept and replaced: the worker that shows it without a connection, and whether the relay has another one by now.
 *
 * A page that came in one file has a digest in its `meta[name=page]`, and the name of its part in `meta[name=part]`. One in pieces, as while it is worked on, has
 * neither, and nothing of this is done.
 */

/** Where a tab remembers that it was reloaded by itself: once is enough, as two relays behind one name could have two pages. */
const renewedHere = "heliograph.renewed";

/** @param {string} html @returns {string} The digest in a page's text. */
export const digestIn = (html) => html.match(/<meta name="page" content="([0-9a-f]*)">/)?.[1] ?? "";

const workerAddress = "/worker.js";

/**
 * The page's policy lets no text become code or its address, but what is named here. Which code may run it says by its digest.
 * @type {any}
 */
export const ownPolicy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("own", { createScriptURL: () => workerAddress, createScript: (/** @type {string} */ text) => text });

/** @param {string} name What the page says of itself. */
export const metaOf = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/** The digest of the page that runs here. */
const ownDigest = () => metaOf("page");

/** @type {Promise<ServiceWorkerRegistration|undefined>|null} */
let kept = null;

/**
 * Where the browser can have one (over TLS, and on the relay's own machine), a worker keeps the shell, and shows what is pushed.
 * @returns {Promise<ServiceWorkerRegistration|undefined>} None where the browser takes none.
 */
export const keepShell = () => (kept ??= register());

async function register() {
  if (!ownDigest() || !("serviceWorker" in navigator)) return undefined;
  try {
    return await navigator.serviceWorker.register(ownPolicy?.createScriptURL(workerAddress) ?? workerAddress, { updateViaCache: "none" });
  } catch {
    // A browser that takes the page in spite of its certificate takes no worker, and says so itself: the page does without a shell.
    return undefined;
  }
}

/**
 * The relay may serve another page than this one: it was upgraded while this page was open, or the shell is from before. A page that has
 * nothing to lose is reloaded.
 * @param {{isFirst: boolean}} link Whether it is live for the first time: what just came from the relay itself is the relay's.
 * @returns {Promise<boolean>} Whether somebody should be asked to reload it.
 */
export async function renew({ isFirst }) {
  if (!ownDigest() || (isFirst && !navigator.serviceWorker?.controller)) return false;
  try {
    const response = await fetch("/", { cache: "no-cache" });
    const served = response.ok ? digestIn(await response.text()) : "";
    if (!served || served === ownDigest()) return false;
    if (!isFirst || sessionStorage.getItem(renewedHere) === served) return true;
    sessionStorage.setItem(renewedHere, served);
    location.reload();
  } catch {
    // It is asked again with the next link.
  }
  return false;
}
