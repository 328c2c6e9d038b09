/** The pictures that go with what is written: chosen, looked at, taken away again, and brought to the relay before the prompt. */

import { arrange, attribute, h, icon } from "../dom.js";
import { bring, namedIn, picturesMax, shownPicture, smaller } from "../pictures.js";

/** As large as it is shown here. */
const thumbSide = 144;

/**
 * @typedef {object} Chosen
 * @property {Blob} [blob] Chosen here.
 * @property {import("../pictures.js").Named} [named] Of an earlier prompt.
 * @property {HTMLElement} item
 */

export class PictureChoice {
  #files = h("input", { type: "file", accept: "image/*", hidden: true, onchange: () => this.#chosen() });
  /** Opens the choice of files; is next to the text. */
  button = h("button", { type: "button", class: "picture-button", "aria-label": "Add a picture", onclick: () => this.#files.click() }, icon("picture"));
  #list = h("ul", { class: "chosen", "aria-label": "Pictures that go with it" });
  element = h("div", { class: "picture-choice", hidden: true }, this.#list, h("p", { class: "quiet" }, "Kept until this page is closed."), this.#files);
  /** What could not be chosen or brought; empty where nothing failed. */
  problem = "";
  /** Something is being read, so that nothing is to be sent yet. */
  isReading = false;

  #session = "";
  /** @type {Map<string, Chosen[]>} By session, for this visit: a draft's place is too small for them. */ #bySession = new Map();
  #changed;

  /** @param {() => void} changed Something was added, taken away, or failed. */
  constructor(changed) {
    this.#changed = changed;
  }

  #of(session = this.#session) {
    return this.#bySession.get(session) ?? [];
  }

  get count() {
    return this.#of().length;
  }

  /** @param {string} session @param {boolean} isOffered @param {boolean} isSending */
  show(session, isOffered, isSending) {
    if (session !== this.#session) this.problem = "";
    this.#session = session;
    attribute(this.button, "hidden", !isOffered);
    attribute(this.button, "disabled", isSending || this.isReading || this.count >= picturesMax);
    attribute(this.element, "hidden", !isOffered || !this.count);
    arrange(this.#list, this.#of().map(({ item }) => item));
  }

  /**
   * Those of a prompt that failed come back with its text.
   * @param {unknown} pictures
   */
  again(pictures) {
    for (const named of namedIn(pictures)) if (this.count < picturesMax) this.#add({ named });
  }

  /**
   * All of them at the relay, which keeps each once, however often it is brought.
   * @param {string} session
   * @returns {Promise<import("../pictures.js").Named[]|null>} Nothing where one could not be brought; `problem` says why.
   */
  async brought(session) {
    this.problem = "";
    try {
      return await Promise.all(this.#of(session).map(({ blob, named }) => named ?? bring(session, /** @type {Blob} */ (blob))));
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  /**
   * They were sent.
   * @param {string} session
   */
  forget(session) {
    this.#bySession.delete(session);
  }

  async #chosen() {
    const file = this.#files.files?.[0];
    if (!file) return;
    const session = this.#session;
    this.problem = "";
    this.isReading = true;
    this.#changed();
    try {
      const blob = await smaller(file);
      const preview = await shownPicture(blob, thumbSide);
      if (session === this.#session) this.#add({ blob }, preview);
    } catch (error) {
      this.#failed(error);
    }
    this.#files.value = "";
    this.isReading = false;
    this.#changed();
  }

  /** @param {unknown} error */
  #failed(error) {
    this.problem = /** @type {Error} */ (error).message;
  }

  /** @param {{blob?: Blob, named?: import("../pictures.js").Named}} one @param {HTMLElement} [preview] */
  #add(one, preview) {
    const session = this.#session;
    const item = h("li", {}, preview, preview ? h("span", { class: "unseen" }, "Picture") : "Picture",
      h("button", { type: "button", class: "small", "aria-label": "Remove the picture", onclick: () => {
        this.#bySession.set(session, this.#of(session).filter((other) => other.item !== item));
        this.#changed();
        this.button.focus();
      } }, "✕"));
    this.#bySession.set(session, [...this.#of(), { ...one, item }]);
    this.#changed();
  }
}
