/**
 * The page's composition root: it connects the known state (`store.js`), the link that fills it (`link.js`), a person's decisions
 * (`decisions.js`), and the views that draw it (`elements/`). A message goes: socket → link → `apply` → changes → one frame → views.
 *
 * The first part draws the list and pairs a browser. The other common views (`later.js`) load after it and join once they have arrived; rare views
 * (`seldom.js`) load when they are opened.
 */

import { Decisions } from "./decisions.js";
import { attribute, write } from "./dom.js";
import { Ingress } from "./ingress.js";
import { t } from "./language.js";
import { Link } from "./link.js";
import { ask, forgetKey, hasKey, subprotocols } from "./page-key.js";
import { Presence } from "./presence.js";
import { browserShelf, Kept } from "./kept.js";
import { pairingOf, routeOf, secretIn } from "./route.js";
import { keepShell, renew } from "./page-shell.js";
import { Marks, SavedSieves } from "./sieve.js";
import { flat, line } from "./text.js";
import { Snoozes } from "./snoozes.js";
import { apply, asksOf, emptyState, linkLost, noChanges, pending, position, restore } from "./store.js";
import { LinkState, stopWords } from "./elements/link-state.js";
import { Keyboard } from "./shortcuts.js";
import { PairScreen } from "./elements/pair-screen.js";
import { SessionList } from "./elements/session-list.js";
import { typedMeanwhile } from "./typing.js";
import { titleOf, waitingWords } from "./session-words.js";

/** @typedef {import("./route.js").Route} Route */

/**
 * @typedef {object} LaterViews
 * @property {import("./elements/session-view.js").SessionView} session
 * @property {import("./elements/approvals-inbox.js").ApprovalsInbox} inbox
 * @property {import("./elements/trust-note.js").TrustNote} note
 */

/**
 * @typedef {object} SeldomViews
 * @property {import("./elements/devices-view.js").DevicesView} devices
 * @property {import("./elements/budgets-view.js").BudgetsView} budgets
 * @property {import("./elements/costs-view.js").CostsView} costs
 * @property {import("./elements/link-view.js").LinkView} link
 * @property {import("./elements/start-view.js").StartView} start
 * @property {import("./elements/rules-view.js").RulesView} rules
 * @property {import("./elements/command-palette.js").CommandPalette} palette
 * @property {import("./elements/terminal-view.js").TerminalView} terminal
 */

/** The window is wide enough to show the list of sessions beside another screen. */
const besideEachOther = matchMedia("(min-width: 48em)");
const panes = {
  sessions: "session-list", session: "session-view", approvals: "approvals-inbox", devices: "devices-view", budgets: "budgets-view", costs: "costs-view", link: "link-view",
  pair: "pair-screen", start: "start-view", rules: "rules-view", terminal: "terminal-view",
};

/** Interval at which the shown state is kept on the device; it is also kept when the page leaves the screen. */
const keepMs = 20_000;
/** The delay before the state is kept after the link has become live, because the snapshots arrive first. */
const soonMs = 2_000;
/** The delay after which a browser without a service worker loads the rest of the page, too. */
const idleMs = 10_000;
/** Screens whose views load on demand, in one part (`seldom.js`). */
const seldomScreens = ["devices", "budgets", "costs", "link", "start", "rules", "terminal"];

const state = emptyState();
/** The relay's clock minus this device's, in milliseconds: events carry the relay's time, and a phone's clock may be minutes off. */
let clockOffset = 0;
/** @type {import("./store.js").Changes} State that changed since the last frame. */
let changed = noChanges();
let frameAsked = false;
/** The relay's client id of this browser, or empty before the relay sent it. */
let knownAs = "";
/** @type {Route} */
let route = routeOf(location.hash) ?? { screen: "sessions", archive: false };
let watched = "";
let announced = 0;
let wasLive = false;
/** The number of times that the link became live. */
let times = 0;
/** @type {LaterViews|null} */
let later = null;
/** @type {SeldomViews|null} */
let seldom = null;
let loadPart = async () => undefined;
/** @type {import("./notifications.js").Notifications|null} */
let notifications = null;
/** @type {import("./web-push.js").WebPush|null} */
let webPush = null;
/** @type {import("./trust.js").Trust|null} */
let trust = null;
/** A person opened a screen whose view has not loaded; the keyboard focus moves there once it has. */
let isLandingDue = false;

/** Resolves once the page has loaded, although parts may be missing if the connection broke meanwhile. */
const whole = new Promise((resolve) => addEventListener("DOMContentLoaded", resolve));

const timers = {
  /** @param {() => void} run @param {number} milliseconds */
  setTimer: (run, milliseconds) => setTimeout(run, milliseconds),
  /** @param {any} timer */
  clearTimer: (timer) => clearTimeout(timer),
};

const link = new Link({
  open: () => openSocket(subprotocols()),
  now: () => Date.now(),
  random: () => Math.random(),
  ...timers,
  answers: async () => (await whoAmI()) !== "unknown",
  standing: whoAmI,
}, {
  message: (message, text) => ingress.through([message], (opened) => opened.forEach(take), text),
  history: (reply, text, give) => ingress.through([reply], ([opened]) => give(opened), text),
  state: linkChanged,
  position: (session) => (ingress.opener?.followed(session), position(state, session)),
});

const ingress = new Ingress(withSeldom);

/** @param {import("./wire").Message} message A message with its sealed content already opened. */
function take(message) {
  trust?.received(message);
  draw(apply(state, message));
}

const decisions = new Decisions(link, (key) => draw({ ...noChanges(), approvals: new Set([key]) }));

// The storage key is historical: an earlier version called archived sessions hidden.
const archive = new Marks(() => localStorage, "heliograph.hidden");
const pins = new Marks(() => localStorage, "heliograph.pinned");
const snoozes = new Snoozes(() => localStorage, () => Date.now() + clockOffset);
/** @param {string} session Returns true if the session's requests are snoozed. */
const isLater = (session) => snoozes.has(session, () => asksOf(state, session));
/** Waiting approvals that are not snoozed. */
const waitingNow = () => pending(state).filter(({ session }) => !isLater(session));
const kept = new Kept(browserShelf(), () => Date.now() + clockOffset);
const presence = new Presence(timers, link, () => ({
  foreground: document.visibilityState === "visible" && document.hasFocus(),
  session: document.body.dataset.screen === "session" && route.screen === "session" ? route.session : undefined,
  device: webPush?.device || undefined,
}));

const keyboard = new Keyboard(() => localStorage);

/** @type {import("./elements/view.js").App} */
const app = {
  state, link, decisions, presence, archive, pins, sieves: new SavedSieves(() => localStorage), snoozes, isLater, keyboard,
  .../** @type {Pick<import("./elements/view.js").App, "webPush"|"trust"|"devices"|"held"|"tokens"|"budgets"|"costs">} */ ({}),
  now: () => Date.now() + clockOffset,
  // A new text node each time, so that screen readers announce the same words twice.
  announce: (text) => element("announcer").replaceChildren(text),
  listChanged: everything,
  sift: (sieve) => {
    location.hash = "#/";
    views.list.sift(sieve);
  },
  pairAgain: () => pairScreen({ reason: t`This device was logged out.` }),
  loadSeldom: withSeldom,
  loadTyping: () => (seldom ? Promise.resolve("") : typedMeanwhile(withSeldom)),
};

const views = {
  linkState: view("link-state", LinkState),
  list: view(panes.sessions, SessionList),
  pair: view(panes.pair, PairScreen),
};

/**
 * Finds an element of the page by its id, and passes it the app that all views share.
 * @template {import("./elements/view.js").View} T
 * @param {string} name @param {new () => T} kind
 * @returns {T}
 */
export function view(name, kind) {
  const found = document.querySelector(name);
  if (!(found instanceof kind)) throw new Error(`The page has no ${name}.`);
  found.app = app;
  return found;
}

/**
 * @typedef {object} LaterParts Constructors of the parts that need the link, this browser's client id, the state, and a callback for changes.
 * @property {(link: Link, name: () => string, changed: () => void) => import("./web-push.js").WebPush} webPush
 * @property {(link: Link, name: () => string, changed: () => void, state: import("./store.js").State) => import("./trust.js").Trust} trust
 */

/**
 * Adds the views and parts that load after the list of sessions.
 * @param {LaterViews} others @param {import("./notifications.js").Notifications} outside @param {LaterParts} parts @param {() => Promise<undefined>} loads
 */
export function join(others, outside, parts, loads) {
  later = others;
  loadPart = loads;
  notifications = outside;
  const name = () => state.welcome?.client.name ?? "A browser";
  webPush = parts.webPush(link, name, () => {
    presence.changed();
    everything();
  });
  trust = parts.trust(link, name, everything, state);
  decisions.signer = trust;
  Object.assign(app, { webPush, trust });
  webPush.returned();
  notifications.badge(waitingNow().length);
  if (document.visibilityState === "visible") notifications.clear();
  if (document.body.dataset.screen !== route.screen) return;
  arriveLater(others);
  everything();
  if (isLandingDue) land();
}

/**
 * Adds the rare views, which load when one of them is opened.
 * @param {(link: Link, state: import("./store.js").State, now: () => number, changed: () => void, trust: import("./trust.js").Trust) => Pick<import("./elements/view.js").App, "devices"|"held"|"tokens"|"budgets"|"costs">} makeParts @param {() => SeldomViews} makeViews
 * @param {(link: Link, trust: import("./trust.js").Trust, state: import("./store.js").State, changed: () => void) => import("./ingress.js").Opener} makeOpener
 */
export function joinSeldom(makeParts, makeViews, makeOpener) {
  ingress.opener = makeOpener(link, app.trust, state, everything);
  Object.assign(app, makeParts(link, state, app.now, everything, app.trust));
  seldom = makeViews();
  seldom.palette.onaction = act;
  everything();
  if (document.body.dataset.screen !== route.screen) return;
  arriveSeldom(seldom);
  if (isLandingDue) land();
}

export const seldomViews = () => seldom;

/** @returns {Promise<SeldomViews|null>} Loads the rare views. Returns null if loading failed. */
async function withSeldom() {
  // These modules use elements that stand further down in the document.
  await whole;
  await loadPart().catch(() => undefined);
  if (!seldom && link.isLive) offerReload();
  return seldom;
}

function everything() {
  draw({ ...noChanges(), all: true });
}

const needsSeldom = () => seldomScreens.includes(route.screen) || (route.screen === "session" && route.changes);

function offerReload() {
  write(element("reload"), t`Not all of the page came: load it again`);
  element("reload").hidden = false;
}

/** @param {string} id */
function element(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * Collects what changed and draws it with the next frame; a burst of messages costs one drawing.
 * @param {import("./store.js").Changes} changes
 */
function draw(changes) {
  changes.resubscribe.forEach((session) => link.rewatch(session));
  if (changes.sessions.has(watched)) link.exists(watched);
  changed.all ||= changes.all;
  for (const part of /** @type {const} */ (["sessions", "approvals", "logs", "devices"])) changes[part].forEach((id) => changed[part].add(id));
  // A tab in the background gets no animation frames, but its title stays visible and shows the count.
  if (changes.all || changes.approvals.size || changes.sessions.has(watched)) drawCounts();
  if (frameAsked) return;
  frameAsked = true;
  requestAnimationFrame(() => {
    frameAsked = false;
    const now = changed;
    changed = noChanges();
    views.list.refresh(now);
    if (!views.pair.hidden) views.pair.refresh();
    if (!later) return;
    for (const one of [later.session, later.inbox]) if (!one.hidden) one.refresh(now);
    if (seldom) {
      for (const one of Object.values(seldom)) if (!one.hidden || one === seldom.link) one.refresh(now);
    }
    later.note.refresh();
    if (now.all || now.sessions.size) trust?.met();
  });
}

function drawCounts() {
  // Approvals restored from this device may already be settled, so they are not counted before the relay answered.
  const waiting = state.loaded ? waitingNow().length : 0;
  const badge = /** @type {HTMLElement} */ (document.querySelector("[data-tab=approvals] .count"));
  attribute(badge, "hidden", waiting === 0);
  write(badge, String(waiting));
  notifications?.badge(waiting);
  attribute(badge, "aria-label", t`${waiting} waiting`);
  const summary = route.screen === "session" ? state.sessions.get(route.session) : undefined;
  const title = `${waiting ? `(${waiting}) ` : ""}${summary ? `${flat(line(titleOf(summary)))} · ` : ""}Heliograph`;
  if (document.title !== title) document.title = title;
  if (waiting > announced) app.announce(waitingWords(waitingNow(), state.sessions));
  announced = waiting;
}

function linkChanged() {
  if (link.isLive && !wasLive) arrived();
  wasLive = link.isLive || (wasLive && link.phase === "silent");
  if (link.phase === "stopped" && [4401, 1000].includes(link.stopCode)) {
    forgetKey();
    kept.forget().catch(() => undefined);
    webPush?.loggedOut();
    if (link.stopCode === 1000) trust?.loggedOut().catch(() => pairScreen({ reason: t`You are logged out, but this browser's keys could not be deleted: clear this site's data in its settings.` }));
  }
  if (link.phase === "stopped" && link.stopCode === 4401) pairScreen({ reason: stopWords(link) });
  if (link.phase === "waiting" || link.phase === "connecting") draw(linkLost(state));
  presence.linkChanged();
  if (link.isLive) {
    if (seldom) [app.devices, app.budgets, app.costs].forEach((one) => one.again());
    webPush?.returned();
    trust?.stirred();
  }
  views.linkState.refresh();
  draw({ ...noChanges(), all: true });
}

/**
 * Shows the screen that the address names.
 * @param {{focus: boolean}} options `focus`: a person navigated there, so the keyboard focus moves, too.
 */
function show({ focus }) {
  const wide = besideEachOther.matches;
  document.body.dataset.screen = route.screen;
  views.list.current = route.screen === "session" ? route.session : null;
  const beside = !wide ? [] : route.screen === "sessions" ? [panes.sessions, panes.approvals] : [panes.sessions];
  showPanes([panes[route.screen], ...beside]);
  for (const tab of document.querySelectorAll("[data-tab]")) {
    const name = /** @type {HTMLElement} */ (tab).dataset.tab;
    // Beside the list of sessions there is no tab of its own, and its address shows the waiting approvals.
    const current = name === route.screen || (name === "sessions" && route.screen === "session")
      || (name === "approvals" && (route.screen === "rules" || (wide && route.screen === "sessions")));
    attribute(tab, "aria-current", current ? "page" : null);
  }
  const session = route.screen === "session" ? route.session : "";
  if (session !== watched) {
    if (watched) link.unwatch(watched);
    if (session) link.watch(session);
    watched = session;
    if (session) showKept(session);
  }
  if (route.screen === "sessions") views.list.arrive(route.archive);
  else views.list.refresh({ ...noChanges(), all: true });
  if (later) arriveLater(later);
  if (seldom) arriveSeldom(seldom);
  else if (needsSeldom()) withSeldom();
  drawCounts();
  presence.changed();
  isLandingDue = false;
  if (focus && !(route.screen === "approvals" && route.named)) land();
}

/**
 * Shows the copy of a session that this device kept, for use without a connection.
 * @param {string} session
 */
async function showKept(session) {
  if (link.isLive || state.logs.has(session)) return;
  const message = await kept.log(session);
  if (message) ingress.through([message], ([opened]) => !link.isLive && !state.logs.has(session) && state.sessions.has(session) && draw(apply(state, opened)));
}

/** Keeps the shown state on this device, so that the page can start without a connection. */
function keep() {
  if (link.isLive) kept.keep(state).catch(() => undefined);
}

/**
 * Adds the views that loaded later, and draws the addressed screen again.
 * @param {LaterViews} others
 */
function arriveLater(others) {
  if (route.screen === "session") others.session.arrive(route.session, route.changes);
  if (!others.inbox.hidden) others.inbox.arrive(route.screen === "approvals" ? route : { recent: false });
}

/** @param {SeldomViews} others */
function arriveSeldom(others) {
  if (route.screen === "devices") others.devices.arrive();
  if (route.screen === "start") others.start.arrive();
  else others.start.leave();
  if (route.screen === "budgets") others.budgets.arrive(route.session);
  if (route.screen === "costs") others.costs.arrive();
  if (route.screen === "rules") others.rules.arrive(route);
  else others.rules.leave();
  if (route.screen === "terminal") others.terminal.arrive(route.session);
  else others.terminal.leave();
  others.link.refresh();
}

/** @param {string[]} names Names of the panes to show; the others are hidden. */
function showPanes(names) {
  for (const pane of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("main > .pane"))) pane.hidden = !names.includes(pane.localName);
}

/** Moves the keyboard focus to the heading of the addressed screen. */
function land() {
  const heading = document.querySelector(`${document.body.dataset.screen === "pair" ? panes.pair : panes[route.screen]} h2`);
  isLandingDue = !heading;
  if (heading instanceof HTMLElement) heading.focus({ preventScroll: true });
}

/**
 * Redirects an unknown screen's address to the first screen.
 * @returns {Route|null} Null if the fragment is no screen's address, such as a link inside the page.
 */
function lost() {
  if (routeOf(location.hash) || !location.hash.startsWith("#/")) return null;
  history.replaceState(null, "", "#/");
  return { screen: "sessions", archive: false };
}

/** @param {{code?: string, k?: string, reason?: string, isPaired?: boolean, knownAs?: string}} found */
function pairScreen(found) {
  document.body.dataset.screen = "pair";
  showPanes([panes.pair]);
  views.pair.arrive(found);
}

/** @returns {Promise<import("./link.js").Standing>} */
async function whoAmI() {
  try {
    const asked = Date.now();
    const response = await ask("/v1/me", { cache: "no-store" });
    const date = Date.parse(response.headers.get("Date") ?? "");
    // The Date header has whole seconds, and the round trip takes time: a smaller difference than that is none.
    const offset = date + 500 - (asked + Date.now()) / 2;
    clockOffset = Math.abs(offset) > 2000 ? offset : 0;
    if (response.ok) knownAs = String((await response.json()).client?.name ?? "");
    return response.ok ? "paired" : response.status !== 401 ? "unknown" : (await response.text()).includes("workspaceRemoved") ? "removed" : "unpaired";
  } catch {
    return "unknown";
  }
}

async function start() {
  const pairing = pairingOf(location.hash);
  const k = pairing?.k ?? secretIn(location.hash);
  if ((pairing || k) && location.hash.includes("=")) {
    // Pairing code and secret leave the address at once, so that neither history nor a shared screen keeps them.
    history.replaceState(null, "", "#/");
    route = { screen: "sessions", archive: false };
    const isPaired = hasKey() && ["paired", "unknown"].includes(await whoAmI());
    if (isPaired && k) {
      // The relay has already paired this browser, so the page opens without a further question.
      show({ focus: false });
      whole.then(() => trust?.offered(k, false));
      return link.start();
    }
    pairScreen({
      isPaired, knownAs, k, ...(!pairing ? { reason: t`Pair this browser with the relay first. Then the machine of that link trusts it, too.` }
        : pairing.role === "client" ? { code: pairing.code }
        : { reason: t`That link is for a machine with agents: run heliograph join with it there.` }),
    });
    // In the background the link fetches this browser's rights.
    return isPaired ? link.start() : undefined;
  }
  lost();
  if (hasKey()) {
    // If the relay no longer knows this browser, the link finds out.
    whoAmI();
    kept.workspace().then((found) => {
      if (!found) return;
      ingress.through(found.messages, (messages) => {
        draw(restore(state, { at: found.at, messages }));
        if (watched) showKept(watched);
      });
    });
  } else if (!["paired", "unknown"].includes(await whoAmI())) {
    return pairScreen({});
  }
  show({ focus: false });
  return link.start();
}

/** Called when the link becomes live, for the first time or again. */
function arrived() {
  times += 1;
  setTimeout(keep, soonMs);
  const isFirst = times === 1;
  // The clock of this device may have been changed while the link was down.
  if (!isFirst) whoAmI();
  // While the page loads, a second request for it would compete for the connection.
  whole.then(() => {
    if (isFirst) keepShell().then((worker) => worker || setTimeout(withSeldom, idleMs));
    if (!seldom && needsSeldom()) withSeldom();
    renew({ isFirst }).then((isOutdated) => {
      if (isOutdated && later) write(element("reload"), t`Updated: load the new page`);
      attribute(element("reload"), "hidden", !isOutdated && later !== null);
    });
  });
}

whole.then(() => {
  if (!later) offerReload();
});

views.pair.onback = () => {
  show({ focus: true });
  return link.start();
};

/** @param {string} k */
views.pair.onpaired = async (k) => {
  await kept.forget().catch(() => undefined);
  if (k) await whole.then(() => trust?.offered(k, true));
  // The page reloads, because another workspace's content must not stay in its memory.
  if (state.welcome || !["idle", "stopped"].includes(link.phase)) return location.reload();
  whoAmI();
  show({ focus: true });
  return link.start();
};

document.querySelector(".skip")?.addEventListener("click", (event) => {
  // The address stays unchanged, so that a reload leads to the same screen.
  event.preventDefault();
  land();
});
addEventListener("hashchange", () => {
  if ((pairingOf(location.hash) && location.hash.includes("=")) || secretIn(location.hash)) return void start();
  const next = routeOf(location.hash) ?? lost();
  if (!next || (document.body.dataset.screen === "pair" && !views.pair.isPaired)) return undefined;
  route = next;
  return show({ focus: true });
});
besideEachOther.addEventListener("change", () => document.body.dataset.screen !== "pair" && show({ focus: false }));
element("reload").addEventListener("click", () => location.reload());
addEventListener("keydown", (event) => {
  const { target } = event;
  const isWriting = document.querySelector("dialog[open]") !== null || (target instanceof HTMLElement && target.matches("input:not([type=radio], [type=checkbox]), textarea, select"));
  const action = event.isComposing || document.body.dataset.screen === "pair" ? null : keyboard.pressed(event, isWriting, performance.now());
  if (!action) return;
  event.preventDefault();
  act(action);
});
addEventListener("online", () => link.wake());
addEventListener("visibilitychange", () => {
  presence.changed();
  if (document.visibilityState !== "visible") return keep();
  link.wake();
  notifications?.clear();
  webPush?.returned();
  tick();
});
addEventListener("focus", () => presence.changed());
addEventListener("blur", () => presence.changed());
addEventListener("pagehide", keep);
setInterval(tick, 1000);
setInterval(keep, keepMs);

/** @param {import("./shortcuts.js").Action} action */
function act(action) {
  switch (action) {
    case "next":
    case "previous": {
      const session = views.list.beside(route.screen === "session" ? route.session : null, action === "next" ? 1 : -1);
      if (session) location.hash = `#/session/${session}`;
      break;
    }
    case "allow":
    case "deny": {
      const pane = later && [later.session, later.inbox].find((one) => !one.hidden);
      pane?.decide(action);
      break;
    }
    case "search":
      if (route.screen === "session") later?.session.search();
      else views.list.search();
      break;
    case "inbox":
      location.hash = "#/approvals";
      break;
    case "sessions":
      location.hash = "#/";
      break;
    case "start":
      location.hash = "#/start";
      break;
    case "letters":
      keyboard.letters = !keyboard.letters;
      app.announce(keyboard.letters ? t`Single letters act again` : t`Single letters do nothing now`);
      break;
    default:
      app.loadTyping().then((text) => seldom?.palette.open({ keys: action === "help", text }));
  }
}

/** Clocks in a background tab are not drawn. */
function tick() {
  if (snoozes.due()) everything();
  app.held?.tick();
  if (document.visibilityState === "visible") Object.values({ ...views, ...later, ...seldom }).forEach((one) => one.hidden || one.tick());
}

start();
