/** Converts keys to the bytes that a terminal sends. Pure. */

const encoder = new TextEncoder();

/** @type {{[key: string]: [string, string?]}} Bytes of named keys; for arrows also their form in application mode. */
const sequences = {
  Enter: ["\r"], Tab: ["\t"], Escape: ["\x1b"], Backspace: ["\x7f"], Delete: ["\x1b[3~"], Insert: ["\x1b[2~"],
  ArrowUp: ["\x1b[A", "\x1bOA"], ArrowDown: ["\x1b[B", "\x1bOB"], ArrowRight: ["\x1b[C", "\x1bOC"], ArrowLeft: ["\x1b[D", "\x1bOD"],
  Home: ["\x1b[H", "\x1bOH"], End: ["\x1b[F", "\x1bOF"], PageUp: ["\x1b[5~"], PageDown: ["\x1b[6~"],
  F1: ["\x1bOP"], F2: ["\x1bOQ"], F3: ["\x1bOR"], F4: ["\x1bOS"], F5: ["\x1b[15~"], F6: ["\x1b[17~"], F7: ["\x1b[18~"], F8: ["\x1b[19~"],
  F9: ["\x1b[20~"], F10: ["\x1b[21~"], F11: ["\x1b[23~"], F12: ["\x1b[24~"],
};

/** @type {{[key: string]: number}} Keys besides letters that have a control character. */
const controls = { " ": 0, "@": 0, "2": 0, "[": 27, "3": 27, "\\": 28, "4": 28, "]": 29, "5": 29, "^": 30, "6": 30, "_": 31, "7": 31, "/": 31, "8": 127 };

/**
 * @typedef {object} Key
 * @property {string} key As `KeyboardEvent.key` has it.
 * @property {boolean} [ctrlKey]
 * @property {boolean} [altKey]
 * @property {boolean} [shiftKey]
 */

/**
 * @param {Key} pressed @param {boolean} applicationKeys The program has switched on application cursor keys.
 * @returns {Uint8Array|null} Null for a key without bytes.
 */
export function bytesOfKey({ key, ctrlKey = false, altKey = false, shiftKey = false }, applicationKeys) {
  const text = textOfKey(key, ctrlKey, shiftKey, applicationKeys);
  return text === null ? null : encoder.encode(altKey ? `\x1b${text}` : text);
}

/** @param {string} key @param {boolean} ctrlKey @param {boolean} shiftKey @param {boolean} applicationKeys */
function textOfKey(key, ctrlKey, shiftKey, applicationKeys) {
  const named = sequences[key];
  if (key === "Tab" && shiftKey) return "\x1b[Z";
  if (named) {
    const arrow = ctrlKey && /^\x1b\[[A-H]$/.exec(named[0]);
    if (arrow) return `\x1b[1;5${named[0].slice(-1)}`;
    return (applicationKeys && named[1]) || named[0];
  }
  if ([...key].length !== 1) return null;
  if (!ctrlKey) return key;
  if (/^[a-z]$/i.test(key)) return String.fromCharCode(key.toLowerCase().charCodeAt(0) & 31);
  const control = controls[key];
  return control === undefined ? null : String.fromCharCode(control);
}

/**
 * Bytes for written or pasted text; line ends become Enter.
 * @param {string} text @param {boolean} wraps The program has switched on bracketed paste. Control characters are removed, so that the text cannot end the paste or act as keys.
 */
export function bytesOfText(text, wraps) {
  const typed = text.replace(/\r\n?|\n/g, "\r").replace(/[^\P{Cc}\r\t]/gu, "");
  return encoder.encode(wraps ? `\x1b[200~${typed}\x1b[201~` : typed);
}
