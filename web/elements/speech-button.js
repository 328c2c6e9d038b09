/** `<speech-button>`: dictates into the text field of its form. It shows nothing unless a person has switched that on in this browser. */

import { attribute, h, write } from "../dom.js";
import { language, t } from "../language.js";
import { heard, isSwitchedOn, recognizer, withSpoken } from "../speech.js";

/** The reasons of the Web Speech API why it heard nothing; others are shown by their names. */
const problems = /** @type {Record<string, string>} */ ({
  "not-allowed": t`This browser does not let the page use the microphone.`, "service-not-allowed": t`This browser does not let the page use the microphone.`,
  "audio-capture": t`There is no microphone.`, network: t`The browser's speech recognition cannot be reached.`,
});

export class SpeechButton extends HTMLElement {
  /** @type {import("../speech.js").Recognition|null} Set while it listens. */ #recognition = null;
  #button = h("button", { type: "button", class: "picture-button", "aria-label": t`Dictate`, "aria-pressed": "false", onclick: () => (this.#recognition ? this.#stop() : this.#listen()) });
  /** Words that may still change: they are not in the field, so they cannot be sent. */
  #words = h("p", { class: "speech-words quiet foreign", "aria-live": "polite" });

  connectedCallback() {
    const form = this.closest("form");
    if (this.firstChild || !form) return;
    this.#button.append(microphone());
    this.append(this.#button);
    form.before(this.#words);
    this.show();
    form.addEventListener("submit", () => this.#stop());
    // What is said belongs to the session that was on screen.
    addEventListener("hashchange", () => this.#stop());
    addEventListener("visibilitychange", () => document.visibilityState !== "visible" && this.#stop());
  }

  /** Called also when a person has switched dictation on or off. */
  show() {
    attribute(this, "hidden", !recognizer() || !isSwitchedOn(() => localStorage));
  }

  #listen() {
    const kind = recognizer();
    if (!kind) return;
    const recognition = new kind();
    Object.assign(recognition, { lang: document.documentElement.lang || language.tag, continuous: true, interimResults: true });
    recognition.onresult = (event) => this.#recognition === recognition && this.#heard(event);
    recognition.onerror = ({ error }) => {
      if (this.#recognition !== recognition || error === "no-speech") return;
      this.#stop();
      write(this.#words, problems[error] ?? t`The browser's speech recognition says: ${error}`);
    };
    recognition.onend = () => this.#recognition === recognition && this.#stop();
    this.#recognition = recognition;
    recognition.start();
    attribute(this.#button, "aria-pressed", "true");
    write(this.#words, t`Listening …`);
  }

  #stop() {
    const recognition = this.#recognition;
    this.#recognition = null;
    recognition?.abort();
    attribute(this.#button, "aria-pressed", "false");
    write(this.#words, "");
  }

  /** @param {Parameters<typeof heard>[0]} event */
  #heard(event) {
    const { final, interim } = heard(event);
    const field = /** @type {HTMLTextAreaElement|null|undefined} */ (this.closest("form")?.querySelector("textarea"));
    if (final && field) {
      const { text, caret } = withSpoken(field.value, field.selectionEnd, final);
      field.value = text;
      field.setSelectionRange(caret, caret);
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
    write(this.#words, interim || t`Listening …`);
  }
}

/** An icon of its own: the page's sprite holds what everybody sees. */
function microphone() {
  const vectors = "http://www.w3.org/2000/svg";
  const [picture, path] = [document.createElementNS(vectors, "svg"), document.createElementNS(vectors, "path")];
  picture.setAttribute("class", "icon");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  path.setAttribute("d", "M12 4a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V7a3 3 0 0 1 3-3zM6 12a6 6 0 0 0 12 0M12 18v3");
  picture.append(path);
  return picture;
}

customElements.define("speech-button", SpeechButton);
