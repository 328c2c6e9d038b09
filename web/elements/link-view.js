/** `<link-view>`: details of the connection and of this device, and pairing another device. */

import { attribute, h, say, write } from "../dom.js";
import { ago, countdown } from "../format.js";
import { t } from "../language.js";
import { chooseLanguage, chosenLanguage, languageChoices } from "../language-choice.js";
import { ask, refusalIn } from "../page-key.js";
import { has, rightsOf } from "../rights.js";
import { contentWords } from "../sealing-words.js";
import { isSwitchedOn, recognizer, switchOn } from "../speech.js";
import { calm, line } from "../text.js";
import { Confirmation } from "./confirmation.js";
import { phases, stopWords } from "./link-state.js";
import { PairDialog } from "./pair-dialog.js";
import { View } from "./view.js";

export class LinkView extends View {
  #dialog = new PairDialog();
  #phase = h("strong");
  #explanation = h("p", { class: "quiet link-explanation" });
  #retry = h("button", { type: "button", class: "plain", onclick: () => this.app.link.wake() }, t`Check now`);
  #pair = h("button", { type: "button", class: "solid", onclick: () => this.#dialog.open() }, t`Pair another device`);
  #logout = h("button", { type: "button", class: "deny" }, t`Log this device out …`);
  /** @type {HTMLSelectElement} */ #language = h("select", { id: "language", onchange: () => chooseLanguage(this.#language.value) }, ...languageChoices().map(([value, words]) => h("option", { value, lang: value || null }, words)));
  #dictates = h("input", { type: "checkbox", onchange: () => this.#dictate() });
  #buttons = h("div", { class: "buttons stacked" }, this.#pair, this.#logout);
  #confirmation = new Confirmation({ opener: this.#logout, buttons: this.#buttons, verb: t`Log out`, deed: () => this.#logOut() });
  #problem = h("p", { class: "problem", role: "alert" });
  #values = { device: fact(), may: fact(), workspace: fact(), relay: fact(), content: fact(), heard: fact() };

  connectedCallback() {
    this.#confirmation.question = t`Log this device out? It sees and decides nothing more, and gets no notifications, until it is paired again with a new code.`;
    this.#dialog.app = this.app;
    this.#language.value = chosenLanguage();
    this.#dictates.checked = isSwitchedOn(() => localStorage);
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, t`Connection`)),
      h("div", { class: "sheet" },
        h("section", { class: "link-now", "aria-label": t`State` },
          h("p", {}, h("span", { class: "dot", "aria-hidden": "true" }), " ", this.#phase), this.#explanation, this.#retry),
        h("dl", { class: "numbers" }, row(t`This device`, this.#values.device), row(t`It may`, this.#values.may), row(t`Workspace`, this.#values.workspace),
          row(t`Relay`, this.#values.relay), row(t`Content`, this.#values.content), row(t`Last heard`, this.#values.heard)),
        h("div", { class: "field" }, h("label", { for: "language" }, t`Language`), this.#language),
        recognizer() ? h("label", { class: "choice" }, this.#dictates, h("span", {}, h("span", { class: "choice-label" }, t`Dictate prompts`),
          h("span", { class: "quiet" }, t`A microphone beside the text field. What you say goes to the maker of this browser, such as Google or Apple, to be recognised, and not through the relay. Nothing is sent to an agent before you press Send.`))) : null,
        this.#buttons, this.#confirmation.element, this.#problem),
      this.#dialog);
  }

  /** @override */
  refresh() {
    const { link, trust, state: { welcome, sessions, hosts } } = this.app;
    this.#dialog.app = this.app;
    this.#dialog.refresh();
    attribute(this, "data-phase", link.phase);
    attribute(this.#retry, "disabled", link.phase === "idle" || link.phase === "stopped");
    attribute(this.#pair, "disabled", !link.isLive);
    attribute(this.#pair, "hidden", !has(welcome, "administer"));
    say(this.#values.device, welcome?.client.name ?? "…", line);
    write(this.#values.may, rightsOf(welcome));
    say(this.#values.workspace, welcome?.workspace.name ?? "…", line);
    say(this.#values.relay, welcome ? t`${welcome.software} at ${location.host}` : location.host, line);
    const contents = contentWords([...sessions.values(), ...hosts.values()], (host) => Boolean(trust?.hosts.get(host)?.epochs?.size));
    say(this.#values.content, contents.join("\n") || "…", calm);
    this.tick();
  }

  /** @override */
  tick() {
    const { phase, heardAt, retryAt } = this.app.link;
    this.#dialog.tick();
    write(this.#phase, phases[phase]);
    write(this.#values.heard, heardAt ? ago(Date.now() - heardAt) : t`not yet`);
    write(this.#explanation, {
      idle: "", connecting: t`Connecting to the relay.`, greeting: t`The relay answered.`, catchingUp: t`Fetching what happened meanwhile.`,
      live: t`Up to date.`,
      silent: t`The relay does not answer. What you see may be old.`,
      waiting: t`The relay cannot be reached. What you see is from before. Next try in ${countdown(retryAt - Date.now())}.`,
      stopped: stopWords(this.app.link),
    }[phase]);
  }

  #dictate() {
    switchOn(() => localStorage, this.#dictates.checked);
    document.querySelectorAll("speech-button").forEach((button) => button.show());
  }

  async #logOut() {
    try {
      const response = await ask("/v1/logout", { method: "POST" });
      if (!response.ok && response.status !== 401) throw new Error(refusalIn(response.status, await response.json().catch(() => null)));
      this.app.link.stop();
      this.#confirmation.close();
      this.app.pairAgain();
    } catch (error) {
      write(this.#problem, t`Not logged out: ${/** @type {Error} */ (error).message}`);
    }
  }
}

const fact = () => h("dd", { class: "foreign" });

/** @param {string} name @param {HTMLElement} value */
const row = (name, value) => h("div", {}, h("dt", {}, name), value);

customElements.define("link-view", LinkView);
