/**
 * Preserves numbers as an agent wrote them. Browsers parse numbers as doubles: `9007199254740993` becomes …992, and `1e400` Infinity. A person
 * must see what would run, so a number in a tool's input or output that a double would alter keeps its own digits. Pure.
 */

/** A number whose digits a double would alter. */
export class SourceNumber {
  /**
   * `text` is the number's JSON text.
   * @param {string} text
   */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return this.text;
  }

  toJSON() {
    return this.text;
  }
}

/** Fields of a body that are shown verbatim; all other numbers are only calculated with. */
const shown = new Set(["input", "output"]);

/**
 * Parses JSON like `JSON.parse`, except for numbers in fields that are shown verbatim.
 * @param {string} text @returns {any}
 */
export function parsedMessage(text) {
  const plain = JSON.parse(text);
  const mark = freshMark();
  const marked = withMarks(text, mark);
  return marked === text ? plain : restored(JSON.parse(marked), mark, false, false);
}

/** A random mark that no string in the text begins with, because nobody can guess it. */
const freshMark = () => `${crypto.getRandomValues(new Uint32Array(3)).join("-")}#`;

/** Numbers with at most this many digits fit a double exactly. */
const plainDigitsMax = 15;
const [quote, backslash, minus, plus, dot, zero, nine, capitalE, smallE] = [..."\"\\-+.09Ee"].map((character) => character.charCodeAt(0));

/** @param {number} code */
const isDigit = (code) => code >= zero && code <= nine;

/**
 * Turns each number that a double would alter into a string with the mark in front.
 * @param {string} text @param {string} mark
 */
function withMarks(text, mark) {
  const parts = [];
  let taken = 0;
  for (let at = 0; at < text.length; at += 1) {
    let code = text.charCodeAt(at);
    if (code === quote) {
      for (at += 1; (code = text.charCodeAt(at)) !== quote; at += 1) if (code === backslash) at += 1;
    } else if (isDigit(code) || code === minus) {
      const start = at;
      let isPlain = code !== minus;
      for (at += 1; isDigit(code = text.charCodeAt(at)) || code === dot || code === minus || code === plus || code === smallE || code === capitalE; at += 1) {
        isPlain &&= isDigit(code);
      }
      const digits = text.slice(start, at);
      if (!(isPlain && digits.length <= plainDigitsMax) && String(Number(digits)) !== digits) {
        parts.push(text.slice(taken, start), `"${mark}${digits}"`);
        taken = at;
      }
      at -= 1;
    }
  }
  return taken ? parts.join("") + text.slice(taken) : text;
}

/**
 * @param {any} value @param {string} mark @param {boolean} isBody @param {boolean} isShown
 * @returns {any}
 */
function restored(value, mark, isBody, isShown) {
  if (typeof value === "string" && value.startsWith(mark)) {
    const digits = value.slice(mark.length);
    return isShown ? new SourceNumber(digits) : Number(digits);
  }
  if (typeof value !== "object" || value === null) return value;
  // Values are replaced in place, so that a name such as `__proto__` stays a field.
  for (const [name, part] of Object.entries(value)) {
    const given = restored(part, mark, !isShown && name === "body", isShown || (isBody && shown.has(name)));
    if (given !== part) value[name] = given;
  }
  return value;
}

/**
 * Readable JSON of a value, with its numbers as they were received.
 * @param {unknown} value
 */
export function jsonText(value) {
  const mark = freshMark();
  const text = JSON.stringify(value, function (name, part) {
    return this[name] instanceof SourceNumber ? mark + part : part;
  }, 2);
  return text.replace(new RegExp(`"${mark}([^"]*)"`, "g"), "$1");
}
