/** `<picture-choice>`: the pictures of an unsent prompt: previews, removal, and upload to the relay before the prompt is sent. */

import { arrange, attribute, h } from "../dom.js";
import { t } from "../language.js";
import { namedIn, picturesMax } from "../picture-names.js";
import { bring, shownPicture, smaller } from "../pictures.js";

/**
 * A picture in the form that prompts refer to it.
 * @typedef {import("../wire").Picture} Named
 */

/** The side of a preview in pixels. */
const thumbSide = 144;

/**
 * @typedef {object} Chosen
 * @property {Blob} [blob] A picture from this device, not uploaded yet.
 * @property {Named} [named] A picture that an earlier prompt uploaded.
 * @property {HTMLElement} item
 */

export class PictureChoice extends HTMLElement {
  /** @type {() => void} Called when a picture was added or removed, or could not be read. */ onchanged = () => undefined;
  /** The reason why a picture could not be chosen; empty if none failed. */
  problem = "";
  /** A picture is being read, so the prompt must not be sent yet. */
  isReading = false;

  #list = h("ul", { class: "chosen", "aria-label": t`Pictures that go with it` });
  #session = "";
  /** @type {Map<string, Chosen[]>} Chosen pictures by session, kept for this visit: storage for drafts is too small for them. */ #bySession = new Map();

  connectedCallback() {
    if (!this.firstChild) this.append(this.#list, h("p", { class: "quiet" }, t`Kept until this page is closed.`));
  }

  #of(session = this.#session) {
    return this.#bySession.get(session) ?? [];
  }

  get count() {
    return this.#of().length;
  }

  /** True if the prompt has as many pictures as the relay accepts. */
  get isFull() {
    return this.isReading || this.count >= picturesMax;
  }

  /** @param {string} session @param {boolean} isOffered */
  show(session, isOffered) {
    if (session !== this.#session) this.problem = "";
    this.#session = session;
    attribute(this, "hidden", !isOffered || !this.count);
    arrange(this.#list, this.#of().map(({ item }) => item));
  }

  /**
   * Restores the pictures of a failed prompt together with its text.
   * @param {string} session @param {unknown} pictures
   */
  again(session, pictures) {
    for (const named of namedIn(pictures)) if (this.#of(session).length < picturesMax) this.#add(session, { named });
  }

  /**
   * Uploads all chosen pictures. Uploading one again has no effect.
   * @param {string} session
   * @returns {Promise<Named[]|null>} Null if an upload failed; `problem` says why.
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
   * Drops the chosen pictures after their prompt was sent.
   * @param {string} session
   */
  forget(session) {
    this.#bySession.delete(session);
  }

  /** @param {string} session @param {File} file */
  async take(session, file) {
    this.problem = "";
    this.isReading = true;
    this.onchanged();
    try {
      const blob = await smaller(file);
      const preview = await shownPicture(blob, thumbSide);
      if (session === this.#session) this.#add(session, { blob }, preview);
    } catch (error) {
      this.#failed(error);
    }
    this.isReading = false;
    this.onchanged();
  }

  /** @param {unknown} error */
  #failed(error) {
    this.problem = /** @type {Error} */ (error).message;
  }

  /** @param {string} session @param {{blob?: Blob, named?: Named}} one @param {HTMLElement} [preview] */
  #add(session, one, preview) {
    const item = h("li", {}, preview, preview ? h("span", { class: "unseen" }, t`Picture`) : t`Picture`,
      h("button", { type: "button", class: "small", "aria-label": t`Remove the picture`, onclick: () => {
        this.#bySession.set(session, this.#of(session).filter((other) => other.item !== item));
        this.onchanged();
        /** @type {HTMLElement|null|undefined} */ (this.parentElement?.querySelector(".picture-button"))?.focus();
      } }, "✕"));
    this.#bySession.set(session, [...this.#of(session), { ...one, item }]);
    this.onchanged();
  }
}

customElements.define("picture-choice", PictureChoice);
