/** The pictures that go with what is written: chosen, looked at, taken away again, and brought to the relay before the prompt. */

import { arrange, attribute, h, write } from "../dom.js";
import { plural } from "../format.js";
import { bring, drawn, kept, namedIn, PictureError, picturesMax, smaller } from "../pictures.js";

/** As large as it is shown here. */
const thumbSide = 144;

/**
 * @typedef {object} Chosen
 * @property {Blob} [blob]                         Not at the relay yet.
 * @property {import("../pictures.js").Named} [named] At the relay.
 * @property {HTMLElement} item
 */

export class PictureChoice {
  #files = h("input", { type: "file", accept: "image/png,image/jpeg,image/webp,image/heic", multiple: true, hidden: true, "aria-hidden": "true", tabindex: "-1", onchange: () => this.#chosen() });
  /** Opens the choice of files; stands beside the text. */
  button = h("button", { type: "button", class: "picture-button", "aria-label": "Add a picture", onclick: () => this.#files.click() }, "▣");
  #list = h("ul", { class: "chosen", "aria-label": "Pictures that go with it" });
  #note = h("p", { class: "quiet" }, "Pictures are not kept with a draft: they last until this page is closed.");
  element = h("div", { class: "picture-choice", hidden: true }, this.#list, this.#note);
  /** What could not be chosen or brought; empty where nothing failed. */
  problem = "";

  #session = "";
  /** @type {Map<string, Chosen[]>} By session, for this visit. */ #bySession = new Map();
  #reading = 0;
  #changed;

  /** @param {() => void} changed Something was added, taken away, or failed. */
  constructor(changed) {
    this.#changed = changed;
    this.element.append(this.#files);
  }

  get #own() {
    return this.#bySession.get(this.#session) ?? [];
  }

  /** Something is being read, so that nothing is to be sent yet. */
  get isReading() {
    return this.#reading > 0;
  }

  get count() {
    return this.#own.length;
  }

  /** @param {string} session @param {boolean} isOffered @param {boolean} isSending */
  show(session, isOffered, isSending) {
    if (session !== this.#session) this.problem = "";
    this.#session = session;
    attribute(this.button, "hidden", !isOffered);
    attribute(this.button, "disabled", isSending || this.isReading || this.count >= picturesMax);
    attribute(this.element, "hidden", !this.count);
    arrange(this.#list, this.#own.map(({ item }) => item));
  }

  /**
   * Those of a prompt that failed come back with its text.
   * @param {unknown} pictures
   */
  again(pictures) {
    for (const named of namedIn(pictures)) {
      if (this.count >= picturesMax || this.#own.some((one) => one.named?.digest === named.digest)) continue;
      const chosen = this.#add({ named });
      kept(named.digest).then((blob) => blob && this.#preview(chosen, blob)).catch(() => undefined);
    }
  }

  /**
   * All of them at the relay; what is there already is not brought again.
   * @param {string} session
   * @returns {Promise<import("../pictures.js").Named[]|null>} Nothing where one could not be brought; `problem` says why.
   */
  async brought(session) {
    this.problem = "";
    const all = this.#bySession.get(session) ?? [];
    try {
      for (const one of all) if (!one.named && one.blob) one.named = await bring(session, one.blob);
    } catch (error) {
      this.problem = wordsOf(error);
      return null;
    }
    return all.flatMap(({ named }) => named ?? []);
  }

  /**
   * They were sent.
   * @param {string} session
   */
  forget(session) {
    this.#bySession.delete(session);
    this.problem = "";
  }

  /**
   * The relay keeps none of them any more, as far as is known: they are brought again.
   * @param {string} session
   */
  forgetBrought(session) {
    for (const one of this.#bySession.get(session) ?? []) if (one.blob) one.named = undefined;
  }

  async #chosen() {
    const session = this.#session;
    const files = [...(this.#files.files ?? [])];
    this.#files.value = "";
    this.problem = files.length > picturesMax - this.count ? `A prompt takes at most ${plural(picturesMax, "picture")}: the others were left out.` : "";
    for (const file of files.slice(0, picturesMax - this.count)) {
      this.#reading += 1;
      this.#changed();
      try {
        const blob = await smaller(file);
        if (session === this.#session) await this.#preview(this.#add({ blob }), blob);
      } catch (error) {
        this.problem = wordsOf(error);
      }
      this.#reading -= 1;
      this.#changed();
    }
  }

  /** @param {{blob?: Blob, named?: import("../pictures.js").Named}} one @returns {Chosen} */
  #add(one) {
    const session = this.#session;
    const name = h("span", { class: "unseen" }, "Picture");
    const chosen = /** @type {Chosen} */ ({ ...one, item: h("li", {}, name) });
    const remove = h("button", { type: "button", class: "small", "aria-label": "Take the picture away", onclick: () => {
      this.#bySession.set(session, (this.#bySession.get(session) ?? []).filter((other) => other !== chosen));
      this.problem = "";
      this.#changed();
      this.button.focus();
    } }, "✕");
    chosen.item.append(remove);
    this.#bySession.set(session, [...(this.#bySession.get(session) ?? []), chosen]);
    write(name, `Picture ${this.count}`);
    this.#changed();
    return chosen;
  }

  /** @param {Chosen} chosen @param {Blob} blob */
  async #preview(chosen, blob) {
    const bitmap = await createImageBitmap(blob);
    const canvas = drawn(bitmap, thumbSide);
    bitmap.close();
    attribute(canvas, "aria-hidden", "true");
    chosen.item.prepend(canvas);
  }
}

/** @param {unknown} error */
const wordsOf = (error) => (error instanceof PictureError ? error.message : "This picture cannot be read.");
