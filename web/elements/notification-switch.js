/** `<notification-switch>`: switches notifications on for this device, or says what has to be done first. */

import { attribute, h, say, write } from "../dom.js";
import { pieces, t } from "../language.js";
import { line } from "../text.js";

/** @typedef {import("./view.js").App} App */
/** @typedef {import("../web-push.js").Standing} Standing */

/** The page explains notifications before the browser asks: an iPhone asks only once, and "Don't Allow" is final. */
const offer = [
  t`When an agent needs you and nobody is looking at this page, this device rings: for approvals, questions, errors, finished runs and budgets.`,
  t`It shows a summary, and you can deny from there. Below, you can then change how much it shows and when it is quiet. Your browser asks next: choose Allow.`,
];

/** @type {Record<Standing, {title: string, words: string[]}>} */
const said = {
  unknown: { title: t`Checking whether this device can have them …`, words: [] },
  insecure: {
    title: t`Not over plain HTTP`,
    words: [t`Browsers show notifications only for pages that come over HTTPS. Give the relay a certificate or put it behind a proxy that has one (README, “Your phone”), and open the page by that address.`],
  },
  homeScreen: { title: t`First, put Heliograph on the Home Screen`, words: [t`An iPhone or iPad shows notifications only for pages that are there:`] },
  browser: { title: t`Not with this browser`, words: [t`It cannot show notifications for a page. On an iPhone or iPad that takes iOS 16.4 or later; elsewhere, a current Firefox, Chrome, Edge or Safari, and no private window.`] },
  relay: { title: t`The relay sends none to browsers`, words: [] },
  denied: {
    title: t`Blocked in the settings of this browser`,
    words: [t`This device was told not to show notifications of this page, and does not ask again. Allow them where it keeps the permissions of sites (next to the address; on an iPhone in Settings → Notifications → Heliograph), then come back here.`],
  },
  off: { title: t`Off`, words: offer },
  on: { title: t`On`, words: [t`This device rings when an agent needs you and nobody is looking at this page.`] },
};

export class NotificationSwitch extends HTMLElement {
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #title = h("p", { class: "switch-title" });
  #words = h("div", { class: "switch-words" });
  #steps = h("ol", { class: "steps-list", hidden: true },
    h("li", {}, ...pieces`Tap ${h("em", {}, t`Share`)} (a square with an arrow), then ${h("em", {}, t`Add to Home Screen`)}. If there is a switch ${h("em", {}, t`Open as Web App`)}, leave it on.`),
    h("li", {}, ...pieces`On another device that is paired, open ${h("em", {}, t`Connection → Pair another device`)}, and copy the link.`),
    h("li", {}, ...pieces`Open Heliograph from the Home Screen, paste the link there, and switch notifications on under ${h("em", {}, t`Devices`)}.`));
  #reason = h("p", { class: "warning foreign", hidden: true, role: "status" });
  #button = h("button", { type: "button", class: "solid", onclick: () => this.#press() });
  /** @type {Standing|""} */ #drawn = "";

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("section", { class: "notification-switch", "aria-labelledby": "switch-heading" },
      h("h3", { id: "switch-heading" }, t`Notifications on this device`), this.#title, this.#words, this.#steps, this.#reason, h("div", { class: "buttons" }, this.#button)));
  }

  /** @param {App} app */
  show(app) {
    this.#app = app;
    const { standing, reason, isBusy } = app.webPush;
    if (standing !== this.#drawn) {
      this.#drawn = standing;
      write(this.#title, said[standing].title);
      this.#words.replaceChildren(...said[standing].words.map((words) => h("p", {}, words)));
      attribute(this, "data-standing", standing);
      attribute(this.#steps, "hidden", standing !== "homeScreen");
      this.#button.className = standing === "off" ? "solid" : "plain";
    }
    attribute(this.#reason, "hidden", !reason);
    say(this.#reason, reason, line);
    write(this.#button, isBusy ? t`One moment …` : standing === "off" ? t`Switch on` : standing === "on" ? t`Switch off` : t`Look again`);
    // `aria-disabled`, because a disabled button would lose the keyboard focus.
    attribute(this.#button, "aria-disabled", isBusy ? "true" : null);
    this.#button.disabled = (standing === "off" || standing === "on") && !app.link.isLive && !isBusy;
    attribute(this.#button, "hidden", standing === "insecure" || standing === "homeScreen" || (standing === "unknown" && !reason));
  }

  /** The permission prompt must follow the tap at once, so nothing is awaited before it. */
  async #press() {
    const { webPush } = this.#app;
    if (webPush.isBusy) return;
    if (webPush.standing === "off") await webPush.switchOn();
    else if (webPush.standing === "on") await webPush.switchOff();
    else await webPush.refresh();
    this.#app.announce(t`Notifications on this device: ${said[webPush.standing].title}`);
    await this.#app.devices.again();
  }
}

customElements.define("notification-switch", NotificationSwitch);
