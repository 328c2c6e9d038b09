/** The button that adds a picture. It exists before `picture-choice.js` has loaded, because browsers open a file dialog only right after a tap. */

import { h, icon } from "../dom.js";
import { t } from "../language.js";

/** @param {(file: File) => void} onfile @returns {{button: HTMLButtonElement, files: HTMLInputElement}} */
export function pictureButton(onfile) {
  /** @type {HTMLInputElement} */
  const files = h("input", {
    type: "file", accept: "image/*", hidden: true, onchange: () => {
      const file = files.files?.[0];
      files.value = "";
      if (file) onfile(file);
    },
  });
  return { files, button: h("button", { type: "button", class: "picture-button", "aria-label": t`Add a picture`, onclick: () => files.click() }, icon("picture")) };
}
