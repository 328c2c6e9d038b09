/**
 * The service worker. Without a connection it shows the kept page instead of the browser's error, and
 * it shows pushes while no page is open.
 *
 * The relay is always asked first, and its answer is shown. The kept page is the one that the relay last served, without content of any session:
 * so kept content never passes for live, and an upgraded relay is never hidden. The worker handles only requests for `/` and the page's later part.
 */

import { decisionSignatureOf } from "./consent.js";
import { KeyStore } from "./keys.js";
import { language, t } from "./language.js";
import { parsedMessage } from "./numbers.js";
import { riskWords } from "./risk-words.js";
import { SessionSealing } from "./sealing.js";
import { consentOf, shownApproval } from "./shown.js";

const worker = /** @type {WorkerScope} */ (/** @type {unknown} */ (self));

/** A cache with one page and its later part. */
const cacheName = "shell";
/** The later part's two files have their digest in the name, so a cached file is never outdated. */
const partPath = /^\/part-[0-9a-f]+\.(?:js|css)$/;
/** A language's sentences: the page caches those in use, for the worker's own texts. */
const sentencesPath = /^\/languages\/([a-z]+)-[0-9a-f]+\.json$/;
/** Statuses of a proxy that cannot reach the relay, and of an overloaded relay. */
const awayStatuses = [502, 503, 504];
/** Limit until an answer begins: a network that drops packets would fail only after minutes. */
const pageWithin = 10_000;

/**
 * Replaces the cached page, if it has changed.
 * @param {Response} page
 */
async function keep(page) {
  const cache = await caches.open(cacheName);
  const held = await cache.match("/");
  if (held && held.headers.get("etag") === page.headers.get("etag")) return;
  const [, part] = (await page.clone().text()).match(/<meta name="part" content="(part-[0-9a-f]+)">/) ?? [];
  const names = part ? ["css", "js"].map((ending) => `/${part}.${ending}`) : [];
  // The later part is cached first, because a page without it would stay incomplete.
  if (!(await cache.addAll(names).then(() => true, () => false))) return;
  await cache.put("/", page);
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (partPath.test(pathname) && !names.includes(pathname)) await cache.delete(pathname);
  }
}

/**
 * Runs a handler with the sentences of the page's current language; with English ones if they are not cached.
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
    // Without a cache the language is unknown, and the handler runs with English sentences.
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
    // Without a kept page the browser waits for the relay, and shows its own error.
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
  // Navigation preload: the browser requests the page while the worker is starting, so that starting costs no time.
  event.waitUntil(Promise.all([worker.clients.claim(), worker.registration.navigationPreload?.enable()]));
});

worker.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.mode === "navigate" && pathname === "/") event.respondWith(page(event));
  else if (origin === location.origin && partPath.test(pathname)) event.respondWith(partOf(event.request));
});

// All browsers get the same JSON, a declarative push: Safari passes it as a notification, other browsers as text.

/**
 * @typedef {object} Told The relay's data beside a notification's text.
 * @property {string} [kind]
 * @property {string} [session]
 * @property {string} [approval]
 * @property {string} [code] A code that decides the approval once.
 * @property {string[]} [decisions] The decisions that this device may offer: `deny`, `allow`.
 * @property {string} [line] The session's line, sealed by its host.
 * @property {boolean} [rings] False if the notification silently replaces an earlier one.
 */

/**
 * The host's shown text of an approval, to be signed.
 * @typedef {{host: string, session: string, approval: string, text: string, digest: string}} Signable
 */

/** A notification is always shown: browsers withdraw the permission after a push without one. */
const unread = () => ({ title: "Heliograph", body: t`An agent needs you. Open the page to see what it asks.` });
/** Limit for looking up the host's shown text, during which no notification is shown yet. */
const readWithin = 6_000;
/** The relay's limit for an input that a notification shows in full, in characters. */
const fullMax = 2_600;
/** Limit for a decision: longer than a relay on a bad line takes, and well below a service worker's lifetime. */
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

/**
 * A path of this page only, whatever address the push contains.
 * @param {unknown} address @returns {string}
 */
function placeOf(address) {
  try {
    const url = new URL(String(address));
    if (url.origin === location.origin) return url.href;
  } catch {
    // A malformed address leads to the start of the page.
  }
  return `${location.origin}/`;
}

const keys = new KeyStore();

/**
 * Requests an approval from the relay over a WebSocket, like the page.
 * @param {string} key The page's key. @param {Told} told
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

/** Characters that are invisible or look like others. */
const unshowable = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;

/**
 * Decides whether a notification may offer *Allow*. For a host that requires signatures and trusts this browser, the notification shows the host's own text, which is then signed.
 * @param {Told} told
 * @returns {Promise<{mayAllow: boolean, words?: {title: string, body: string}, signable?: Signable}>}
 */
async function shownTo(told) {
  // The page stores its key once it knows a host that requires signatures. Such a host refuses an unsigned allow anyway.
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
    // A host that seals sends no requests in the open.
    if (!host || host.epochs?.size || "problem" in consent || !body || head.cut || head.passkey || object(head.alert).whole !== true) return { mayAllow: false };
    if (typeof full !== "string" || full.length > fullMax || unshowable.test(full.replace(/\n/g, "")) || unshowable.test(String(head.tool))) return { mayAllow: false };
    // The host words the risks, as in other notifications.
    const risks = Array.isArray(head.risks) ? head.risks.map((risk) => riskWords(String(risk))).join(" ") : "";
    if (unshowable.test(risks)) return { mayAllow: false };
    return {
      mayAllow: true, words: { title: t`Allow ${head.tool}? · ${host.name}`, body: risks ? `${t`Look twice: ${risks}`}\n${full}` : full },
      signable: { host: host.id, session, approval, text: consent.text, digest: head.digest },
    };
  } catch {
    // The shown text is malformed, so the request is decided on the page.
    return { mayAllow: false };
  }
}

/**
 * Opens the session's line that its host sealed. Otherwise the relay's text is shown, which reveals nothing.
 * @param {Told} told @returns {Promise<string>} Empty if it does not open.
 */
async function openedWords({ kind, session, line }) {
  if (typeof session !== "string" || typeof line !== "string") return "";
  for (const { id, epochs } of await keys.hosts().catch(() => [])) {
    try {
      const { project, title, operation, asks, error } = (await new SessionSealing(id, session, (epoch) => epochs?.get(epoch)).openLine(line)).line;
      const words = [[project, title].filter(Boolean).join(" · "), kind === "error" ? error : asks ?? operation].filter(Boolean).join("\n");
      return unshowable.test(words.replace(/\n/g, "")) ? "" : words;
    } catch {
      // The line was sealed by another host, or with an unknown key.
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
    // Browsers refuse `renotify` without a tag.
    renotify: rings && tag !== "",
    requireInteraction: rings && told.approval !== undefined,
    actions: [
      ...decisions.map((name) => ({ action: name, title: verbOf(name).button })),
      ...(told.approval === undefined ? [] : [{ action: "review", title: t`Review` }]),
    ],
  });
  if (told.kind !== "test") return;
  // Pages are notified, because the person who requested the test may be looking at one: that it arrived distinguishes a dead subscription from a silenced
  // phone.
  for (const page of await worker.clients.matchAll({ type: "window", includeUncontrolled: true })) page.postMessage({ arrived: "test" });
}

/**
 * Focuses an open page, or opens one.
 * @param {string} address
 */
async function goTo(address) {
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => one.visibilityState === "visible") ?? pages[0];
  if (!page) return worker.clients.openWindow(address);
  page.postMessage({ open: new URL(address).hash });
  // A browser that does not let the page be focused may still open a new one.
  return page.focus().catch(() => worker.clients.openWindow(address));
}

/**
 * Subscribes again after the browser ended the subscription or changed its address. An open page sends it to the relay; the worker has no key for
 * that, so otherwise the person has to open the page.
 * @param {SubscriptionChange} event
 */
async function resubscribe({ newSubscription, oldSubscription }) {
  const applicationServerKey = oldSubscription?.options?.applicationServerKey;
  if (!newSubscription && applicationServerKey) {
    // Browsers refuse to subscribe if the person has withdrawn the permission; the page says so when it is opened.
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

/**
 * The reason why the approval was not decided, as a sentence; empty if the relay decided it.
 * @param {Response} response @returns {Promise<string>}
 */
async function reasonIn(response) {
  if (response.status === 404) return t`It was answered already, or waited too long.`;
  try {
    const { error, stage } = object(await response.json());
    if (response.ok && typeof stage === "string") return "";
    const winner = object(object(error).winner);
    if (winner.by) return t`Decided already: ${winner.decision === "deny" ? t`denied` : ["allow", "edit"].includes(winner.decision) ? t`allowed` : t`answered`} by ${object(winner.by).name}.`;
    if (object(error).message) return t`The relay says: ${error.message}.`;
  } catch {
    // An answer other than the relay's JSON comes from a proxy.
  }
  // A captive portal, for example, answers every request with its own page.
  if (response.ok) return t`Something else answered in the relay's place. Open the page to decide.`;
  return t`The relay answered ${response.status}.`;
}

/**
 * The signature for a host that requires one. A denial is accepted without it.
 * @param {string} decision @param {Signable|undefined} signable
 */
async function proofOf(decision, signable) {
  const own = signable && await keys.own();
  if (!own) return {};
  const { host, ...shown } = signable;
  return { signature: await decisionSignatureOf(own, { host, ...shown, verdict: /** @type {import("./decisions.js").Verdict} */ ({ decision }), issuedAt: Date.now() }) };
}

/**
 * The reason why the approval was not decided; empty if it was.
 * @param {string} decision @param {string} code @param {Signable|undefined} signable @returns {Promise<string>}
 */
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
