/**
 * Shell commands, cut as a person reads them: into arguments, so that no line ends inside one, and into the simple commands that would
 * run, so that what is risky can be named. It knows the common half of the language and judges nothing: where it errs, a warning is
 * missing or too many, and the text that is shown is the text that runs. Pure; its time grows with the text alone.
 */

/** @typedef {{text: string, isArgument: boolean}} Part */
/** @typedef {{words: string[], isPiped: boolean}} SimpleCommand `isPiped`: it reads what the command before it writes. */

/** Commands in the strings of commands (`sh -c "…"`) are looked into so deep. */
const nestingMax = 4;
/** Substitutions inside substitutions; what is deeper counts to the one around it. */
const substitutionsMax = 32;

const isBlank = (/** @type {string} */ character) => character === " " || character === "\t" || character === "\n";

/**
 * Arguments, and the blanks between them; joined they are the text again. A string in quotes is one with what touches it, if it ends on its line.
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
 * Where the string that begins there ends; -1 where it does not, on this line.
 * @param {string} text @param {number} at @param {string} quote
 */
function closing(text, at, quote) {
  for (let end = at + 1; end < text.length && text[end] !== "\n"; end += 1) {
    if (text[end] === quote) return end;
    if (text[end] === "\\" && quote === "\"") end += 1;
  }
  return -1;
}

/**
 * The simple commands in a text, also those in substitutions and in the strings that shells are given.
 * @param {string} text @param {number} [nesting] @returns {SimpleCommand[]}
 */
export function commandsOf(text, nesting = 0) {
  const reader = new Reader(nesting);
  for (let at = 0; at < text.length; at += 1) at = reader.read(text, at);
  return reader.end();
}

class Reader {
  /** @type {SimpleCommand[]} */ #commands = [];
  /** @type {string[]} */ #words = [];
  /** @type {string|null} */ #word = null;
  #isPiped = false;
  #nesting;
  /** @type {{words: string[], word: string|null, isPiped: boolean, closer: string}[]} Commands around a substitution. */ #outer = [];

  /** @param {number} nesting */
  constructor(nesting) {
    this.#nesting = nesting;
  }

  /** @param {string} text @param {number} at @returns {number} The last character that was read. */
  read(text, at) {
    const [character, next] = [text[at], text[at + 1]];
    if (character === "\\") {
      if (next !== "\n") this.#add(next ?? "");
      return at + 1;
    }
    if (character === "'" || character === "\"") return this.#quoted(text, at, character);
    if (character === "`" && this.#outer.at(-1)?.closer === "`") return this.#close(at);
    if (character === "`") return this.#open("`", at);
    if ((character === "$" || character === "<" || character === ">") && next === "(") {
      this.#add(`${character}()`);
      return this.#open(")", at + 1);
    }
    if (character === ")" && this.#outer.at(-1)?.closer === ")") return this.#close(at);
    if (character === "|") {
      this.#endCommand(next !== "|");
      return next === "|" || next === "&" ? at + 1 : at;
    }
    if (character === "&" && (next === ">" || text[at - 1] === ">")) return at;
    if (character === ">" || character === "<") {
      this.#endWord();
      if (this.#words.at(-1) !== character) this.#words.push(character);
    } else if (";&()\n".includes(character)) this.#endCommand(false);
    else if (character === " " || character === "\t") this.#endWord();
    else this.#add(character);
    return at;
  }

  end() {
    while (this.#outer.length) this.#close(0);
    this.#endCommand(false);
    return this.#commands;
  }

  /** @param {string} text @param {number} at @param {string} quote */
  #quoted(text, at, quote) {
    let end = at + 1;
    while (end < text.length && text[end] !== quote) end += quote === "\"" && text[end] === "\\" ? 2 : 1;
    const string = text.slice(at + 1, end);
    this.#add(string);
    const substitution = quote === "\"" ? string.search(/\$\(|`/) : -1;
    if (substitution >= 0 && this.#nesting < nestingMax) this.#commands.push(...commandsOf(string.slice(substitution), this.#nesting + 1));
    return end;
  }

  /** @param {string} closer @param {number} at */
  #open(closer, at) {
    if (this.#outer.length < substitutionsMax) {
      this.#outer.push({ words: this.#words, word: this.#word, isPiped: this.#isPiped, closer });
      [this.#words, this.#word, this.#isPiped] = [[], null, false];
    }
    return at;
  }

  /** @param {number} at */
  #close(at) {
    this.#endCommand(false);
    const { words, word, isPiped } = /** @type {{words: string[], word: string|null, isPiped: boolean}} */ (this.#outer.pop());
    [this.#words, this.#word, this.#isPiped] = [words, word, isPiped];
    return at;
  }

  /** @param {string} text */
  #add(text) {
    this.#word = (this.#word ?? "") + text;
  }

  #endWord() {
    if (this.#word !== null) this.#words.push(this.#word);
    this.#word = null;
  }

  /** @param {boolean} isPiped Whether the next one reads what this one writes. */
  #endCommand(isPiped) {
    this.#endWord();
    if (this.#words.length) {
      this.#commands.push({ words: this.#words, isPiped: this.#isPiped });
      // `sh -c "…"`, `eval "…"`, `ssh host "…"`: a string with a blank in it may be a command.
      if (this.#nesting < nestingMax && this.#words.some((word) => runners.has(baseName(word)))) {
        for (const word of this.#words) if (word.includes(" ")) this.#commands.push(...commandsOf(word, this.#nesting + 1));
      }
    }
    [this.#words, this.#isPiped] = [[], isPiped];
  }
}

/** Programs that take a string for a command. */
const runners = new Set(["sh", "bash", "zsh", "dash", "ksh", "fish", "eval", "ssh", "su", "xargs", "watch", "parallel", "docker", "podman", "kubectl"]);

/** @param {string} word `/bin/rm` as `rm`. */
export const baseName = (word) => word.slice(word.lastIndexOf("/") + 1);
