/** The views that are not needed for the list of sessions: they load after it. Rare views load on demand (`seldom.js`). */

import { join, seldomViews, view } from "./app.js";
import { ApprovalsInbox } from "./elements/approvals-inbox.js";
import "./elements/row-deeds.js";
import { SessionView } from "./elements/session-view.js";
import { TrustNote } from "./elements/trust-note.js";
import { KeyStore } from "./keys.js";
import { language } from "./language.js";
import { Notifications } from "./notifications.js";
import { ask, pageKey } from "./page-key.js";
import { keepShell } from "./page-shell.js";
import { loadPart } from "./part.js";
import { Trust } from "./trust.js";
import { WebPush } from "./web-push.js";

const browser = /** @type {{serviceWorker?: ServiceWorkerContainer, setAppBadge?: (count: number) => Promise<void>, standalone?: boolean}} */ (navigator);
const inbox = view("approvals-inbox", ApprovalsInbox);

/** Caches the language's sentences for the next visit (`first.js`) and for the service worker. */
async function keepLanguage() {
  const { tag, file, sentences } = language;
  const path = `/languages/${file}.json`;
  const cache = await caches.open("shell");
  for (const { url } of await cache.keys()) if (url.includes("/languages/") && !url.endsWith(path)) await cache.delete(url);
  // A development page serves sentences without a digest in the file name; they change, so they are not cached.
  if (tag === "en-GB" || !file.includes("-")) return;
  if (!(await cache.match(path))) await cache.add(path);
  if (!localStorage.getItem("heliograph.sentences")?.startsWith(file)) localStorage.setItem("heliograph.sentences", file + JSON.stringify(sentences));
}

/** True if prompts are held in this browser (`held.js`) or dictated (`speech.js`): both need the part that loads on demand. */
function usesSeldom() {
  try {
    return localStorage.getItem("heliograph.held")?.includes("text") === true || localStorage.getItem("heliograph.dictates") === "true";
  } catch {
    return false;
  }
}

join({
  session: view("session-view", SessionView),
  inbox,
  note: view("trust-note", TrustNote),
}, new Notifications({
  serviceWorker: browser.serviceWorker, setAppBadge: browser.setAppBadge?.bind(browser), go: (hash) => { location.hash = hash; },
  arrived: () => seldomViews()?.devices.testArrived(),
  moved: () => inbox.app.webPush.returned(),
}), {
  trust: (link, name, changed, state) => {
    const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("heliograph.trust") : undefined;
    const trust = new Trust({
      isSecure: isSecureContext && "indexedDB" in globalThis,
      keys: new KeyStore(),
      pageKey,
      storage: () => localStorage,
      persist: async () => navigator.storage?.persist?.(),
      now: () => Date.now(),
      setTimer: (run, milliseconds) => setTimeout(run, milliseconds),
      name,
      tellTabs: () => tabs?.postMessage("changed"),
      more: () => inbox.app.loadSeldom(),
    }, link, state, changed);
    tabs?.addEventListener("message", () => trust.changedElsewhere());
    // A pinned host has sealed before, so the opener is loaded, whatever the relay says of that host now.
    trust.ready.then(() => [...trust.hosts.values()].some(({ epochs }) => epochs) && inbox.app.loadSeldom());
    return trust;
  },
  webPush: (link, name, changed) => new WebPush({
    isSecure: isSecureContext,
    isTabOfPhone: browser.standalone === false,
    isAble: "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis,
    worker: async () => ((await keepShell()) ? navigator.serviceWorker.ready : undefined),
    permission: () => Notification.permission,
    storage: () => localStorage,
    ask,
    now: () => Date.now(),
    agent: navigator.userAgent,
  }, link, name, changed),
}, loadPart);

keepLanguage().catch(() => undefined);
if (usesSeldom()) inbox.app.loadSeldom();
