/** `<trust-list>`: the hosts that accept commands signed by this browser, and ending that trust. */

import { arrange, attribute, h, say, span, write } from "../dom.js";
import { ago } from "../format.js";
import { t } from "../language.js";
import { line } from "../text.js";
import { codeOfKey } from "../consent.js";
import { lostWords } from "../trust-words.js";
import { secretIn } from "../route.js";
import { Confirmation } from "./confirmation.js";

/** @typedef {import("../keys.js").Pin} Pin */
/** @typedef {import("./view.js").App} App */

export class TrustList extends HTMLElement {
  /** @type {Map<string, TrustRow>} */ #rows = new Map();
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #title = h("h3", { id: "trust-title", tabindex: "-1" }, t`Machines that trust this browser`);
  #about = h("p", { class: "quiet" });
  #code = h("strong", { class: "trust-code" });
  #own = h("p", { class: "quiet" }, t`This browser's code: `, this.#code);
  #list = h("ol", { class: "tokens", "aria-labelledby": "trust-title" });
  #text = h("input", { id: "trust-secret", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true });
  #problem = h("p", { class: "problem foreign", role: "alert" });
  #form = h("form", { class: "naming", onsubmit: (event) => this.#offer(event) },
    h("div", { class: "field" }, h("label", { for: "trust-secret" }, t`What heliograph host trust shows`), this.#text),
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "plain" }, t`Trust a machine`)));

  connectedCallback() {
    if (!this.firstChild) this.append(this.#title, this.#about, this.#own, this.#list, this.#problem, this.#form);
  }

  /** @param {App} app */
  show(app) {
    this.#app = app;
    const { hosts, code, reason, isLost } = app.trust;
    say(this.#about, reason || (isLost ? lostWords : hosts.size ? t`They do what this browser signs, and nothing that only the relay says.`
      : t`No machine yet. One that wants signatures shows what to scan with heliograph host trust.`), line);
    write(this.#code, code);
    say(this.#problem, app.trust.passkeys?.problem ?? "", line);
    attribute(this.#own, "hidden", code === "");
    attribute(this.#form, "hidden", reason !== "");
    for (const id of [...this.#rows.keys()]) if (!hosts.has(id)) this.#rows.delete(id);
    arrange(this.#list, [...hosts.values()].sort((a, b) => a.since - b.since).map((pin) => {
      const row = this.#rows.get(pin.id) ?? new TrustRow(app, () => this.#title.focus({ preventScroll: true }));
      this.#rows.set(pin.id, row);
      row.show(pin);
      return row.element;
    }));
    attribute(this.#list, "hidden", hosts.size === 0);
  }

  tick() {
    this.#rows.forEach((row) => row.tick());
  }

  /** @param {Event} event */
  #offer(event) {
    event.preventDefault();
    const text = this.#text.value.trim();
    this.#text.value = "";
    // A pasted code needs no further confirmation.
    this.#app.trust.offered(secretIn(text) || text.split(/[.=]/).at(-1) || text, true);
  }
}

/** Another device that a host trusts. */
class DeviceRow {
  #name = h("span", { class: "foreign" });
  #facts = h("p", { class: "quiet" });
  #distrust = h("button", { type: "button", class: "deny" }, t`Distrust …`);
  #buttons = h("div", { class: "buttons" }, this.#distrust);
  #confirmation = new Confirmation({ opener: this.#distrust, buttons: this.#buttons, verb: t`Distrust`, deed: () => this.#deed() });
  element = h("li", { class: "token-row" },
    h("div", { class: "token-words" }, h("p", { class: "token-head" }, this.#name), this.#facts), this.#buttons, this.#confirmation.element);

  /** @type {() => void} */ #deed = () => undefined;

  /** @param {import("../consent.js").TrustedDevice} device @param {string} voucher @param {string} host @param {() => void} deed */
  show(device, voucher, host, deed) {
    this.#deed = deed;
    say(this.#name, device.name, line);
    attribute(this.#distrust, "aria-label", t`Distrust ${device.name} …`);
    say(this.#facts, `${codeOfKey(device.id)} · ${device.by ? t`brought by ${voucher}` : t`let in at the terminal`}`, line);
    this.#confirmation.question = t`Distrust ${device.name}? ${host} does nothing more that it signs. What it allowed before goes on.`;
  }
}

class TrustRow {
  #name = h("h4", { class: "foreign" });
  #since = span("");
  #forget = h("button", { type: "button", class: "deny" }, t`Forget …`);
  #passkey = h("p", { class: "quiet foreign", hidden: true });
  #setUp = h("button", { type: "button", class: "plain", onclick: () => this.#app.trust.passkeys?.setUp(this.#pin.id) });
  #buttons = h("div", { class: "buttons" }, this.#setUp, this.#forget);
  #confirmation = new Confirmation({ opener: this.#forget, buttons: this.#buttons, verb: t`Forget`, deed: () => this.#end() });
  /** @type {Map<string, DeviceRow>} */ #rows = new Map();
  #devices = h("ol", { class: "tokens" });
  element = h("li", { class: "token-row" },
    h("div", { class: "token-words" }, h("p", { class: "token-head" }, this.#name), h("p", { class: "quiet" }, this.#since), this.#passkey), this.#buttons, this.#confirmation.element, this.#devices);

  /** @type {App} */ #app;
  /** @type {() => void} */ #gone;
  #pin = /** @type {Pin} */ (/** @type {unknown} */ (undefined));

  /** @param {App} app @param {() => void} gone Called to remove the row, which has the keyboard focus. */
  constructor(app, gone) {
    [this.#app, this.#gone] = [app, gone];
  }

  /** @param {Pin} pin */
  show(pin) {
    this.#pin = pin;
    say(this.#name, pin.name, line);
    attribute(this.#forget, "aria-label", t`Forget ${pin.name} …`);
    const standing = this.#app.trust.passkeys?.standing(pin.id, pin.name) ?? "";
    say(this.#passkey, standing, line);
    attribute(this.#passkey, "hidden", standing === "");
    write(this.#setUp, standing ? t`New passkey` : t`Set up a passkey`);
    attribute(this.#setUp, "aria-label", standing ? t`New passkey for ${pin.name}` : t`Set up a passkey for ${pin.name}`);
    this.#confirmation.question = t`Forget ${pin.name}? Nothing can be allowed or written to its sessions from here until it is scanned again. It goes on trusting this browser until you run heliograph host distrust ${this.#app.trust.code} there.`;
    this.#list();
    this.tick();
  }

  /** The other devices that the host trusts, from the host's own list. */
  #list() {
    const { trust } = this.#app;
    const all = trust.devicesOf(this.#pin.id);
    const others = all.filter(({ id }) => codeOfKey(id) !== trust.code);
    for (const id of [...this.#rows.keys()]) if (!others.some((device) => device.id === id)) this.#rows.delete(id);
    arrange(this.#devices, others.map((device) => {
      const row = this.#rows.get(device.id) ?? new DeviceRow();
      this.#rows.set(device.id, row);
      row.show(device, all.find(({ id }) => id === device.by)?.name ?? t`a device that is gone`, this.#pin.name, () => trust.distrust(this.#pin.id, device.id));
      return row.element;
    }));
    attribute(this.#devices, "hidden", others.length === 0);
    attribute(this.#devices, "aria-label", t`Other devices that ${this.#pin.name} trusts`);
  }

  tick() {
    write(this.#since, t`${codeOfKey(this.#pin.id)} · since ${ago(Date.now() - this.#pin.since)}${this.#pin.epochs?.size ? t` · its content is sealed` : ""}`);
  }

  async #end() {
    const { id, name } = this.#pin;
    await this.#app.trust.forget(id);
    this.#app.announce(t`${name} is forgotten`);
    this.#gone();
  }
}

customElements.define("trust-list", TrustList);
