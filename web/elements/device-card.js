/** `<device-card>`: one device: its Lock Screen, what it gets, its cards, and what became of each push. */

import { arrange, attribute, h, say, span, write } from "../dom.js";
import { fate, wishes } from "../devices.js";
import { ago, duration, timeOfDay } from "../format.js";
import { lockScreen } from "../lockscreen.js";
import { line } from "../text.js";
import { textBlock } from "./blocks.js";
import { Confirmation } from "./confirmation.js";
import { LockScreen } from "./lock-screen.js";
import { titleOf } from "./session-row.js";

/** @typedef {import("../wire").DeviceState} Device */
/** @typedef {import("../wire").Push} Push */
/** @typedef {import("./view.js").App} App */

const purposes = /** @type {Record<string, string>} */ ({
  start: "Card begun", update: "Card updated", end: "Card ended", alert: "Alert", channel: "Channel",
});
const states = /** @type {Record<string, string>} */ ({
  starting: "being started", active: "on the Lock Screen", stale: "out of date", ended: "ended", dismissed: "swiped away",
});

export class DeviceCard extends HTMLElement {
  // Both are given by `show`, before anything else can happen.
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #device = /** @type {Device} */ (/** @type {unknown} */ (undefined));

  #article = h("article", { class: "device" });
  #name = h("h3", { class: "foreign", tabindex: "-1" });
  #about = h("p", { class: "quiet foreign" });
  #presence = span("presence");
  #trouble = h("p", { class: "warning foreign" });
  #screen = new LockScreen();
  #wishes = h("dl", { class: "numbers" });
  #cards = h("ul", { class: "device-cards" });
  #pushes = h("ol", { class: "pushes", "aria-label": "Pushes, the newest first" });
  #noPushes = h("p", { class: "quiet" }, "None yet. One goes out when something happens and nobody looks.");
  #test = h("button", { type: "button", class: "plain", onclick: () => this.#do("test") }, "Send a test");
  #forget = h("button", { type: "button", class: "deny" }, "Forget …");
  #buttons = h("div", { class: "buttons" }, this.#test, this.#forget);
  #confirmation = new Confirmation({ opener: this.#forget, buttons: this.#buttons, verb: "Forget", deed: () => this.#do("forget") });
  #problem = h("p", { class: "problem", role: "alert" });
  /** @type {Map<number, {element: HTMLElement, drawn: string}>} */ #rows = new Map();

  connectedCallback() {
    if (this.firstChild) return;
    this.#article.append(
      h("header", { class: "device-head" }, h("div", {}, this.#name, this.#about), this.#presence), this.#trouble,
      h("div", { class: "device-body" }, this.#screen,
        h("div", { class: "device-facts" },
          h("section", {}, h("h4", {}, "Pushes"), this.#noPushes, this.#pushes),
          h("section", {}, h("h4", {}, "Cards"), this.#cards),
          h("section", {}, h("h4", {}, "What it gets"), this.#wishes),
          this.#buttons, this.#confirmation.element, this.#problem)));
    this.append(this.#article);
  }

  /** @param {App} app @param {Device} device */
  show(app, device) {
    this.#app = app;
    this.#device = device;
    const { name, profile, environment, system } = device.device;
    const id = `device-${device.device.device}`;
    attribute(this.#name, "id", id);
    attribute(this.#article, "aria-labelledby", id);
    say(this.#name, name, line);
    say(this.#about, `${profile} · ${environment} · iOS ${system} · paired as ${device.client.name}`, line);
    write(this.#presence, device.present ? "Being looked at" : "Away");
    attribute(this.#presence, "data-present", device.present);
    attribute(this.#trouble, "hidden", !device.trouble);
    say(this.#trouble, device.trouble ?? "", line);
    this.#wishes.replaceChildren(...wishes(device.device, this.#title).map(([term, value]) => {
      const words = h("dd", { class: "foreign" });
      say(words, value, line);
      return h("div", {}, h("dt", {}, term), words);
    }));
    this.#confirmation.question = `Forget ${name}? It gets nothing more until its app registers it again.`;
    this.#screen.show({ pushes: device.pushes, profile, titleOf: this.#title }, app.now());
    this.#drawPushes();
    this.tick();
  }

  tick() {
    const now = this.#app.now();
    this.#screen.tick(now);
    const { cards } = this.#device;
    const words = cards.length ? cards.map(({ session, state, updatedAt, hasToken }) =>
      [`${this.#title(session)} · ${states[state] ?? state}`, updatedAt && ago(now - updatedAt), !hasToken && "no token yet"].filter(Boolean).join(", ")) : ["None."];
    if (this.#cards.childElementCount !== words.length) this.#cards.replaceChildren(...words.map(() => h("li", { class: "foreign" })));
    words.forEach((text, index) => say(/** @type {HTMLElement} */ (this.#cards.children[index]), text, line));
  }

  /** @param {string|undefined} session */
  #title = (session) => {
    if (session === undefined) return "All sessions";
    const summary = this.#app.state.sessions.get(session);
    return summary ? titleOf(summary) : `Session ${session}`;
  };

  #drawPushes() {
    const { pushes } = this.#device;
    const { ignored } = lockScreen(pushes, this.#app.now());
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
    const { tone, words } = fate(push);
    const what = span("push-what foreign");
    say(what, `${purposes[push.purpose] ?? push.purpose} · ${push.purpose === "alert" ? alertOf(push) : this.#title(push.session)}`, line);
    const result = span("push-fate foreign");
    say(result, ignored ? `${words}, but a phone shows nothing of it: ${ignored}` : words, line);
    attribute(item, "data-tone", ignored ? "void" : tone);
    const isOpen = item.querySelector("details")?.open ?? false;
    const details = h("details", { class: "fold", open: isOpen },
      h("summary", {}, span("push-line", h("time", {}, timeOfDay(push.plannedAt)), what, result)));
    const fill = () => {
      if (!details.open || details.childElementCount > 1) return;
      const took = push.answeredAt === undefined ? "not answered yet" : `answered after ${duration(push.answeredAt - push.plannedAt)}`;
      details.append(h("div", { class: "fold-body" }, h("p", { class: "quiet" }, `Push ${push.push}, priority ${push.priority}, ${took}.`),
        push.payload ? textBlock(JSON.stringify(push.payload, null, 2), { name: "Payload" }) : h("p", { class: "quiet" }, "It carries no payload.")));
    };
    details.addEventListener("toggle", fill);
    fill();
    item.replaceChildren(details);
  }

  /** @param {"test"|"forget"} deed */
  async #do(deed) {
    const { device, name } = this.#device.device;
    const buttons = [this.#test, this.#forget, this.#confirmation];
    buttons.forEach((button) => { button.disabled = true; });
    write(this.#problem, "");
    try {
      await this.#app.devices[deed](device);
      this.#app.announce(deed === "test" ? `A test is on its way to ${name}` : `${name} is forgotten`);
    } catch (error) {
      write(this.#problem, `${deed === "test" ? "No test was sent" : "Not forgotten"}: ${/** @type {Error} */ (error).message}`);
    }
    buttons.forEach((button) => { button.disabled = false; });
  }
}

/** @param {Push} push @returns {string} What an alert says first. */
function alertOf({ payload }) {
  const alert = payload?.aps?.alert;
  return String((typeof alert === "string" ? alert : alert?.title || alert?.body) ?? "");
}

customElements.define("device-card", DeviceCard);
