/** `<install-steps>`: how to add the page to the Home Screen of an iPhone or iPad, and pair it there. */

import { h, write } from "../dom.js";
import { pieces, t } from "../language.js";

export class InstallSteps extends HTMLElement {
  /** @type {() => void} Called when a person wants to pair this tab nevertheless. */ ontab = () => undefined;

  #given = h("code", { class: "pair-link", tabindex: "0", role: "group", "aria-label": t`Pairing code` });
  #copied = h("p", { class: "quiet", role: "status" });

  /**
   * `code`: the pairing code to paste in the page on the Home Screen.
   * @param {string} code
   */
  show(code) {
    write(this.#given, code);
    write(this.#copied, "");
    if (this.firstChild) return;
    this.append(
      h("p", {}, t`On an iPhone or iPad, notifications come only to a page that is on the Home Screen, which has to be paired separately:`),
      h("ol", {},
        h("li", {}, t`Copy this code. It is valid for ten minutes and works once.`),
        h("li", {}, ...pieces`Tap ${h("em", {}, t`Share`)}, then ${h("em", {}, t`Add to Home Screen`)}. If there is a switch ${h("em", {}, t`Open as Web App`)}, leave it on.`),
        h("li", {}, t`Open Heliograph from the Home Screen and paste the code there.`)),
      this.#given, this.#copied,
      h("div", { class: "buttons" },
        h("button", { type: "button", class: "plain", onclick: () => this.ontab() }, t`This tab only`),
        h("button", { type: "button", class: "solid", onclick: () => this.#copyCode() }, t`Copy code`)));
  }

  async #copyCode() {
    try {
      await navigator.clipboard.writeText(this.#given.textContent ?? "");
      write(this.#copied, t`Copied.`);
    } catch {
      getSelection()?.selectAllChildren(this.#given);
      write(this.#copied, t`Selected: copy it with the menu.`);
    }
  }
}

customElements.define("install-steps", InstallSteps);
