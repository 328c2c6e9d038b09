/** Which language this browser is shown, where somebody has chosen one: `first.js` reads it before the page. */

import { t } from "./language.js";
import { metaOf } from "./page-shell.js";

/** Its value is a language, and empty where the browser's own order counts. */
const chosenHere = "heliograph.language";

/** @returns {[code: string, words: string][]} What there is to choose from, each language by its own name for itself. */
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

/** @param {string} code The page is drawn anew in it. */
export function chooseLanguage(code) {
  try {
    if (code) localStorage.setItem(chosenHere, code);
    else localStorage.removeItem(chosenHere);
  } catch {
    // This browser keeps nothing for this page, and goes by its own order.
  }
  location.reload();
}
