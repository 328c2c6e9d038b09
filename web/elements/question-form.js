/** `<question-form>`: an approval's questions with their options, and a field for a free answer if one is accepted. */

import { asText, attribute, h, nodes, span } from "../dom.js";
import { t } from "../language.js";
import { calm, said } from "../text.js";

/** @typedef {import("../wire").Question} Question */
/** @typedef {import("../wire").Answer} Answer */

let forms = 0;

export class QuestionForm extends HTMLElement {
  /** @type {Question[]} */ #questions = [];
  /** Index of the first unanswered question when the form was last checked. */ #open = -1;
  #prefix = `question-${(forms += 1)}`;

  /** @param {Question[]} questions */
  ask(questions) {
    this.#questions = questions;
    this.replaceChildren(...questions.map((question, index) => this.#fieldset(question, index)));
  }

  /**
   * Replaces the form by the given answers, or by the questions alone if there are none.
   * @param {Answer[]} answers
   */
  settle(answers) {
    this.replaceChildren(...this.#questions.map((question) => {
      const answer = answers.find((one) => one.question === question.id);
      const given = [...(answer?.choices ?? []), ...(answer?.text ? [answer.text] : [])];
      return h("div", { class: "question" }, h("p", { class: "question-text foreign" }, ...wordsOf(question)),
        given.length ? h("ul", { class: "stack", "aria-label": t`Answer` },
          ...given.map((text) => h("li", { class: "choice chosen foreign" }, nodes(said(asText(text)))))) : null);
    }));
  }

  /**
   * The answers; null while a question is unanswered.
   * @returns {Answer[]|null}
   */
  get answers() {
    const answers = this.#questions.map((question, index) => {
      const choices = [...this.querySelectorAll("input")].filter(
        ({ name, checked, value }) => name === this.#name(index) && checked && value !== "other");
      const other = /** @type {HTMLInputElement|null} */ (this.querySelector(`#${this.#name(index)}-text`));
      const text = other && this.#otherChosen(index) ? other.value.trim() : "";
      const indexes = choices.map(({ value }) => Number(value));
      const answer = { question: String(question.id), choices: indexes.map((place) => String(question.choices[place].label)) };
      return { ...answer, ...(indexes.length ? { indexes } : {}), ...(text ? { text } : {}) };
    });
    this.#open = answers.findIndex(({ choices, ...answer }) => !choices.length && !("text" in answer));
    return this.#open < 0 ? answers : null;
  }

  /**
   * Scrolls to the first unanswered question and focuses it.
   * @returns {string} A sentence about the missing answer.
   */
  showOpen() {
    const fieldset = this.querySelectorAll("fieldset")[this.#open];
    const isWritten = this.#otherChosen(this.#open);
    const input = /** @type {HTMLInputElement|null} */ (fieldset?.querySelector(isWritten ? "input[type=text]" : "input"));
    input?.focus({ preventScroll: true });
    fieldset?.scrollIntoView({ block: "nearest" });
    const which = this.#questions.length > 1 ? t`Question ${this.#open + 1} of ${this.#questions.length}` : t`The question`;
    return isWritten ? t`${which}: write your own answer, or choose another.` : this.#questions[this.#open]?.multiple ? t`${which} needs an answer: choose at least one.` : t`${which} needs an answer: choose one.`;
  }

  /** @param {boolean} locked */
  set locked(locked) {
    this.querySelectorAll("fieldset").forEach((fieldset) => { fieldset.disabled = locked; });
  }

  /** @param {number} index */
  #name(index) {
    return `${this.#prefix}-${index}`;
  }

  /** @param {number} index */
  #otherChosen(index) {
    return this.querySelector(`input[name="${this.#name(index)}"][value="other"]:checked`) !== null;
  }

  /** @param {Question} question @param {number} index */
  #fieldset(question, index) {
    const name = this.#name(index);
    const type = question.multiple ? "checkbox" : "radio";
    const choices = Array.isArray(question.choices) ? question.choices : [];
    return h("fieldset", { class: "question" },
      h("legend", { class: "foreign" }, ...wordsOf(question)),
      question.multiple ? h("p", { class: "quiet" }, t`Choose one or more.`) : null,
      ...choices.map((choice, number) => h("label", { class: "choice" },
        h("input", { type, name, value: number }),
        span("foreign",
          span("choice-label", nodes(said(asText(choice?.label)))),
          choice?.description ? span("quiet", nodes(calm(asText(choice.description)))) : null))),
      question.choicesOnly ? null : this.#own(name, type, choices.length !== 0));
  }

  /**
   * The field for a free answer; the only one of a question without options.
   * @param {string} name @param {"checkbox"|"radio"} type @param {boolean} isBeside
   */
  #own(name, type, isBeside) {
    const other = h("input", { type, name, value: "other", checked: !isBeside });
    const text = h("input", {
      id: `${name}-text`, type: "text", dir: "auto", autocomplete: "off", "aria-label": t`Your own answer`, placeholder: t`Your own answer`,
      oninput: () => { other.checked = text.value.trim() !== "" || other.checked; },
    });
    other.addEventListener("change", () => other.checked && text.focus());
    const label = h("label", { class: "choice-other-label" }, other, h("span", {}, t`Other`));
    attribute(label, "hidden", !isBeside);
    return h("div", { class: "choice choice-other" }, label, text);
  }

  /**
   * Marks the form as incomplete after Submit was pressed too early.
   * @param {boolean} missing
   */
  set incomplete(missing) {
    attribute(this, "data-incomplete", missing);
  }
}

/** @param {Question} question @returns {(Node|null)[]} */
const wordsOf = (question) => [
  question.header ? span("question-header", nodes(said(asText(question.header)))) : null, nodes(said(asText(question.text))),
];

customElements.define("question-form", QuestionForm);
