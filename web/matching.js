/** Searches by words. Pure. */

/** Maximum number of results shown: a person reads no more than a screen. */
const foundMax = 12;

/**
 * The entries that contain all words; those that begin with them first.
 * @template {{words: string, also?: string}} T
 * @param {T[]} all @param {string} text @returns {T[]}
 */
export function matching(all, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all.filter(({ words: own, also = "" }) => words.every((word) => `${own} ${also}`.toLowerCase().includes(word)));
  const begins = (/** @type {T} */ { words: own }) => (words.length && own.toLowerCase().startsWith(words[0]) ? 0 : 1);
  return found.map((one, index) => ({ one, index })).sort((a, b) => begins(a.one) - begins(b.one) || a.index - b.index).slice(0, foundMax).map(({ one }) => one);
}
