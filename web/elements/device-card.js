/** `<device-card>`: one device with its Lock Screen, its settings, its Live Activities, and the outcome of each push. */

import { reachOf } from "../choices.js";
import { arrange, attribute, h, say, span, write } from "../dom.js";
import { about, fate, testAmong, testWords, wishes } from "../device-words.js";
import { ago, duration, timeOfDay } from "../format.js";
import { t } from "../language.js";
import { lockScreen } from "../lockscreen.js";
import { titleOf } from "../session-words.js";
import { line } from "../text.js";
import { textBlock } from "./blocks.js";
import { ChoicesForm } from "./choices-form.js";
import { Confirmation } from "./confirmation.js";
import { LockScreen } from "./lock-screen.js";

/** @typedef {import("../wire").DeviceState} Device */
/** @typedef {import("../wire").Push} Push */
/** @typedef {import("./view.js").App} App */

const purposes = /** @type {Record<string, string>} */ ({
  start: t`Card begun`, update: t`Card updated`, end: t`Card ended`, alert: t`Alert`, channel: t`Channel`,
});
const states = /** @type {Record<string, string>} */ ({
  starting: t`being started`, active: t`on the Lock Screen`, stale: t`out of date`, ended: t`ended`, dismissed: t`swiped away`,
});

export class DeviceCard extends HTMLElement {
  // `show` sets the app and the device before any other call.
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #device = /** @type {Device} */ (/** @type {unknown} */ (undefined));

  #article = h("article", { class: "device" });
  #name = h("h3", { class: "foreign", tabindex: "-1" });
  #about = h("p", { class: "quiet foreign" });
  #own = span("presence", t`This browser`);
  #presence = span("presence");
  #trouble = h("p", { class: "warning foreign" });
  #screen = new LockScreen();
  #wishes = h("dl", { class: "numbers" });
  #change = h("button", { type: "button", class: "plain", onclick: () => this.#open(true) }, t`Change …`);
  #changeButtons = h("div", { class: "buttons" }, this.#change);
  #choices = new ChoicesForm();
  #cards = h("ul", { class: "device-cards" });
  #cardsPart = h("section", {}, h("h4", {}, t`Cards`), this.#cards);
  #pushes = h("ol", { class: "pushes", "aria-label": t`Pushes, the newest first` });
  #noPushes = h("p", { class: "quiet" }, t`None yet. One is sent when something happens and nobody is looking.`);
  #test = h("button", { type: "button", class: "plain", onclick: () => this.#do("test") }, t`Send a test`);
  #forget = h("button", { type: "button", class: "deny" }, t`Forget …`);
  #buttons = h("div", { class: "buttons" }, this.#test, this.#forget);
  #confirmation = new Confirmation({ opener: this.#forget, buttons: this.#buttons, verb: t`Forget`, deed: () => this.#do("forget") });
  #problem = h("p", { class: "problem", role: "alert" });
  #tested = h("p", { class: "tested foreign", role: "status", hidden: true });
  /** @type {{after: number, hasArrived: boolean}|null} A test notification that was asked for; `after` is the number of the last push before it. */ #testing = null;
  /** @type {Map<number, {element: HTMLElement, drawn: string}>} */ #rows = new Map();

  connectedCallback() {
    if (this.firstChild) return;
    this.#article.append(
      h("header", { class: "device-head" }, h("div", {}, this.#name, this.#about), h("p", { class: "device-marks" }, this.#own, this.#presence)), this.#trouble,
      h("div", { class: "device-body" }, this.#screen,
        h("div", { class: "device-facts" },
          h("section", {}, h("h4", {}, t`Pushes`), this.#noPushes, this.#pushes),
          this.#cardsPart,
          h("section", {}, h("h4", {}, t`What it gets`), this.#wishes, this.#changeButtons, this.#choices),
          this.#buttons, this.#confirmation.element, this.#tested, this.#problem)));
    this.#choices.hidden = true;
    this.#choices.onclosed = () => this.#open(false);
    this.append(this.#article);
  }

  /** @param {App} app @param {Device} device */
  show(app, device) {
    this.#app = app;
    this.#device = device;
    const { name, profile } = device.device;
    const reach = reachOf(device.device);
    const isApp = reach === "app";
    const id = `device-${device.device.device}`;
    attribute(this.#name, "id", id);
    attribute(this.#article, "aria-labelledby", id);
    say(this.#name, name, line);
    say(this.#about, about(device), line);
    const isOwn = device.device.device === app.webPush?.device;
    attribute(this.#own, "hidden", !isOwn);
    attribute(this.#own, "data-present", true);
    attribute(this.#article, "data-browser", !isApp);
    // Only apps have Live Activities and a Lock Screen preview; the system draws other devices' notifications.
    attribute(this.#screen, "hidden", !isApp);
    attribute(this.#cardsPart, "hidden", !isApp);
    write(this.#presence, device.present ? t`Being looked at` : t`Away`);
    attribute(this.#presence, "data-present", device.present);
    attribute(this.#trouble, "hidden", !device.trouble);
    say(this.#trouble, device.trouble ?? "", line);
    this.#wishes.replaceChildren(...wishes(device.device, this.#title, this.#app.now(), this.#hostName).map(([term, value]) => {
      const words = h("dd", { class: "foreign" });
      say(words, value, line);
      return h("div", {}, h("dt", {}, term), words);
    }));
    this.#confirmation.question = reach === "web"
      ? t`Forget ${name}? It gets nothing more until notifications are switched on there again. What was chosen for it is lost.`
      : reach === "app" ? t`Forget ${name}? It gets nothing more until its app registers it again.`
      : reach === "ntfy" ? t`Forget ${name}? The topic gets nothing more until it is added again. What was chosen for it is lost.`
      : t`Forget ${name}? The receiver gets nothing more until it is added again. What was chosen for it is lost.`;
    attribute(this.#change, "aria-label", t`Change what ${name} rings for …`);
    this.#drawTest();
    if (isApp) this.#screen.show({ pushes: device.pushes, profile, titleOf: this.#title }, app.now());
    this.#drawPushes();
    this.tick();
  }

  tick() {
    const now = this.#app.now();
    this.#screen.tick(now);
    const { cards } = this.#device;
    const words = cards.length ? cards.map(({ session, state, updatedAt, hasToken }) =>
      [`${this.#title(session)} · ${states[state] ?? state}`, updatedAt && ago(now - updatedAt), !hasToken && t`no token yet`].filter(Boolean).join(", ")) : [t`None.`];
    if (this.#cards.childElementCount !== words.length) this.#cards.replaceChildren(...words.map(() => h("li", { class: "foreign" })));
    words.forEach((text, index) => say(/** @type {HTMLElement} */ (this.#cards.children[index]), text, line));
  }

  /** @param {string} host */
  #hostName = (host) => [...this.#app.state.sessions.values()].find((one) => one.host.id === host)?.host.name ?? host;

  /** @param {string|undefined} session */
  #title = (session) => {
    if (session === undefined) return t`All sessions`;
    const summary = this.#app.state.sessions.get(session);
    return summary ? titleOf(summary) : t`Session ${session}`;
  };

  #drawPushes() {
    const { pushes } = this.#device;
    // Only an app's pushes are compared with the Lock Screen preview: the system draws all others.
    const ignored = reachOf(this.#device.device) !== "app" ? new Map() : lockScreen(pushes, this.#app.now()).ignored;
    const kept = new Set(pushes.map(({ push }) => push));
    for (const push of [...this.#rows.keys()]) if (!kept.has(push)) this.#rows.delete(push);
    attribute(this.#noPushes, "hidden", pushes.length > 0);
    arrange(this.#pushes, pushes.map((push) => {
      const row = this.#rows.get(push.push) ?? { element: h("li"), drawn: "" };
      this.#rows.set(push.push, row);
      const drawn = JSON.stringify([push, ignored.get(push.push), this.#title(push.session)]);
      if (drawn !== row.drawn) this.#drawPush(row.element, push, ignored.get(push.push));
      row.drawn = drawn;
      return row.element;
    }));
  }

  /** @param {HTMLElement} item @param {Push} push @param {string|undefined} ignored */
  #drawPush(item, push, ignored) {
    const { tone, words } = fate(push, reachOf(this.#device.device) !== "app");
    const what = span("push-what foreign");
    say(what, `${purposes[push.purpose] ?? push.purpose} · ${push.purpose === "alert" ? alertOf(push) : this.#title(push.session)}`, line);
    const result = span("push-fate foreign");
    say(result, ignored ? t`${words}, but a phone shows nothing of it: ${ignored}` : words, line);
    attribute(item, "data-tone", ignored ? "void" : tone);
    const isOpen = item.querySelector("details")?.open ?? false;
    const details = h("details", { class: "fold", open: isOpen },
      h("summary", {}, span("push-line", h("time", {}, timeOfDay(push.plannedAt)), what, result)));
    const fill = () => {
      if (!details.open || details.childElementCount > 1) return;
      const took = push.answeredAt === undefined ? t`not answered yet` : t`answered after ${duration(push.answeredAt - push.plannedAt)}`;
      details.append(h("div", { class: "fold-body" }, h("p", { class: "quiet" }, t`Push ${push.push}, priority ${push.priority}, ${took}.`),
        push.payload ? textBlock(JSON.stringify(push.payload, null, 2), { name: t`Payload` }) : h("p", { class: "quiet" }, t`It carries no payload.`)));
    };
    details.addEventListener("toggle", fill);
    fill();
    item.replaceChildren(details);
  }

  /** Called when this browser has shown the test notification. */
  testArrived() {
    if (this.#testing) this.#testing.hasArrived = true;
    this.#drawTest();
  }

  #drawTest() {
    attribute(this.#tested, "hidden", !this.#testing);
    if (!this.#testing) return;
    const { after, hasArrived } = this.#testing;
    const { tone, words } = testWords(testAmong(this.#device.pushes, after), { reach: reachOf(this.#device.device), hasArrived });
    attribute(this.#tested, "data-tone", tone);
    say(this.#tested, words, line);
  }

  /** @param {boolean} isOpen */
  #open(isOpen) {
    if (isOpen) {
      this.#confirmation.close();
      this.#choices.open(this.#app, this.#device.device);
    }
    this.#choices.hidden = !isOpen;
    attribute(this.#buttons, "hidden", isOpen);
    attribute(this.#wishes, "hidden", isOpen);
    attribute(this.#changeButtons, "hidden", isOpen);
    if (isOpen) this.#choices.land();
    else this.#change.focus();
  }

  /** @param {"test"|"forget"} deed */
  async #do(deed) {
    const { device, name } = this.#device.device;
    const buttons = [this.#test, this.#forget, this.#confirmation];
    buttons.forEach((button) => { button.disabled = true; });
    write(this.#problem, "");
    if (deed === "test") this.#testing = { after: Math.max(0, ...this.#device.pushes.map(({ push }) => push)), hasArrived: false };
    try {
      await this.#app.devices[deed](device);
      if (deed === "forget" && device === this.#app.webPush.device) await this.#app.webPush.switchOff();
      this.#drawTest();
      this.#app.announce(deed === "test" ? t`A test is on its way to ${name}` : t`${name} is forgotten`);
    } catch (error) {
      if (deed === "test") this.#testing = null;
      this.#drawTest();
      write(this.#problem, `${deed === "test" ? t`No test was sent` : t`Not forgotten`}: ${/** @type {Error} */ (error).message}`);
    }
    buttons.forEach((button) => { button.disabled = false; });
  }
}

/**
 * The first words of an alert.
 * @param {Push} push @returns {string}
 */
function alertOf({ payload }) {
  const alert = payload?.aps?.alert ?? payload?.notification ?? payload;
  return String((typeof alert === "string" ? alert : alert?.title || alert?.body) ?? "");
}

customElements.define("device-card", DeviceCard);
