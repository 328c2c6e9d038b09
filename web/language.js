/**
 * Translates the page's texts. The English text stands in the code and is the key of its translation: `` t`${host} is offline` `` is
 * `{0} is offline` in `languages/…` (record 0135). Texts of agents, hosts and people are never translated, nor is anything that is signed or sent.
 */

/**
 * A translation; by plural category if it depends on the first number in it.
 * @typedef {string|{[category: string]: string}} Sentence
 */

/**
 * The translations that `first.js` loaded before the page; the worker and tests set them themselves. @type {{tag: string, sentences: Record<string,
 * Sentence>, file: string}}
 */
export const language = typeof spoken === "undefined" ? { tag: "en-GB", sentences: {}, file: "" } : spoken;

/**
 * Formatters by the language's tag, kept because making them takes longer than using them.
 * @type {Record<string, [Intl.PluralRules, Intl.NumberFormat]>}
 */
const made = {};

const forms = () => (made[language.tag] ??= [new Intl.PluralRules(language.tag), new Intl.NumberFormat(language.tag)]);

/**
 * The translation of a key; English if there is none.
 * @param {string} key @param {unknown[]} values @returns {string}
 */
function sentenceOf(key, values) {
  const found = language.sentences[key] ?? key;
  if (typeof found === "string") return found;
  return found[forms()[0].select(Number(values.find((value) => typeof value === "number")))] ?? found.other;
}

/**
 * Translates a sentence with elements in it, as an array of children.
 * @template T
 * @param {TemplateStringsArray} parts @param {...T} values
 * @returns {(T|string)[]}
 */
export const pieces = (parts, ...values) => sentenceOf(parts.reduce((key, part, at) => `${key}{${at - 1}}${part}`), values)
  .split(/\{(\d)\}/).map((piece, at) => (at % 2 ? values[Number(piece)] : piece));

/**
 * Translates a sentence.
 * @param {TemplateStringsArray} parts @param {...unknown} values
 */
export const t = (parts, ...values) => pieces(parts, ...values).join("");

/**
 * A number with a noun: `1 approval`, `3 approvals`.
 * @param {number} number @param {string} noun A noun whose English plural ends with an s.
 */
export const plural = (number, noun) => {
  const key = `{0} ${noun}s`;
  return (language.sentences[key] || number !== 1 ? sentenceOf(key, [number]) : `{0} ${noun}`).replace("{0}", forms()[1].format(number));
};

// Texts in the HTML are translated here, before modules run; until then the style sheet hides them.
if ("document" in globalThis && language.tag !== "en-GB") {
  /** @param {string} words */
  const own = (words) => words.replace(/\S(?:.*\S)?/, (key) => sentenceOf(key, []));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.nodeValue) texts.currentNode.nodeValue = own(texts.currentNode.nodeValue);
  for (const element of document.querySelectorAll("body [aria-label]")) element.setAttribute("aria-label", own(element.getAttribute("aria-label") ?? ""));
}
