/**
 * The service worker, which a browser runs apart from the page: without a connection it shows the page's shell in place of the browser's error, and
 * it shows what is pushed to this browser while no page is open.
 *
 * The relay is always asked first, and what it answers is shown; the shell is the page as it was last served, without a word of any session.
 * So nothing that is kept can pass for live, and nothing keeps an upgrade of the relay away. It answers for nothing but `/` and the part of that page.
 */

import { decisionSignatureOf } from "./consent.js";
import { KeyStore } from "./keys.js";
import { language, t } from "./language.js";
import { parsedMessage } from "./numbers.js";
import { SessionSealing } from "./sealing.js";
import { consentOf, shownApproval } from "./shown.js";

const worker = /** @type {WorkerScope} */ (/** @type {unknown} */ (self));

/** One cache with one page, and with its part. */
const cacheName = "shell";
/** The part's two files have its digest in their names: what is kept under such a name is what the relay would send. */
const partPath = /^\/part-[0-9a-f]+\.(?:js|css)$/;
/** The sentences of a language: the page keeps here those that it speaks, for the worker's own words. */
const sentencesPath = /^\/languages\/([a-z]+)-[0-9a-f]+\.json$/;
/** From a proxy that does not reach the relay, and from a relay that has no room just now. */
const awayStatuses = [502, 503, 504];
/** Until the beginning of its answer. A network that swallows packets fails nothing for minutes. */
const pageWithin = 10_000;

/** @param {Response} page Kept in place of the one before, if it is another. */
async function keep(page) {
  const cache = await caches.open(cacheName);
  const held = await cache.match("/");
  if (held && held.headers.get("etag") === page.headers.get("etag")) return;
  const [, part] = (await page.clone().text()).match(/<meta name="part" content="(part-[0-9a-f]+)">/) ?? [];
  const names = part ? ["css", "js"].map((ending) => `/${part}.${ending}`) : [];
  // First the part: a page that is kept without it would lack it for good.
  if (!(await cache.addAll(names).then(() => true, () => false))) return;
  await cache.put("/", page);
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (partPath.test(pathname) && !names.includes(pathname)) await cache.delete(pathname);
  }
}

/**
 * What is said is said in the language of the page as it is now; without its sentences, in English.
 * @template T
 * @param {(event: T) => Promise<any>} tell @param {T} event
 */
async function spoken(tell, event) {
  try {
    const cache = await caches.open(cacheName);
    let found = { tag: "en-GB", sentences: {} };
    for (const request of await cache.keys()) {
      const [, tag] = sentencesPath.exec(new URL(request.url).pathname) ?? [];
      if (tag) found = { tag, sentences: await (await cache.match(request))?.json() };
    }
    Object.assign(language, found);
  } catch {
    // A browser without its caches shows what there is to show.
  }
  return tell(event);
}

/** @param {Request} request @returns {Promise<Response>} */
const partOf = async (request) => (await (await caches.open(cacheName)).match(request)) ?? fetch(request);

/** @param {FetchEvent} event @returns {Promise<Response>} */
async function page(event) {
  const shell = async () => (await caches.open(cacheName)).match("/");
  const asked = Promise.resolve(event.preloadResponse).then((preloaded) => preloaded ?? fetch(event.request));
  try {
    const response = await inTime(asked);
    if (response.ok) event.waitUntil(keep(response.clone()));
    if (!awayStatuses.includes(response.status)) return response;
    return (await shell()) ?? response;
  } catch {
    // Without a shell it is the browser that waits, and that says what went wrong.
    return (await shell()) ?? asked;
  }
}

/** @param {Promise<Response>} asked @returns {Promise<Response>} */
const inTime = (asked) => new Promise((resolve, reject) => {
  setTimeout(reject, pageWithin);
  asked.then(resolve, reject);
});

worker.addEventListener("install", (event) => {
  worker.skipWaiting();
  event.waitUntil(fetch("/", { cache: "no-cache" }).then((response) => (response.ok ? keep(response) : undefined)));
});

worker.addEventListener("activate", (event) => {
  // The browser asks for the page while the worker is still being started: it costs no time.
  event.waitUntil(Promise.all([worker.clients.claim(), worker.registration.navigationPreload?.enable()]));
});

worker.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.mode === "navigate" && pathname === "/") event.respondWith(page(event));
  else if (origin === location.origin && partPath.test(pathname)) event.respondWith(partOf(event.request));
});

// Pushes. One JSON goes to all browsers, the declarative form: Safari hands over the notification that it has read from it, the others the text.

/**
 * @typedef {object} Told What the relay says in addition to the words of a notification.
 * @property {string} [kind]
 * @property {string} [session]
 * @property {string} [approval]
 * @property {string} [code] Decides the approval, once.
 * @property {string[]} [decisions] Those that this device may offer: `deny`, `allow`.
 * @property {string} [line] What the session's host has sealed of it for its devices.
 * @property {boolean} [rings] False for what only takes the place of what was there.
 */

/** @typedef {{host: string, session: string, approval: string, text: string, digest: string}} Signable What its host showed, and wants signed. */

/** Something is always shown: a browser that sees a push without a notification takes the permission back. */
const unread = () => ({ title: "Heliograph", body: t`An agent needs you. Open the page to see what it asks.` });
/** What a host showed is asked for before the notification: until then it rings for nobody. */
const readWithin = 6_000;
/** Characters of an input that is shown whole, as the relay has them. */
const fullMax = 2_600;
/** Longer than a relay on a bad line takes, and well below what a browser lets a worker live for. */
const decideWithin = 20_000;
const decided = ["deny", "allow"];
/** @param {string} decision */
const verbOf = (decision) => (decision === "allow" ? { button: t`Allow`, failed: t`Not allowed` } : { button: t`Deny`, failed: t`Not denied` });

/** @param {unknown} value @returns {Record<string, any>} */
const object = (value) => (value !== null && typeof value === "object" ? /** @type {Record<string, any>} */ (value) : {});

/** @param {PushEvent} event @returns {Record<string, any>} */
function notificationOf(event) {
  if (event.notification) return event.notification;
  try {
    return object(object(event.data?.json()).notification);
  } catch {
    return {};
  }
}

/** @param {Record<string, any>} notification @returns {Told} */
const toldIn = ({ data }) => object(object(data).heliograph);

/** @param {unknown} address @returns {string} Our own page, whatever the push says. */
function placeOf(address) {
  try {
    const url = new URL(String(address));
    if (url.origin === location.origin) return url.href;
  } catch {
    // Anything but an address leads to the page.
  }
  return `${location.origin}/`;
}

const keys = new KeyStore();

/**
 * The approval as the relay has it, asked for as the page would.
 * @param {string} key The page's. @param {Told} told
 * @returns {Promise<import("./wire").Approval|undefined>}
 */
const approvalOf = (key, { session, approval }) => new Promise((resolve) => {
  const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/v1/client`, ["heliograph.v1", `key.${key}`]);
  const end = (/** @type {import("./wire").Approval|undefined} */ found) => {
    socket.close(1000);
    resolve(found);
  };
  setTimeout(end, readWithin);
  socket.onclose = () => resolve(undefined);
  socket.onopen = () => {
    for (const message of [{ type: "hello", version: 1, software: "heliograph-page/1" }, { type: "subscribe", id: "1", session }]) socket.send(JSON.stringify(message));
  };
  socket.onmessage = ({ data }) => {
    const message = parsedMessage(String(data));
    if (message.type === "snapshot" && message.session === session) end(message.approvals.find((/** @type {any} */ one) => one.approval === approval));
    else if (message.type === "reply" && message.error) end(undefined);
  };
});

/** Characters that do not look like what they are, or like anything. */
const unshowable = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/**
 * What may be allowed from a notification. Of a host that wants signatures and trusts this browser, the words are its own and are what is signed.
 * @param {Told} told
 * @returns {Promise<{mayAllow: boolean, words?: {title: string, body: string}, signable?: Signable}>}
 */
async function shownTo(told) {
  // The page keeps it there once it has met a host that wants signatures. Such a host takes no allow without, whatever is pressed.
  const key = await keys.kept("page").catch(() => undefined);
  if (!key) return { mayAllow: true };
  try {
    const hosts = await keys.hosts();
    const found = await approvalOf(key, told);
    // Sealed requests are decided on the page.
    if (!found || found.request.body?.sealed !== undefined) return { mayAllow: false };
    const { session, approval, request: { head, body } } = shownApproval(found);
    const consent = consentOf(shownApproval(found).request);
    if (!consent) return { mayAllow: true };
    const host = "problem" in consent ? undefined : hosts.find(({ id }) => id === consent.host);
    const full = object(head.alert).full;
    // One that seals asks nothing in the open.
    if (!host || host.epochs?.size || "problem" in consent || !body || head.cut || head.passkey || object(head.alert).whole !== true) return { mayAllow: false };
    if (typeof full !== "string" || full.length > fullMax || unshowable.test(full.replace(/\n/g, "")) || unshowable.test(String(head.tool))) return { mayAllow: false };
    // The host's own sentences, as other notifications begin with them.
    const risks = Array.isArray(head.risks) ? head.risks.map(String).join(" ") : "";
    if (unshowable.test(risks)) return { mayAllow: false };
    return {
      mayAllow: true, words: { title: t`Allow ${head.tool}? · ${host.name}`, body: risks ? `${t`Look twice: ${risks}`}\n${full}` : full },
      signable: { host: host.id, session, approval, text: consent.text, digest: head.digest },
    };
  } catch {
    // It cannot be read: it is decided on the page.
    return { mayAllow: false };
  }
}

/**
 * What the host of a session has sealed of it, opened with the keys that are here. Else the relay's words stay, which say nothing of it.
 * @param {Told} told @returns {Promise<string>} Empty where it does not open.
 */
async function openedWords({ kind, session, line }) {
  if (typeof session !== "string" || typeof line !== "string") return "";
  for (const { id, epochs } of await keys.hosts().catch(() => [])) {
    try {
      const { project, title, operation, asks, error } = (await new SessionSealing(id, session, (epoch) => epochs?.get(epoch)).openLine(line)).line;
      const words = [[project, title].filter(Boolean).join(" · "), kind === "error" ? error : asks ?? operation].filter(Boolean).join("\n");
      return unshowable.test(words.replace(/\n/g, "")) ? "" : words;
    } catch {
      // It is another host's, or of a key that is not here.
    }
  }
  return "";
}

/** @param {PushEvent} event */
async function showPush(event) {
  const found = notificationOf(event);
  const told = toldIn(found);
  const isWhole = typeof found.title === "string" && found.title !== "";
  const offered = told.code && Array.isArray(told.decisions) ? told.decisions.filter((name) => decided.includes(name)) : [];
  const { mayAllow, words, signable } = offered.includes("allow") ? await shownTo(told) : { mayAllow: false, words: undefined, signable: undefined };
  const decisions = offered.filter((name) => name !== "allow" || mayAllow);
  const opened = isWhole && !words ? await openedWords(told) : "";
  const { title, body } = words ?? (isWhole ? { title: found.title, body: opened || String(found.body ?? "") } : unread());
  const tag = typeof found.tag === "string" ? found.tag : "";
  const rings = told.rings !== false;
  const navigate = placeOf(found.navigate);
  await worker.registration.showNotification(title, {
    body, tag, navigate,
    icon: "/icon-192.png",
    data: { heliograph: { ...told, decisions }, navigate, signable },
    silent: !rings,
    // Without a tag there is nothing to ring again for, and a browser refuses to.
    renotify: rings && tag !== "",
    requireInteraction: rings && told.approval !== undefined,
    actions: [
      ...decisions.map((name) => ({ action: name, title: verbOf(name).button })),
      ...(told.approval === undefined ? [] : [{ action: "review", title: t`Review` }]),
    ],
  });
  if (told.kind !== "test") return;
  // The person who asked for it may be looking at a page: that it came this far tells a dead subscription from a phone that is set to be silent.
  for (const page of await worker.clients.matchAll({ type: "window", includeUncontrolled: true })) page.postMessage({ arrived: "test" });
}

/**
 * Goes to a page that is open, or opens one.
 * @param {string} address
 */
async function goTo(address) {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => one.visibilityState === "visible") ?? pages[0];
  if (!page) return worker.clients.openWindow(address);
  page.postMessage({ open: new URL(address).hash });
  // A browser that does not let its window come forward may still open another.
  return page.focus().catch(() => worker.clients.openWindow(address));
}

/**
 * Subscribes again after the browser took the subscription back or gave it another address. A page that is open tells the relay; only a page has the key for that, so
 * without one somebody has to open it.
 * @param {SubscriptionChange} event
 */
async function resubscribe({ newSubscription, oldSubscription }) {
  const applicationServerKey = oldSubscription?.options?.applicationServerKey;
  if (!newSubscription && applicationServerKey) {
    // The browser refuses if the person took the permission back; the page says so when it is opened.
    await worker.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }).catch(() => undefined);
  }
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  pages.forEach((page) => page.postMessage({ subscription: "changed" }));
  if (pages.length) return undefined;
  return worker.registration.showNotification(t`Open Heliograph once`, {
    body: t`This browser has a new address for notifications, or none. Until the page was open, none of what agents ask arrives here.`,
    tag: "subscription", navigate: `${location.origin}/#/devices`, icon: "/icon-192.png", data: { navigate: `${location.origin}/#/devices` },
  });
}

/** @param {Response} response @returns {Promise<string>} Why it was not decided, as a sentence; empty where the relay says that it was. */
async function reasonIn(response) {
  if (response.status === 404) return t`It was answered already, or waited too long.`;
  try {
    const { error, stage } = object(await response.json());
    if (response.ok && typeof stage === "string") return "";
    const winner = object(object(error).winner);
    if (winner.by) return t`Decided already: ${winner.decision === "deny" ? t`denied` : winner.decision === "allow" ? t`allowed` : t`answered`} by ${object(winner.by).name}.`;
    if (object(error).message) return t`The relay says: ${error.message}.`;
  } catch {
    // An answer that is not the relay's JSON is a proxy's.
  }
  // As a network's page for logging in, which comes in the place of any other.
  if (response.ok) return t`Something else answered in the relay's place. Open the page to decide.`;
  return t`The relay answered ${response.status}.`;
}

/**
 * The proof for a host that wants one. A denial counts without, too.
 * @param {string} decision @param {Signable|undefined} signable
 */
async function proofOf(decision, signable) {
  const own = signable && await keys.own();
  if (!own) return {};
  const { host, ...shown } = signable;
  return { signature: await decisionSignatureOf(own, { host, ...shown, verdict: /** @type {import("./decisions.js").Verdict} */ ({ decision }), issuedAt: Date.now() }) };
}

/** @param {string} decision @param {string} code @param {Signable|undefined} signable @returns {Promise<string>} Why it was not decided; empty where it was. */
async function decide(decision, code, signable) {
  const patience = new AbortController();
  setTimeout(() => patience.abort(), decideWithin);
  const proof = await proofOf(decision, signable).catch(() => ({}));
  if (signable && decision === "allow" && !("signature" in proof)) return t`This browser has cleared its keys. Open the page to decide.`;
  try {
    const response = await fetch(`/v1/decisions/${encodeURIComponent(code)}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ decision, ...proof }), signal: patience.signal,
    });
    return await reasonIn(response);
  } catch {
    return t`The relay cannot be reached. Open the page to decide.`;
  }
}

/** @param {NotificationEvent} event */
async function pressed({ action, notification }) {
  notification.close();
  const told = toldIn(notification);
  const navigate = placeOf(object(notification.data).navigate);
  if (!decided.includes(action) || !told.code || !told.decisions?.includes(action)) return goTo(navigate);
  const problem = await decide(action, told.code, object(notification.data).signable);
  if (!problem) return undefined;
  return worker.registration.showNotification(`${verbOf(action).failed}: ${notification.title}`, {
    body: problem, tag: notification.tag, navigate, icon: "/icon-192.png",
    data: { heliograph: { ...told, code: undefined }, navigate }, requireInteraction: true,
  });
}

worker.addEventListener("push", (event) => event.waitUntil(spoken(showPush, event)));
worker.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(spoken(resubscribe, event)));
worker.addEventListener("notificationclick", (event) => event.waitUntil(spoken(pressed, event)));
