/**
 * Edits the texts of a request before it is allowed: fields first, then the difference to what was asked, which is what *Allow as edited* is for. That
 * button is enabled as *Allow* is: once both ends of the difference have been on screen for a moment.
 */

import { attribute, h, span, write } from "../dom.js";
import { changesBy, editableIn, editOf, isTooLong } from "../input-edits.js";
import { t } from "../language.js";
import { exact, suspicions } from "../text.js";
import { fieldOf } from "../tools.js";
import { diffBlock } from "./blocks.js";

/** @typedef {import("../wire").Approval} Approval */

/** Time for which the difference has to be on screen before it can be allowed: longer than the gap of a double tap. */
const settleMs = 600;

export class EditForm {
  /** @type {(edit: string) => void} */ #deed;
  /** @type {HTMLElement} The buttons that are hidden while the form is open. */ #buttons;
  /** @type {Approval|undefined} */ #approval;
  /** @type {import("../input-edits.js").Field[]} */ #fields = [];
  /** @type {HTMLTextAreaElement[]} */ #areas = [];
  /** The edit whose difference is on screen. */ #edit = "";
  #isLocked = true;
  #isSeen = false;
  /** @type {IntersectionObserver|undefined} */ #observer;

  /** The button that opens the form. */
  opener = h("button", { type: "button", class: "offers-open", hidden: true, "aria-expanded": "false", onclick: () => this.#turn("fields") }, t`Edit …`);
  #texts = h("div", { class: "edit-texts" });
  #problem = h("p", { class: "problem", role: "alert" });
  #form = h("form", { class: "denial", hidden: true, onsubmit: (event) => this.#compare(event) }, this.#texts, this.#problem,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.#turn("closed") }, t`Back`),
      h("button", { type: "submit" }, t`Show the change`)));
  #changes = h("div", { class: "edit-changes" });
  #allow = h("button", { type: "button", class: "allow", onclick: () => this.#give() }, t`Allow as edited`);
  #review = h("div", { class: "denial", hidden: true }, this.#changes,
    h("p", { class: "note" }, t`The agent is not told that you edited it. If the edited text needs a second look that was not shown here, or a rule denies it, the agent asks at its own prompt instead.`),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.#turn("fields") }, t`Back`), this.#allow));
  element = h("div", { class: "edit-form", hidden: true, onkeydown: (event) => this.#escape(event) }, this.#form, this.#review);

  /** @param {HTMLElement} buttons @param {(edit: string) => void} deed */
  constructor(buttons, deed) {
    [this.#buttons, this.#deed] = [buttons, deed];
  }

  /**
   * @param {Approval} approval @param {string} tool
   */
  show(approval, tool) {
    this.#approval = approval;
    this.#fields = editableIn(approval);
    this.#areas = this.#fields.map(({ text }) => {
      const area = h("textarea", { rows: String(Math.min(12, text.split("\n").length + 1)), class: "edit-text", spellcheck: "false", autocapitalize: "off", dir: "ltr" });
      area.value = text;
      return area;
    });
    this.#texts.replaceChildren(...this.#fields.map(({ name }, index) => h("label", {}, span("", fieldOf(tool, name).text), this.#areas[index])));
  }

  get hasAny() {
    return this.#fields.length !== 0;
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** @param {boolean} locked The request cannot be allowed now. */
  set locked(locked) {
    this.#isLocked = locked;
    this.#draw();
  }

  close() {
    if (this.isOpen) this.#turn("closed", false);
  }

  #draw() {
    this.#allow.disabled = this.#isLocked || !this.#isSeen;
  }

  /**
   * Shows one stage of the form. `moves`: the keyboard focus moves along.
   * @param {"closed"|"fields"|"review"} stage @param {boolean} [moves]
   */
  #turn(stage, moves = true) {
    if (stage !== "review") this.#forget();
    attribute(this.element, "hidden", stage === "closed");
    attribute(this.opener, "aria-expanded", stage === "closed" ? "false" : "true");
    attribute(this.#form, "hidden", stage !== "fields");
    attribute(this.#review, "hidden", stage !== "review");
    attribute(this.#buttons, "hidden", stage !== "closed");
    this.#draw();
    if (!moves) return;
    /** @type {HTMLElement|null|undefined} */ ({ closed: this.opener, fields: this.#areas[0], review: this.#changes.querySelector("pre") }[stage])?.focus();
    if (stage !== "closed") this.element.scrollIntoView({ block: "nearest" });
  }

  #forget() {
    this.#observer?.disconnect();
    [this.#observer, this.#isSeen, this.#edit] = [undefined, false, ""];
  }

  /** @param {Event} event */
  #compare(event) {
    event.preventDefault();
    if (!this.#approval) return;
    const edit = editOf(this.#fields, this.#areas.map(({ value }) => value));
    write(this.#problem, !edit ? t`Nothing is changed yet.` : isTooLong(edit) ? t`This is too long to send.` : "");
    if (!edit || isTooLong(edit)) return;
    this.#forget();
    this.#edit = edit;
    const [start, end] = [span("edge"), span("edge")];
    this.#changes.replaceChildren(start, ...changeBlocks(this.#approval, edit), end);
    this.#turn("review");
    this.#watch(start, end);
  }

  /**
   * Enables the button once both ends have been on screen for a moment.
   * @param {Element} start @param {Element} end
   */
  #watch(start, end) {
    const unseen = new Set([start, end]);
    const observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) unseen.delete(target);
      if (unseen.size) return;
      observer.disconnect();
      setTimeout(() => {
        if (this.#observer !== observer) return;
        this.#isSeen = true;
        this.#draw();
      }, settleMs);
    });
    this.#observer = observer;
    observer.observe(start);
    observer.observe(end);
  }

  #give() {
    const edit = this.#edit;
    if (this.#allow.disabled || !edit) return;
    this.#turn("closed", false);
    this.#deed(edit);
  }

  /** @param {KeyboardEvent} event */
  #escape(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.#turn(this.#review.hidden ? "closed" : "fields");
  }
}

/**
 * The difference from what was asked to what is allowed, field by field.
 * @param {Pick<Approval, "request">} approval @param {string} edit @returns {HTMLElement[]}
 */
export function changeBlocks(approval, edit) {
  return changesBy(approval, edit).flatMap(({ name, lines }) => {
    const { text } = fieldOf(String(approval.request.head.tool), name);
    const warnings = suspicions(lines.flatMap((line) => exact(line.text)));
    return [
      h("p", { class: "block-name" }, t`${text}, from what was asked to what is allowed`),
      ...warnings.map((warning) => h("p", { class: "warning" }, warning)),
      diffBlock(lines, { name: t`Change, whole` }),
    ];
  });
}
