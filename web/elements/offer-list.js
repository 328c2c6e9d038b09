/**
 * The agent's own options, below *Allow*: a list with nothing preselected, each option with its exact rule and the file that the rule is
 * written to. A far-reaching option asks for confirmation, with other words and a button in another place.
 */

import { attribute, h, nodes, say, span, write } from "../dom.js";
import { pieces, t } from "../language.js";
import { isFarReaching, openerWords, scopeWords } from "../offers.js";
import { exact, line } from "../text.js";

/** @typedef {import("../offers.js").Offer} Offer */

let made = 0;

export class OfferList {
  /** @type {(offer: Offer) => void} */ #deed;
  /** @type {HTMLElement} The buttons that are hidden while the list is open. */ #buttons;
  /** @type {Offer[]} */ #offers = [];
  /** @type {Offer|undefined} */ #chosen;
  #isLocked = true;
  #name = `offers-${(made += 1)}`;

  /** The button that opens the list. */
  opener = h("button", { type: "button", class: "offers-open", hidden: true, "aria-expanded": "false", onclick: () => this.#turn("list") });
  #choices = h("fieldset", { class: "offers" });
  #take = h("button", { type: "submit", class: "allow", disabled: true });
  #list = h("form", { hidden: true, onsubmit: (event) => this.#taken(event) }, this.#choices,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.#turn("closed") }, t`Back`), this.#take));
  #question = h("p", { id: `${this.#name}-question` });
  #rule = h("div", { class: "offer-rule foreign exact" });
  #sure = h("button", { type: "button", class: "deny solid", onclick: () => this.#give() });
  #unsure = h("button", { type: "button", class: "plain", onclick: () => this.#turn("list") }, t`Back`);
  #again = h("div", { class: "confirmation", hidden: true, role: "group", "aria-labelledby": `${this.#name}-question` },
    this.#question, this.#rule, h("div", { class: "buttons" }, this.#sure, this.#unsure));
  element = h("div", { class: "offer-list", hidden: true, onkeydown: (event) => this.#escape(event) }, this.#list, this.#again);

  /** @param {HTMLElement} buttons @param {(offer: Offer) => void} deed */
  constructor(buttons, deed) {
    [this.#buttons, this.#deed] = [buttons, deed];
  }

  /** @param {Offer[]} offers */
  show(offers) {
    this.#offers = offers;
    attribute(this.opener, "hidden", !this.hasAny);
    if (!offers.length) return;
    write(this.opener, openerWords(offers));
    this.#choices.replaceChildren(h("legend", {}, t`The agent itself offers`), ...offers.map((offer) => this.#choice(offer)));
  }

  /** @param {Offer} offer */
  #choice(offer) {
    const input = h("input", { type: "radio", name: this.#name, onchange: () => this.#choose(offer) });
    return h("label", { class: "choice offer" }, input, h("span", { class: "offer-text" },
      h("span", { class: "choice-label foreign" }, nodes(exact(offer.label))),
      offer.mode ? span("offer-mode", ...pieces`Mode: ${h("code", { class: "foreign" }, nodes(exact(offer.mode)))}`) : null,
      offer.rule ? h("span", { class: "offer-rule foreign exact" }, ...ruleLines(offer.rule)) : null,
      span("quiet", scopeWords(offer))));
  }

  /** @param {Offer} offer */
  #choose(offer) {
    this.#chosen = offer;
    write(this.#take, offer.effect === "allow" ? t`Allow, and this too` : t`Deny, and this too`);
    attribute(this.#take, "class", offer.effect === "allow" ? "allow" : "deny solid");
    this.#draw();
  }

  /**
   * Disables all options of the list.
   * @param {boolean} locked
   */
  set locked(locked) {
    this.#isLocked = locked;
    this.#draw();
  }

  #draw() {
    this.#take.disabled = this.#isLocked || !this.#chosen;
    this.#sure.disabled = this.#take.disabled;
    if (!this.#chosen) write(this.#take, t`Choose one`);
  }

  get hasAny() {
    return this.#offers.length !== 0;
  }

  get isOpen() {
    return !this.element.hidden;
  }

  close() {
    if (this.isOpen) this.#turn("closed", false);
  }

  /**
   * Shows one stage of the list. `moves`: the keyboard focus moves along.
   * @param {"closed"|"list"|"again"} stage @param {boolean} [moves]
   */
  #turn(stage, moves = true) {
    if (stage === "closed") {
      this.#chosen = undefined;
      for (const input of this.#choices.querySelectorAll("input")) input.checked = false;
    }
    attribute(this.element, "hidden", stage === "closed");
    attribute(this.opener, "aria-expanded", stage === "closed" ? "false" : "true");
    attribute(this.#list, "hidden", stage !== "list");
    attribute(this.#again, "hidden", stage !== "again");
    attribute(this.#buttons, "hidden", stage !== "closed");
    this.#draw();
    if (!moves) return;
    const wanted = { closed: this.opener, list: this.#choices.querySelector("input:checked") ?? this.#choices.querySelector("input"), again: this.#unsure };
    /** @type {HTMLElement|null} */ (wanted[stage])?.focus();
    if (stage !== "closed") this.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {Event} event */
  #taken(event) {
    event.preventDefault();
    if (this.#isLocked || !this.#chosen) return;
    if (!isFarReaching(this.#chosen)) return this.#give();
    say(this.#question, `${this.#chosen.label}? ${scopeWords(this.#chosen)}`, line);
    const { rule, mode } = this.#chosen;
    this.#rule.replaceChildren(...(mode ? ruleLines(t`Mode: ${mode}`) : []), ...(rule ? ruleLines(rule) : []));
    write(this.#sure, this.#chosen.effect === "allow" ? t`Yes, allow it so` : t`Yes, deny it so`);
    this.#turn("again");
  }

  #give() {
    const chosen = this.#chosen;
    if (this.#isLocked || !chosen || !this.#offers.includes(chosen)) return;
    this.#turn("closed", false);
    this.#deed(chosen);
  }

  /** @param {KeyboardEvent} event */
  #escape(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.#turn(this.#again.hidden ? "closed" : "list");
  }
}

/**
 * Each entry of a rule has an element of its own, so that a wrapped line cannot look like another entry.
 * @param {string} rule
 */
const ruleLines = (rule) => rule.split("\n").map((entry) => h("span", { class: "offer-entry" }, nodes(exact(entry))));
