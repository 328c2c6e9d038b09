/** `<trust-note>`: a note over any screen that asks whether a host shall trust this browser, and then shows the outcome. */

import { attribute, h, say, write } from "../dom.js";
import { t } from "../language.js";
import { line } from "../text.js";
import { View } from "./view.js";

const question = t`This link lets a machine trust this browser: it then does what is allowed, answered and written here. Go on only if you opened the link yourself.`;

export class TrustNote extends View {
  #words = h("p", { class: "foreign" });
  #code = h("p", { class: "trust-code" });
  #yes = h("button", { type: "button", class: "solid", onclick: () => this.app.trust.accept() }, t`Trust`);
  #no = h("button", { type: "button", class: "plain", onclick: () => this.app.trust.decline() }, t`Not now`);
  #distrust = h("button", { type: "button", class: "deny solid", onclick: () => this.#end() }, t`Distrust`);
  #close = h("button", { type: "button", class: "plain", onclick: () => this.app.trust.dismiss() }, t`Close`);

  connectedCallback() {
    this.append(h("div", { role: "status" }, this.#words, this.#code), h("div", { class: "buttons" }, this.#no, this.#yes, this.#close, this.#distrust));
  }

  /** @override */
  refresh() {
    const { asked, news } = this.app.trust;
    const isAsking = asked !== null;
    attribute(this, "hidden", !isAsking && !news);
    attribute(this, "data-tone", isAsking ? "going" : news?.tone);
    say(this.#words, isAsking ? question : news?.words ?? "", line);
    write(this.#code, (!isAsking && news?.code) || "");
    for (const button of [this.#yes, this.#no]) attribute(button, "hidden", !isAsking);
    attribute(this.#close, "hidden", isAsking);
    attribute(this.#distrust, "hidden", isAsking || !news?.newcomer);
  }

  #end() {
    const newcomer = this.app.trust.news?.newcomer;
    if (newcomer) this.app.trust.distrust(newcomer.host, newcomer.device);
  }
}

customElements.define("trust-note", TrustNote);
