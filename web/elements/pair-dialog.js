/** `<pair-dialog>`: a link and a code with which the next device is paired, for as long as they are valid. */

import { attribute, h, write } from "../dom.js";
import { countdown } from "../format.js";
import { staysHere } from "../route.js";
import { qrCode } from "./qr-code.js";

/** @typedef {import("./view.js").App} App */

const scanning = "Scan this with the phone's camera, or open the link there. It works once. The device may then watch and decide; one that steers agents is let in by heliograph pair --role operator.";

export class PairDialog extends HTMLElement {
  app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #expiresAt = 0;
  #how = h("p", {}, scanning);
  #picture = h("div", { class: "qr-frame" });
  #link = h("code", { class: "pair-link", tabindex: "0", role: "group", "aria-label": "Pairing link" });
  #state = h("p", { class: "quiet", role: "status" });
  #copy = h("button", { type: "button", class: "plain", disabled: true, onclick: () => this.#copyLink() }, "Copy link");
  #again = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.#ask() }, "New code");
  #expiry = h("p", { class: "quiet expiry" });
  #dialog = h("dialog", { class: "dialog", "aria-labelledby": "pair-title" },
    h("h2", { id: "pair-title" }, "Pair another device"),
    this.#how, this.#picture, this.#link, this.#expiry, this.#state,
    h("div", { class: "buttons" }, this.#again, this.#copy,
      h("button", { type: "button", class: "solid", onclick: () => this.close() }, "Done")));

  connectedCallback() {
    if (!this.firstChild) this.append(this.#dialog);
  }

  open() {
    this.#dialog.showModal();
    this.#ask();
  }

  close() {
    this.#dialog.close();
  }

  tick() {
    if (!this.#dialog.open || !this.#expiresAt) return;
    const left = this.#expiresAt - this.app.now();
    write(this.#expiry, left > 0 ? `Valid for ${countdown(left)}` : "No longer valid.");
    if (left <= 0) this.#void();
  }

  async #ask() {
    this.#void();
    write(this.#state, "Asking the relay for a code …");
    try {
      const reply = await this.app.link.command({ type: "pair", role: "client" });
      this.#expiresAt = Number(reply.expiresAt);
      const link = String(reply.link);
      const stays = staysHere(link);
      // No phone gets anywhere by such a code.
      if (!stays) this.#picture.replaceChildren(qrCode(Array.isArray(reply.qr) ? reply.qr.map(String) : [], "QR code of the pairing link"));
      attribute(this.#picture, "hidden", stays);
      write(this.#how, stays
        ? "This address works on the relay's own machine only. For a phone, start the relay with --public-url, or with --listen and a certificate (README, “Your phone”)."
        : scanning);
      write(this.#link, link);
      attribute(this.#copy, "disabled", null);
      attribute(this.#again, "hidden", true);
      write(this.#state, "");
      this.tick();
    } catch (error) {
      write(this.#state, `There is no code: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** What was shown is not to be used any more. */
  #void() {
    this.#expiresAt = 0;
    this.#picture.replaceChildren();
    write(this.#link, "");
    attribute(this.#copy, "disabled", true);
    attribute(this.#again, "hidden", false);
  }

  async #copyLink() {
    const text = this.#link.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
      write(this.#state, "Copied.");
    } catch {
      // Without a secure context there is no clipboard for a page: select it, so that one key press copies it.
      getSelection()?.selectAllChildren(this.#link);
      write(this.#state, document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard or the menu.");
    }
  }
}

customElements.define("pair-dialog", PairDialog);
