/** Translates the reasons to look twice, which hosts word in English. Pure. */

import { language } from "./language.js";

/** Reasons with names or paths in them. */
const naming = ["Outside the session's folder, {0}.", "A link leads from {0} to {1}: that is what changes."];

/**
 * A reason in the page's language, or as the host sent it if this page does not know it.
 * @param {string} risk
 */
export function riskWords(risk) {
  for (const key of naming) {
    const names = risk.match(new RegExp(`^${key.replace(/\{\d\}/g, "(.*)")}$`))?.slice(1);
    const sentence = names && language.sentences[key];
    if (typeof sentence === "string") return sentence.replace(/\{(\d)\}/g, (_, at) => names?.[at] ?? "");
  }
  const sentence = Object.hasOwn(language.sentences, risk) && language.sentences[risk];
  return typeof sentence === "string" ? sentence : risk;
}
