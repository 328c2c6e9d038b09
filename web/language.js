/**
 * The page's own words, in the person's language. English stands where it is used, and is the key of its translation: `` t`${host} is offline` `` is
 * `{0} is offline` in `languages/…` (record 0135). What agents, hosts and people wrote never comes through here, nor what is signed or sent.
 */

/** @typedef {string|{[category: string]: string}} Sentence By plural category, of the first number in it. */

/** What `first.js` has loaded before the page; the worker, and tests, fill it themselves. @type {{tag: string, sentences: Record<string, Sentence>, file: string}} */
export const language = typeof spoken === "undefined" ? { tag: "en-GB", sentences: {}, file: "" } : spoken;

/**
 * By the language's tag, as making them takes longer than using them.
 * @type {Record<string, [Intl.PluralRules, Intl.NumberFormat]>}
 */
const made = {};

const forms = () => (made[language.tag] ??= [new Intl.PluralRules(language.tag), new Intl.NumberFormat(language.tag)]);

/** @param {string} key @param {unknown[]} values @returns {string} Its translation, English where there is none. */
function sentenceOf(key, values) {
  const found = language.sentences[key] ?? key;
  if (typeof found === "string") return found;
  return found[forms()[0].select(Number(values.find((value) => typeof value === "number")))] ?? found.other;
}

/**
 * A sentence with elements inside, as children.
 * @template T
 * @param {TemplateStringsArray} parts @param {...T} values
 * @returns {(T|string)[]}
 */
export const pieces = (parts, ...values) => sentenceOf(parts.reduce((key, part, at) => `${key}{${at - 1}}${part}`), values)
  .split(/\{(\d)\}/).map((piece, at) => (at % 2 ? values[Number(piece)] : piece));

/**
 * A sentence.
 * @param {TemplateStringsArray} parts @param {...unknown} values
 */
export const t = (parts, ...values) => pieces(parts, ...values).join("");

/**
 * `1 approval`, `3 approvals`.
 * @param {number} number @param {string} noun Its plural ends with an s.
 */
export const plural = (number, noun) => {
  const key = `{0} ${noun}s`;
  return (language.sentences[key] || number !== 1 ? sentenceOf(key, [number]) : `{0} ${noun}`).replace("{0}", forms()[1].format(number));
};

// What stands in the page itself is drawn before any module runs, and hidden until then.
if ("document" in globalThis && language.tag !== "en-GB") {
  /** @param {string} words */
  const own = (words) => words.replace(/\S(?:.*\S)?/, (key) => sentenceOf(key, []));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (texts.currentNode.nodeValue) texts.currentNode.nodeValue = own(texts.currentNode.nodeValue);
  for (const element of document.querySelectorAll("body [aria-label]")) element.setAttribute("aria-label", own(element.getAttribute("aria-label") ?? ""));
}
