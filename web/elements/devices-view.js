/** `<devices-view>`: clients with access, devices for pushes, and the outcome of those pushes. */

import { arrange, attribute, h, write } from "../dom.js";
import { DeviceCard } from "./device-card.js";
import { noNews } from "./link-state.js";
import { NotificationSwitch } from "./notification-switch.js";
import { TokenList } from "./token-list.js";
import { TopicForm } from "./topic-form.js";
import { TrustList } from "./trust-list.js";
import { View } from "./view.js";
import { pieces, t } from "../language.js";

/** Interval in seconds at which presence and the app's reports on its cards are asked for. Pushes arrive by themselves. */
const askEvery = 5;

export class DevicesView extends View {
  /** @type {Map<string, DeviceCard>} */ #cards = new Map();
  #list = h("ol", { class: "devices" });
  #empty = h("div", { class: "empty" });
  #problem = h("p", { class: "problem", role: "alert" });
  #switch = new NotificationSwitch();
  #topic = new TopicForm();
  #trust = new TrustList();
  #tokens = new TokenList();
  #pushTitle = h("h3", { class: "section-title" }, t`Pushes`);
  #ticks = 0;

  connectedCallback() {
    this.append(h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, t`Devices`)), this.#switch, this.#topic, this.#trust, this.#tokens, this.#pushTitle, this.#problem, this.#empty, this.#list);
  }

  /** Called when the view is opened. */
  arrive() {
    this.#ticks = 0;
    this.app.devices.watch();
    this.app.tokens.load();
    this.app.webPush.refresh();
    this.#draw();
  }

  /** Called when this browser has shown a test notification. */
  testArrived() {
    const own = this.#cards.get(this.app.webPush.device);
    own?.testArrived();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    const { devices } = this.app.state;
    if ([...changes.devices].some((device) => !devices?.has(device))) this.app.devices.again();
    if (changes.all || changes.devices.size || changes.sessions.size) this.#draw();
  }

  /** @override */
  tick() {
    this.#ticks += 1;
    if (this.#ticks % askEvery === 0) this.app.devices.again();
    if (this.#ticks % (3 * askEvery) === 0 && this.app.link.isLive) this.app.tokens.load();
    this.#trust.tick();
    this.#tokens.tick();
    this.#cards.forEach((card) => card.tick());
  }

  #draw() {
    const devices = this.app.state.devices ?? new Map();
    const { problem } = this.app.devices;
    write(this.#problem, problem);
    this.#switch.show(this.app);
    this.#topic.show(this.app);
    this.#trust.show(this.app);
    this.#tokens.show(this.app);
    attribute(this.#pushTitle, "hidden", this.#tokens.hidden);
    for (const id of [...this.#cards.keys()]) if (!devices.has(id)) this.#cards.delete(id);
    arrange(this.#list, [...devices.values()].sort((a, b) => (a.device.name < b.device.name ? -1 : 1)).map((device) => {
      const card = this.#cards.get(device.device.device) ?? new DeviceCard();
      this.#cards.set(device.device.device, card);
      card.show(this.app, device);
      return card.parentElement ?? h("li", {}, card);
    }));
    attribute(this.#empty, "hidden", devices.size !== 0 || problem !== "");
    if (devices.size || problem) return;
    this.#empty.replaceChildren(...(this.app.state.devices ? [
      h("p", {}, t`No device gets pushes yet.`),
      h("p", {}, t`Approvals ring on a phone with this page on its Home Screen, with an app that is paired with this relay, or with the ntfy app. Without any, this page shows them as long as it is open.`),
      h("p", {}, ...pieces`${h("a", { href: "#/link" }, t`Pair another device`)} with this page, or see what an app would show: ${h("code", {}, "make demo")}.`),
    ] : [h("p", {}, noNews(this.app.link))]));
  }
}

customElements.define("devices-view", DevicesView);
