/** `<topic-form>`: adds an ntfy topic, for pushes to the ntfy app of any phone. */

import { attribute, h, say, write } from "../dom.js";
import { t } from "../language.js";
import { line } from "../text.js";
import { topicFrom } from "../topics.js";

/** @typedef {import("./view.js").App} App */

export class TopicForm extends HTMLElement {
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #link = h("input", { id: "topic-link", type: "text", inputmode: "url", autocomplete: "off", spellcheck: false, placeholder: "ntfy.sh/…", required: true });
  #token = h("input", { id: "topic-token", type: "password", autocomplete: "off" });
  #problem = h("p", { class: "problem foreign", role: "alert" });
  #add = h("button", { type: "submit", class: "solid" }, t`Add this topic`);

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("details", { class: "notification-switch fold topic-form" },
      h("summary", {}, t`Push to any phone with ntfy`),
      h("form", { class: "naming", onsubmit: (event) => this.#submit(event) },
        h("div", { class: "switch-words" },
          h("p", {}, t`Subscribe to a topic in the ntfy app, then paste its link here. It gets a summary, or no words at all of a host that seals, and you can deny from there; you can change that afterwards.`),
          h("p", {}, t`Whoever knows a topic of a public server can read it: choose a name that nobody guesses.`)),
        h("div", { class: "field" }, h("label", { for: "topic-link" }, t`Link of the topic`), this.#link),
        h("div", { class: "field" }, h("label", { for: "topic-token" }, t`Access token, if the server asks for one`), this.#token),
        this.#problem, h("div", { class: "buttons" }, this.#add))));
  }

  /** @param {App} app */
  show(app) {
    this.#app = app;
    attribute(this.#add, "disabled", !app.link.isLive);
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    const topic = topicFrom(this.#link.value, this.#token.value);
    if (!topic) return write(this.#problem, t`This is no link of a topic. It looks like ntfy.sh/topic.`);
    write(this.#problem, "");
    try {
      await this.#app.devices.addTopic(this.#app.link.freshID(), topic);
      [this.#link.value, this.#token.value] = ["", ""];
      this.#app.announce(t`${topic.server} gets pushes from now on`);
    } catch (error) {
      say(this.#problem, t`Not added: ${/** @type {Error} */ (error).message}`, line);
    }
  }
}

customElements.define("topic-form", TopicForm);
