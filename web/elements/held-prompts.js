/** `<held-prompts>`: prompts in this browser that wait for a time or for an idle agent, shown next to the text field. */

import { arrange, attribute, h, say, span } from "../dom.js";
import { t } from "../language.js";
import { untilWords } from "../later-times.js";
import { calm, line } from "../text.js";
import { reachable } from "./blocks.js";

/** @typedef {import("../held.js").HeldPrompt} HeldPrompt */
/** @typedef {import("./view.js").App} App */

export class HeldPrompts extends HTMLElement {
  /** @type {(text: string) => void} Called with the text of a prompt that was taken back for editing. */ ontakeback = () => undefined;

  #list = h("ul", { class: "waiting", "aria-label": t`Waiting in this browser` });
  /** @type {Map<string, {item: HTMLElement, update: (one: HeldPrompt) => void}>} */ #items = new Map();

  connectedCallback() {
    if (!this.firstChild) this.append(this.#list);
  }

  /**
   * `obstacle`: the reason why no prompt can be sent now.
   * @param {App} app @param {HeldPrompt[]} prompts @param {string} obstacle
   */
  show(app, prompts, obstacle) {
    const items = new Map(prompts.map((one) => [one.id, this.#items.get(one.id) ?? this.#item(app, one.id)]));
    this.#items = items;
    prompts.forEach((one) => {
      const entry = items.get(one.id);
      entry?.update(one);
      const stage = app.held.stage(one);
      attribute(/** @type {HTMLElement} */ (entry?.item), "data-stage", stage === "failed" || stage === "missed" ? "refused" : "held");
      say(/** @type {HTMLElement} */ (entry?.item.querySelector(".waiting-outcome")), outcomeOfHeld(one, stage, obstacle, app.now()), line);
      for (const button of entry?.item.querySelectorAll("button") ?? []) attribute(button, "disabled", stage === "sending" || (button.dataset.sends !== undefined && obstacle !== ""));
    });
    arrange(this.#list, [...items.values()].map(({ item }) => item));
  }

  /** @param {App} app @param {string} id */
  #item(app, id) {
    const text = span("waiting-text foreign");
    reachable(text, t`What was written`);
    const item = h("li", {}, h("p", {}, text, span("waiting-outcome foreign")), h("div", { class: "buttons" },
      h("button", { type: "button", class: "plain small", onclick: () => {
        const taken = app.held.takeBack(id);
        if (taken) this.ontakeback(taken.text);
      } }, t`Take back`),
      h("button", { type: "button", class: "plain small", "data-sends": true, onclick: () => app.held.sendNow(id) }, t`Send now`)));
    return { item, update: (/** @type {HeldPrompt} */ one) => say(text, one.text, calm) };
  }
}

/** @param {HeldPrompt} one @param {import("../held.js").HeldStage} stage @param {string} obstacle @param {number} now */
function outcomeOfHeld({ at, problem }, stage, obstacle, now) {
  switch (stage) {
    case "sending": return t`Sending …`;
    case "failed": return String(problem);
    case "missed": return at === undefined ? t`It has waited for half a day: send it, or take it back` : t`Its time came while this page was not open: send it, or take it back`;
    case "due": return t`It is time. ${obstacle}`.trim();
    default: return t`Sent ${at === undefined ? t`when the agent is idle` : untilWords(at, now)}, while this page is open`;
  }
}

customElements.define("held-prompts", HeldPrompts);
