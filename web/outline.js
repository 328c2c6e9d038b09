/** Folds long outputs by their shape: beginning, errors and end stay visible. Pure. */

/** Outputs with fewer lines are shown whole. */
const linesMax = 32;
const headLines = 5;
const tailLines = 14;
/** Maximum number of lines with errors that stay visible in their place: the first ones. */
const errorsMax = 8;
/** Gaps with fewer lines are not folded. */
const gapMin = 3;

const tellsOfError = /\b(?:error|errors|fail|failed|failure|fatal|panic|exception|traceback|denied|not ok|undefined|cannot)\b|[✗✘❌]/i;

/**
 * @param {string} text
 * @returns {{text: string, lines: number, isFolded: boolean}[]} Parts that make up the text, if joined by line feeds.
 */
export function outlineOf(text) {
  const lines = text.split("\n");
  if (lines.length <= linesMax) return [{ text, lines: lines.length, isFolded: false }];
  const last = lines.length - tailLines;
  const shown = lines.map((_, index) => index < headLines || index >= last);
  let errors = 0;
  for (let index = headLines; index < last && errors < errorsMax; index += 1) {
    if (!tellsOfError.test(lines[index])) continue;
    shown[index] = true;
    errors += 1;
  }
  /** @type {{text: string, lines: number, isFolded: boolean}[]} */
  const parts = [];
  for (let from = 0; from < lines.length;) {
    let to = from;
    while (to < lines.length && shown[to] === shown[from]) to += 1;
    const isFolded = !shown[from] && to - from >= gapMin;
    const part = { text: lines.slice(from, to).join("\n"), lines: to - from, isFolded };
    const before = parts.at(-1);
    if (before && !before.isFolded && !isFolded) {
      before.text += `\n${part.text}`;
      before.lines += part.lines;
    } else parts.push(part);
    from = to;
  }
  return parts;
}
