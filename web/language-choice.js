/** The language that a person chose for this browser; `first.js` reads it before the page is drawn. */

import { t } from "./language.js";
import { metaOf } from "./page-shell.js";

/** The storage key of the chosen language; empty means the browser's own preference. */
const chosenHere = "heliograph.language";

/**
 * The languages to choose from, each under its own name.
 * @returns {[code: string, words: string][]}
 */
export const languageChoices = () => [
  ["", t`As this browser says`],
  ...["en", ...metaOf("languages").split(" ").map((file) => file.split("-")[0])].map((code) => /** @type {[string, string]} */ ([code, new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code])),
];

export function chosenLanguage() {
  try {
    return localStorage.getItem(chosenHere) ?? "";
  } catch {
    return "";
  }
}

/**
 * Stores the chosen language and reloads the page in it.
 * @param {string} code
 */
export function chooseLanguage(code) {
  try {
    if (code) localStorage.setItem(chosenHere, code);
    else localStorage.removeItem(chosenHere);
  } catch {
    // Site data is blocked, so the browser's own preference stays in force.
  }
  location.reload();
}
