/**
 * Splits shell commands into arguments, so that lines wrap between arguments only. It knows the common syntax and
 * judges nothing: the shown text is the text that runs. Pure; the running time is linear in the text.
 */

/** @typedef {{text: string, isArgument: boolean}} Part */

const isBlank = (/** @type {string} */ character) => character === " " || character === "\t" || character === "\n";

/**
 * Splits a text into arguments and the blanks between them; joined they give the text again. A quoted string belongs to the argument that it touches, if it ends on its line.
 * @param {string} text @returns {Part[]}
 */
export function partsOf(text) {
  /** @type {Part[]} */
  const parts = [];
  let at = 0;
  let lineEnd = -1;
  while (at < text.length) {
    const from = at;
    while (at < text.length && isBlank(text[at])) at += 1;
    if (at > from) parts.push({ text: text.slice(from, at), isArgument: false });
    const start = at;
    while (at < text.length && !isBlank(text[at])) {
      const quote = text[at];
      if (quote === "\\" && at + 1 < text.length && text[at + 1] !== "\n") at += 1;
      else if (quote === "'" || quote === "\"") {
        if (lineEnd < at) lineEnd = (text.indexOf("\n", at) + 1 || text.length + 1) - 1;
        const end = closing(text, at, quote);
        if (end > 0 && end < lineEnd) at = end;
      }
      at += 1;
    }
    if (at > start) parts.push({ text: text.slice(start, at), isArgument: true });
  }
  return parts;
}

/**
 * The end of the quoted string that begins at `at`; -1 if it does not end on this line.
 * @param {string} text @param {number} at @param {string} quote
 */
function closing(text, at, quote) {
  for (let end = at + 1; end < text.length && text[end] !== "\n"; end += 1) {
    if (text[end] === quote) return end;
    if (text[end] === "\\" && quote === "\"") end += 1;
  }
  return -1;
}
