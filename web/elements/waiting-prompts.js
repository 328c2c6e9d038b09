/** `<waiting-prompts>`: next to the text field, the prompts without an outcome, and this device's last prompt if it failed. */

import { arrange, asText, attribute, h, say, span } from "../dom.js";
import { t } from "../language.js";
import { nearby, outcomeWords, stageOf } from "../steering.js";
import { calm, line } from "../text.js";
import { reachable } from "./blocks.js";
import { authorOf, steeringButtons } from "./steering-row.js";

/** @typedef {import("../timeline.js").Row} Row */

/** Prompts shown at once: the oldest, which the agent takes next. */
const shownMax = 5;

export class WaitingPrompts extends HTMLElement {
  /** @type {import("./steering-row.js").Hands} */
  hands = { me: "", maySteer: false, queued: new Set(), openThreads: new Set(), takeBack: () => undefined, sendAgain: () => undefined };

  #list = h("ul", { class: "waiting", "aria-label": t`Sent, and not taken yet` });
  #more = h("p", { class: "quiet" });
  /** @type {Map<string, {item: HTMLElement, update: (row: Row) => void}>} */ #items = new Map();

  connectedCallback() {
    if (!this.firstChild) this.append(this.#list, this.#more);
  }

  /** @param {Row[]} prompts The session's prompts in the order of its log. */
  show(prompts) {
    this.hands.queued.clear();
    const near = nearby(prompts, this.hands.me);
    const shown = near.slice(0, shownMax);
    const items = new Map(shown.map((row) => [row.key, this.#items.get(row.key) ?? this.#item()]));
    this.#items = items;
    shown.forEach(({ key }) => this.hands.queued.add(key));
    shown.forEach((row) => items.get(row.key)?.update(row));
    arrange(this.#list, [...items.values()].map(({ item }) => item));
    attribute(this.#more, "hidden", near.length <= shownMax);
    say(this.#more, t`and ${near.length - shownMax} more`, line);
    attribute(this, "hidden", !near.length);
  }

  #item() {
    const [text, outcome] = [span("waiting-text foreign"), span("waiting-outcome foreign")];
    reachable(text, t`What was written`);
    const { element, update } = steeringButtons(this.hands);
    const item = h("li", {}, h("p", {}, text, outcome), element);
    return {
      item,
      update: (/** @type {Row} */ row) => {
        attribute(item, "data-stage", stageOf(row));
        say(text, asText(row.event.body?.text), calm);
        const isOwn = row.event.head.by?.id === this.hands.me;
        say(outcome, `${isOwn ? "" : `${authorOf(row, this.hands.me)} · `}${outcomeWords(row)}`, line);
        update(row);
      },
    };
  }
}

customElements.define("waiting-prompts", WaitingPrompts);
