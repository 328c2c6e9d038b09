/** The views that nobody sees before the list: they come after it in the page, and join it when they have arrived. */

import { join, view } from "./app.js";
import { ApprovalsInbox } from "./elements/approvals-inbox.js";
import { BudgetsView } from "./elements/budgets-view.js";
import { CostsView } from "./elements/costs-view.js";
import { CommandPalette } from "./elements/command-palette.js";
import { DevicesView } from "./elements/devices-view.js";
import { LinkView } from "./elements/link-view.js";
import { SessionView } from "./elements/session-view.js";
import { StartView } from "./elements/start-view.js";
import { TrustNote } from "./elements/trust-note.js";
import { KeyStore } from "./keys.js";
import { Notifications } from "./notifications.js";
import { ask, pageKey } from "./page-key.js";
import { keepShell } from "./page-shell.js";
import { Tokens } from "./tokens.js";
import { Trust } from "./trust.js";
import { WebPush } from "./web-push.js";

const browser = /** @type {{serviceWorker?: ServiceWorkerContainer, setAppBadge?: (count: number) => Promise<void>, standalone?: boolean}} */ (navigator);
const devices = view("devices-view", DevicesView);

join({
  session: view("session-view", SessionView),
  inbox: view("approvals-inbox", ApprovalsInbox),
  devices,
  budgets: view("budgets-view", BudgetsView),
  costs: view("costs-view", CostsView),
  link: view("link-view", LinkView),
  start: view("start-view", StartView),
  note: view("trust-note", TrustNote),
  palette: view("command-palette", CommandPalette),
}, new Notifications({
  serviceWorker: browser.serviceWorker, setAppBadge: browser.setAppBadge?.bind(browser), go: (hash) => { location.hash = hash; },
  arrived: () => devices.testArrived(),
  moved: () => devices.app.webPush.returned(),
}), {
  tokens: (changed) => new Tokens(ask, changed),
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
    }, link, state, changed);
    tabs?.addEventListener("message", () => trust.changedElsewhere());
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
});
