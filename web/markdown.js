/**
 * Parses Markdown as agents write it into blocks and inlines: headings, lists, tasks, quotes, code, tables, emphasis, links. Pure.
 *
 * Unknown syntax stays text, including HTML and links that must not be followed: only the marks of known syntax are removed.
 * The running time is linear in the text, whatever the text is: nothing is searched twice, and nesting is bounded.
 */

import { linkTo } from "./links.js";

/**
 * @typedef {string|{type: "code", text: string}|{type: "strong"|"emphasis"|"struck", inlines: Inline[]}|Link} Inline
 * @typedef {{type: "link", href: string, host: string, rest: string, isImage: boolean, inlines: Inline[]}} Link
 *   `host` is empty if the link's words are its unaltered address.
 * @typedef {{type: "paragraph", inlines: Inline[]}|{type: "heading", level: number, inlines: Inline[]}|{type: "code", language: string, text: string}
 *   |{type: "quote", blocks: Block[]}|{type: "list", first: number|null, items: Item[]}|{type: "table", head: Inline[][], rows: Inline[][][]}
 *   |{type: "rule"}} Block
 * @typedef {{isDone: boolean|null, blocks: Block[]}} Item `isDone` is set for tasks, `first` for numbered lists.
 */

/** A longer text becomes one paragraph of plain text, because creating its elements would take a phone a second. */
export const charactersMax = 120_000;
/** Maximum number of levels of nested quotes and lists. */
const nestingMax = 8;
/** Maximum number of emphases and links that are open at once; beyond that the oldest stays text. */
const openMax = 16;
/** Maximum number of consecutive emphasis marks that are interpreted. */
const marksMax = 3;
/** Maximum number of columns of a table; the last one contains the rest of the row. */
const columnsMax = 24;

/** @param {string} text @returns {Block[]} */
export function markdown(text) {
  if (text.length > charactersMax) return [{ type: "paragraph", inlines: [text] }];
  return blocksOf(text.split("\n"), 0);
}

const fence = /^( {0,3})(`{3,}|~{3,})([^\n]*)$/;
const heading = /^ {0,3}(#{1,6})(?:[ \t]([^\n]*))?$/;
const quote = /^ {0,3}>/;
const marker = /^( *)([-*+]|\d{1,9}[.)])(?: (.*)|)$/;

/** @param {string} line */
const isBlank = (line) => line.trim() === "";

/** @param {string} line */
const indentOf = (line) => line.length - line.trimStart().length;

/** @param {string} line */
function isRule(line) {
  const marks = line.replaceAll(" ", "");
  return marks.length >= 3 && indentOf(line) < 4 && (/^-+$/.test(marks) || /^\*+$/.test(marks) || /^_+$/.test(marks));
}

/** @param {string[]} lines @param {number} depth @returns {Block[]} */
function blocksOf(lines, depth) {
  /** @type {Block[]} */
  const blocks = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (isBlank(line)) at += 1;
    else if (fence.test(line) && opensFence(line)) at = readCode(lines, at, blocks);
    else if (heading.test(line)) at = readHeading(line, at, blocks);
    else if (isRule(line)) at = blocks.push({ type: "rule" }) && at + 1;
    else if (depth < nestingMax && quote.test(line)) at = readQuote(lines, at, blocks, depth);
    else if (depth < nestingMax && marker.test(line)) at = readList(lines, at, blocks, depth);
    else if (isTable(lines, at)) at = readTable(lines, at, blocks);
    else at = readParagraph(lines, at, blocks, depth);
  }
  return blocks;
}

/**
 * Words with a backtick after the opening backticks are code within a line, not a fence.
 * @param {string} line
 */
function opensFence(line) {
  const [, , marks, words] = /** @type {RegExpMatchArray} */ (line.match(fence));
  return marks[0] === "~" || !words.includes("`");
}

/** @param {string[]} lines @param {number} at @param {Block[]} blocks */
function readCode(lines, at, blocks) {
  const [, indent, marks, words] = /** @type {RegExpMatchArray} */ (lines[at].match(fence));
  let end = at + 1;
  while (end < lines.length && !closesFence(lines[end], marks)) end += 1;
  const text = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent.length, indentOf(line)))).join("\n");
  blocks.push({ type: "code", language: words.trim(), text });
  return end + 1;
}

/** @param {string} line @param {string} marks */
function closesFence(line, marks) {
  const found = line.trim();
  return found.length >= marks.length && indentOf(line) < 4 && found === marks[0].repeat(found.length);
}

/** @param {string} line @param {number} at @param {Block[]} blocks */
function readHeading(line, at, blocks) {
  const [, marks, words = ""] = /** @type {RegExpMatchArray} */ (line.match(heading));
  const text = words.trim();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  blocks.push({ type: "heading", level: marks.length, inlines: inlinesOf(end === 0 || text[end - 1] === " " ? text.slice(0, end).trim() : text) });
  return at + 1;
}

/** @param {string[]} lines @param {number} at @param {Block[]} blocks @param {number} depth */
function readQuote(lines, at, blocks, depth) {
  let end = at;
  while (end < lines.length && quote.test(lines[end])) end += 1;
  blocks.push({ type: "quote", blocks: blocksOf(lines.slice(at, end).map((line) => line.trimStart().slice(1).replace(/^ /, "")), depth + 1) });
  return end;
}

/**
 * Reads list items with one kind of mark. Lines indented deeper than the first item's mark belong to an item, as do continuation lines of its text.
 * @param {string[]} lines @param {number} at @param {Block[]} blocks @param {number} depth
 */
function readList(lines, at, blocks, depth) {
  const [, indent, mark] = /** @type {RegExpMatchArray} */ (lines[at].match(marker));
  const kind = mark.slice(-1);
  /** @type {string[][]} */
  const items = [];
  let inset = 0;
  let end = at;
  for (; end < lines.length; end += 1) {
    const line = lines[end];
    if (isBlank(line)) {
      const next = lines[end + 1];
      if (next === undefined || isBlank(next) || !(indentOf(next) >= Math.min(inset, indent.length + 2) || isItem(next, kind, indent.length))) break;
      items.at(-1)?.push("");
    } else if (isItem(line, kind, indent.length)) {
      const [, before, itsMark, words = ""] = /** @type {RegExpMatchArray} */ (line.match(marker));
      inset = before.length + itsMark.length + 1;
      items.push([words]);
    } else if (indentOf(line) >= indent.length + 2) items.at(-1)?.push(line.slice(Math.min(inset, indentOf(line))));
    else if (!isBlank(lines[end - 1]) && !startsBlock(lines, end, depth)) items.at(-1)?.push(line);
    else break;
  }
  blocks.push({ type: "list", first: mark.length > 1 ? Number.parseInt(mark, 10) : null, items: items.map((item) => itemOf(item, depth)) });
  return end;
}

/** @param {string} line @param {string} kind @param {number} indent */
function isItem(line, kind, indent) {
  const match = line.match(marker);
  return match !== null && match[2].slice(-1) === kind && match[1].length <= indent + 1 && !isRule(line);
}

/** @param {string[]} lines @param {number} depth @returns {Item} */
function itemOf([first, ...rest], depth) {
  const task = first.match(/^\[([ xX])\] /);
  return { isDone: task ? task[1] !== " " : null, blocks: blocksOf([task ? first.slice(4) : first, ...rest], depth + 1) };
}

/** @param {string[]} lines @param {number} at @param {number} depth */
const startsBlock = (lines, at, depth) =>
  (fence.test(lines[at]) && opensFence(lines[at])) || heading.test(lines[at]) || isRule(lines[at])
  || (depth < nestingMax && (quote.test(lines[at]) || (marker.test(lines[at]) && /\S\s+\S/.test(lines[at].slice(0, 200))))) || isTable(lines, at);

/** @param {string[]} lines @param {number} at @param {Block[]} blocks @param {number} depth */
function readParagraph(lines, at, blocks, depth) {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end]) && !startsBlock(lines, end, depth)) end += 1;
  blocks.push({ type: "paragraph", inlines: inlinesOf(lines.slice(at, end).map((line) => line.trimEnd()).join("\n")) });
  return end;
}

/** @param {string[]} lines @param {number} at */
function isTable(lines, at) {
  const [head, rule] = [lines[at], lines[at + 1]];
  if (rule === undefined || !head.includes("|") || !rule.includes("-") || !/^[\s|:-]+$/.test(rule)) return false;
  const marks = cellsOf(rule);
  return marks.length === cellsOf(head).length && marks.every((cell) => /^:?-+:?$/.test(cell));
}

/** @param {string[]} lines @param {number} at @param {Block[]} blocks */
function readTable(lines, at, blocks) {
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|") && !isBlank(lines[end])) end += 1;
  const rows = lines.slice(at + 2, end).map((line) => cellsOf(line).map(inlinesOf));
  blocks.push({ type: "table", head: cellsOf(lines[at]).map(inlinesOf), rows });
  return end;
}

/**
 * The cells of a table row. An escaped bar is text, as are bars after the last column.
 * @param {string} line @returns {string[]}
 */
function cellsOf(line) {
  const row = line.trim();
  const cells = [""];
  for (let at = row[0] === "|" ? 1 : 0; at < row.length; at += 1) {
    if (row[at] === "\\" && row[at + 1] === "|") cells[cells.length - 1] += row[(at += 1)];
    else if (row[at] !== "|") cells[cells.length - 1] += row[at];
    else if (at < row.length - 1) cells.length < columnsMax ? cells.push("") : (cells[cells.length - 1] += "|");
  }
  return cells.map((cell) => cell.trim());
}

const punctuation = /[\p{P}\p{S}]/u;
const destination = /\(<?([^\s<>()]{1,2048}(?:\([^\s<>()]{0,256}\)[^\s<>()]{0,2048})?)>?(?:\s{1,9}"[^"\n]{0,512}")?\)/y;
const inAngles = /<((?:https?:\/\/|mailto:)[^\s<>]{1,2048})>/y;
const bare = /https?:\/\/[^\s<>"'`|[\]]{1,2048}/y;

/** @param {string} text @returns {Inline[]} */
const inlinesOf = (text) => new Inlines(text).read();

class Inlines {
  #text;
  #at = 0;
  #plain = "";
  /** @type {Inline[]} */ #items = [];
  /** @type {{mark: string, count: number, index: number}[]} Marks that may open an emphasis, with their index in the items. */ #marks = [];
  /** @type {{index: number, marks: number, isImage: boolean}[]} Brackets that may open a link. */ #brackets = [];
  /** @type {Map<number, number[]>|null} Start positions of runs of backticks by length, the last position first. */ #ticks = null;

  /** @param {string} text */
  constructor(text) {
    this.#text = text;
  }

  read() {
    while (this.#at < this.#text.length) this.#step();
    this.#flush();
    return joined(this.#items);
  }

  #step() {
    const text = this.#text;
    const character = text[this.#at];
    switch (character) {
      case "\\": {
        const next = text[this.#at + 1] ?? "";
        const escapes = /[!-/:-@[-`{-~]/.test(next);
        this.#take(escapes ? next : character, escapes ? 2 : 1);
        break;
      }
      case "`":
        this.#code();
        break;
      case "*": case "_": case "~":
        this.#emphasis(character);
        break;
      case "!": case "[":
        if (character === "[" || text[this.#at + 1] === "[") this.#openLink(character === "!");
        else this.#take(character, 1);
        break;
      case "]":
        this.#closeLink();
        break;
      case "<": case "h":
        this.#address(character);
        break;
      default:
        this.#take(character, 1);
    }
  }

  /** @param {string} text @param {number} length */
  #take(text, length) {
    this.#plain += text;
    this.#at += length;
  }

  #flush() {
    if (this.#plain) this.#items.push(this.#plain);
    this.#plain = "";
  }

  #code() {
    const length = this.#runOf("`");
    const from = this.#at + length;
    const ends = this.#ends().get(length) ?? [];
    while (ends.length && ends[ends.length - 1] < from) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) return this.#take("`".repeat(length), length);
    const inside = this.#text.slice(from, end).replaceAll("\n", " ");
    this.#flush();
    this.#items.push({ type: "code", text: inside.length > 2 && inside.startsWith(" ") && inside.endsWith(" ") ? inside.slice(1, -1) : inside });
    this.#at = end + length;
    return undefined;
  }

  /** Finds all runs of backticks once. */
  #ends() {
    if (this.#ticks) return this.#ticks;
    this.#ticks = new Map();
    for (const { 0: run, index } of [...this.#text.matchAll(/`+/g)].reverse()) {
      const places = this.#ticks.get(run.length);
      if (places) places.push(index ?? 0);
      else this.#ticks.set(run.length, [index ?? 0]);
    }
    return this.#ticks;
  }

  /** @param {string} mark */
  #runOf(mark) {
    let end = this.#at;
    while (this.#text[end] === mark) end += 1;
    return end - this.#at;
  }

  /** @param {string} mark */
  #emphasis(mark) {
    const run = this.#runOf(mark);
    const [before, after] = [this.#text[this.#at - 1] ?? " ", this.#text[this.#at + run] ?? " "];
    const [blankBefore, blankAfter] = [/\s/.test(before), /\s/.test(after)];
    const [markBefore, markAfter] = [punctuation.test(before), punctuation.test(after)];
    const left = !blankAfter && (!markAfter || blankBefore || markBefore);
    const right = !blankBefore && (!markBefore || blankAfter || markAfter);
    const inWord = mark === "_" && left && right;
    const opens = left && (!inWord || markBefore);
    const closes = right && (!inWord || markAfter);
    if (run > marksMax || (mark === "~" && run !== 2) || !(opens || closes)) return this.#take(mark.repeat(run), run);
    this.#flush();
    this.#at += run;
    const unused = closes ? this.#close(mark, run) : run;
    if (unused && opens) this.#remember(this.#marks, { mark, count: unused, index: this.#items.length });
    if (unused) this.#items.push(mark.repeat(unused));
    return undefined;
  }

  /**
   * Closes the emphases that a run of marks can close.
   * @param {string} mark @param {number} count @returns {number} The number of unused marks.
   */
  #close(mark, count) {
    while (count) {
      const place = this.#marks.map((open) => open.mark).lastIndexOf(mark);
      if (place < 0) return count;
      const open = this.#marks[place];
      const used = mark === "~" || (open.count >= 2 && count >= 2) ? 2 : 1;
      const inlines = joined(this.#items.splice(open.index + 1));
      this.#marks.length = place + 1;
      while (this.#brackets.length && this.#brackets[this.#brackets.length - 1].index > open.index) this.#brackets.pop();
      open.count -= used;
      count -= used;
      this.#items[open.index] = mark.repeat(open.count);
      if (!open.count) this.#marks.pop();
      this.#items.push({ type: mark === "~" ? "struck" : used === 2 ? "strong" : "emphasis", inlines });
    }
    return count;
  }

  /**
   * @template T
   * @param {T[]} stack @param {T} entry
   */
  #remember(stack, entry) {
    stack.push(entry);
    if (stack.length > openMax) stack.shift();
  }

  /** @param {boolean} isImage */
  #openLink(isImage) {
    this.#flush();
    this.#remember(this.#brackets, { index: this.#items.length, marks: this.#marks.length, isImage });
    this.#items.push(isImage ? "![" : "[");
    this.#at += isImage ? 2 : 1;
  }

  #closeLink() {
    const open = this.#brackets.pop();
    destination.lastIndex = this.#at + 1;
    const match = open && this.#text[this.#at + 1] === "(" ? destination.exec(this.#text) : null;
    const to = match && linkTo(match[1]);
    if (!open || !match || !to) return this.#take("]", 1);
    this.#flush();
    const [, ...inlines] = this.#items.splice(open.index);
    this.#marks = this.#marks.filter(({ index }) => index < open.index);
    // Open brackets are dropped, because links cannot be nested.
    this.#brackets = [];
    this.#items.push({ type: "link", ...to, isImage: open.isImage, inlines: joined(inlines) });
    this.#at += 1 + match[0].length;
    return undefined;
  }

  /**
   * Reads an address in angle brackets, or a bare one.
   * @param {string} character
   */
  #address(character) {
    const pattern = character === "<" ? inAngles : bare;
    pattern.lastIndex = this.#at;
    // Within open brackets an address would become a link inside a link.
    const isApart = !this.#brackets.length && (character === "<" || !/[\p{L}\p{N}_]/u.test(this.#text[this.#at - 1] ?? ""));
    const match = isApart ? pattern.exec(this.#text) : null;
    const address = match && (character === "<" ? match[1] : trimmed(match[0]));
    const to = address && linkTo(address);
    if (!match || !address || !to) return this.#take(match ? match[0] : character, match ? match[0].length : 1);
    this.#flush();
    this.#items.push({ type: "link", ...to, host: isAsWritten(address, to.host) ? "" : to.host, isImage: false, inlines: [address] });
    this.#at += character === "<" ? match[0].length : address.length;
    return undefined;
  }
}

const scheme = /^(?:https?:\/\/|mailto:)/i;

/**
 * True if the written address begins with the host that it leads to.
 * @param {string} address @param {string} host
 */
function isAsWritten(address, host) {
  const [written, real] = [address.replace(scheme, "").toLowerCase(), host.replace(scheme, "")];
  return written.startsWith(real) && ["", "/", "?", "#"].includes(written.charAt(real.length));
}

/**
 * Removes the punctuation that ends the sentence around an address.
 * @param {string} address
 */
function trimmed(address) {
  let end = address.length;
  const hasParenthesis = address.includes("(");
  while (end > 0 && /[.,:;!?*_~\])}]/.test(address[end - 1]) && !(address[end - 1] === ")" && hasParenthesis)) end -= 1;
  return address.slice(0, end);
}

/**
 * Joins neighbouring texts, so that invisible characters are found across them.
 * @param {Inline[]} items @returns {Inline[]}
 */
function joined(items) {
  /** @type {Inline[]} */
  const whole = [];
  /** @type {string[]} */
  let texts = [];
  const end = () => {
    const text = texts.join("");
    if (text) whole.push(text);
    texts = [];
  };
  for (const item of items) {
    if (typeof item === "string") texts.push(item);
    else {
      end();
      whole.push(item);
    }
  }
  end();
  return whole;
}
