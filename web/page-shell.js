/**
 * Keeps the page for use without a connection by a service worker, and replaces it once the relay serves another version.
 *
 * A bundled page has its digest in `meta[name=page]`, and the name of its later part in `meta[name=part]`. An unbundled development page has
 * neither, and is not kept.
 */

/** The storage key that marks a tab as reloaded automatically: only once, because two relays behind one name could serve different pages. */
const renewedHere = "heliograph.renewed";

/**
 * The page's digest in its HTML text.
 * @param {string} html @returns {string}
 */
export const digestIn = (html) => html.match(/<meta name="page" content="([0-9a-f]*)">/)?.[1] ?? "";

const workerAddress = "/worker.js";

/**
 * The only Trusted Types policy that the page's CSP allows, for the script addresses named here. The CSP also lists the allowed scripts' digests.
 * @type {any}
 */
export const ownPolicy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("own", { createScriptURL: () => workerAddress, createScript: (/** @type {string} */ text) => text });

/**
 * The content of one of the page's `meta` elements.
 * @param {string} name
 */
export const metaOf = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute("content") ?? "";

/** The digest of the running page. */
const ownDigest = () => metaOf("page");

/** @type {Promise<ServiceWorkerRegistration|undefined>|null} */
let kept = null;

/**
 * Registers the service worker, which keeps the page and shows pushes. Browsers allow it over TLS and on the relay's own machine only.
 * @returns {Promise<ServiceWorkerRegistration|undefined>} Undefined if the browser refuses.
 */
export const keepShell = () => (kept ??= register());

async function register() {
  if (!ownDigest() || !("serviceWorker" in navigator)) return undefined;
  try {
    return await navigator.serviceWorker.register(ownPolicy?.createScriptURL(workerAddress) ?? workerAddress, { updateViaCache: "none" });
  } catch {
    // A browser with an exception for an invalid certificate refuses service workers, and logs that itself.
    return undefined;
  }
}

/**
 * Checks whether the relay serves another version of the page, after an upgrade or because the kept page is old. A page without unsent input is reloaded.
 * @param {{isFirst: boolean}} link `isFirst`: the link is live for the first time, so a page just loaded from the relay is current.
 * @returns {Promise<boolean>} True if the person should be asked to reload.
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
    // After a failure the check is repeated when the link is live again.
  }
  return false;
}
