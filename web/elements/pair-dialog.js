/**
 * `<pair-dialog>`: a link and a QR code that pair the next device, shown as long as they are valid. If hosts trust this browser and accept its vouching,
 * the link carries a secret for that, too, and the dialog asks before it vouches.
 */

import { attribute, h, say, write } from "../dom.js";
import { countdown } from "../format.js";
import { t } from "../language.js";
import { qrRowsOf } from "../qr.js";
import { staysHere } from "../route.js";
import { line } from "../text.js";
import { Vouching, linkOf, vouchingMs } from "../vouching.js";
import { qrCode } from "./qr-code.js";

/** @typedef {import("./view.js").App} App */

const scanning = t`Scan this with the phone's camera, or open the link there. It works once. The device may then watch and decide; one that steers agents is let in by heliograph pair --role operator.`;

const nobody = { newcomer: null, stage: "closed", said: /** @type {import("../vouching.js").Said[]} */ ([]) };

export class PairDialog extends HTMLElement {
  app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #expiresAt = 0;
  #how = h("p", {}, scanning);
  #picture = h("div", { class: "qr-frame" });
  #link = h("code", { class: "pair-link", tabindex: "0", role: "group", "aria-label": t`Pairing link` });
  #state = h("p", { class: "quiet", role: "status" });
  #who = h("p", { class: "foreign" });
  #code = h("p", { class: "trust-code" });
  #no = h("button", { type: "button", class: "plain", onclick: () => this.app.trust.turnAway() }, t`Do not`);
  #yes = h("button", { type: "button", class: "solid", onclick: () => this.app.trust.bring() }, t`Let it in`);
  #choice = h("div", { class: "buttons" }, this.#no, this.#yes);
  #said = h("ul");
  #told = nobody.said;
  #newcomer = h("section", { class: "newcomer", hidden: true, "aria-label": t`A device that wants in` },
    h("div", { role: "status" }, this.#who, this.#code, this.#said), this.#choice);
  #copy = h("button", { type: "button", class: "plain", disabled: true, onclick: () => this.#copyLink() }, t`Copy link`);
  #again = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.#ask() }, t`New code`);
  #expiry = h("p", { class: "quiet expiry" });
  #dialog = h("dialog", { class: "dialog", "aria-labelledby": "pair-title" },
    h("h2", { id: "pair-title" }, t`Pair another device`),
    this.#how, this.#picture, this.#link, this.#expiry, this.#state, this.#newcomer,
    h("div", { class: "buttons" }, this.#again, this.#copy,
      h("button", { type: "button", class: "solid", onclick: () => this.close() }, t`Done`)));

  connectedCallback() {
    if (this.firstChild) return;
    this.append(this.#dialog);
    this.#dialog.addEventListener("close", () => this.app.trust?.vouching?.close());
  }

  open() {
    this.#dialog.showModal();
    this.#ask();
  }

  close() {
    this.#dialog.close();
  }

  /** Shows the state of the device that opened the link. */
  refresh() {
    const { newcomer, stage, said } = this.app.trust?.vouching ?? nobody;
    attribute(this.#newcomer, "hidden", !newcomer && !said.length);
    say(this.#who, !newcomer ? "" : stage === "asked" ? t`${newcomer.name} wants to decide for your machines, too. Let it in only if its own screen shows this code:`
      : stage === "declined" ? t`${newcomer.name} was not let in.` : t`${newcomer.name} is let in:`, line);
    write(this.#code, (stage !== "declined" && newcomer?.code) || "");
    attribute(this.#choice, "hidden", stage !== "asked");
    // Unchanged words are not written again, because a screen reader would repeat them.
    if (said !== this.#told) {
      this.#told = said;
      this.#said.replaceChildren(...said.map(({ tone, words }) => {
        const one = h("li", { class: "foreign", "data-tone": tone });
        say(one, words, line);
        return one;
      }));
    }
    for (const part of [this.#link, this.#how, this.#copy, this.#expiry]) attribute(part, "hidden", newcomer !== null);
    attribute(this.#picture, "hidden", newcomer !== null || !this.#picture.firstChild);
    if (newcomer) this.#expiresAt = 0;
  }

  tick() {
    if (!this.#dialog.open || !this.#expiresAt) return;
    const left = this.#expiresAt - Date.now();
    write(this.#expiry, left > 0 ? t`Valid for ${countdown(left)}` : t`No longer valid.`);
    if (left <= 0) this.#void();
  }

  async #ask() {
    this.#void();
    write(this.#state, t`Asking the relay for a code …`);
    try {
      const reply = await this.app.link.command({ type: "pair", role: "client" });
      // The link's expiry by this device's clock, because the relay's clock may differ; never later than the secret's own limit.
      this.#expiresAt = Date.now() + (Math.min(Number(reply.expiresAt) - this.app.now(), vouchingMs) || vouchingMs);
      const { k, hosts } = (await this.app.trust?.bringing(Vouching).open(this.app.state.welcome?.client.id ?? "")) ?? { k: "", hosts: [] };
      const link = linkOf(reply.link, k, location.href);
      const [stays, rows] = [staysHere(link), qrRowsOf(link)];
      // The QR code is omitted if the link leads to this machine only: a phone could not open it.
      if (!stays && rows.length) this.#picture.replaceChildren(qrCode(rows, t`QR code of the pairing link`));
      const brings = hosts.length ? t`Once you have compared its code here, ${hosts.join(", ")} does what it signs, too.` : "";
      say(this.#how, `${stays
        ? t`This address works on the relay's own machine only. For a phone, start the relay with --public-url, or with --listen and a certificate (README, “Your phone”).`
        : scanning} ${brings}`, line);
      write(this.#link, link);
      attribute(this.#copy, "disabled", null);
      attribute(this.#again, "hidden", true);
      write(this.#state, "");
      this.refresh();
      this.tick();
    } catch (error) {
      write(this.#state, t`There is no code: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** Discards the shown link. */
  #void() {
    this.#expiresAt = 0;
    this.app.trust?.vouching?.close();
    this.#picture.replaceChildren();
    write(this.#link, "");
    attribute(this.#copy, "disabled", true);
    attribute(this.#again, "hidden", false);
    this.refresh();
  }

  async #copyLink() {
    const text = this.#link.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
      write(this.#state, t`Copied.`);
    } catch {
      // Without a secure context a page has no clipboard, so the link is selected for copying with one key press.
      getSelection()?.selectAllChildren(this.#link);
      write(this.#state, document.execCommand("copy") ? t`Copied.` : t`Selected: copy it with the keyboard or the menu.`);
    }
  }
}

customElements.define("pair-dialog", PairDialog);
