/**
 * Splits foreign text into pieces that are safe to show.
 *
 * `exact` is for texts that a person decides on: every character that is invisible, reorders others, or imitates
 * another becomes a token such as `⟨U+202E⟩`, and each right-to-left word is a piece of its own, so that words stand in
 * the order in which they are sent. `said` does the same for sentences, but keeps the order of their language. `calm` is for other texts:
 * it drops terminal colours and keeps emoji whole; other invisible characters become tokens there, too. No visible character is ever dropped.
 */

import { t } from "./language.js";

/**
 * @typedef {"direction"|"invisible"|"control"|"space"|"lookalike"|"rightToLeft"} Trait The reason why a character is shown as a token, or a word in a
 * box.
 */
/** @typedef {{text: string, trait?: Trait}} Piece A piece without a trait is plain text. */

/** Warnings about invisible, imitating or reordered characters, by trait. */
const warnings = {
  direction: t`characters that change the direction of the text around them`,
  invisible: t`characters that cannot be seen`,
  control: t`control characters, as terminals obey them`,
  space: t`blanks that are not the ordinary space`,
  lookalike: t`letters of another alphabet that look like Latin ones`,
  rightToLeft: t`words written from right to left: they stand in the order in which they are sent, the first one left`,
};

/** The warning about right-to-left words, whose order on screen may mislead. */
export const orderWarning = warnings.rightToLeft;

/** Bidirectional controls: U+061C, the marks, embeddings, overrides and isolates. */
const direction = /^[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]$/;

/**
 * All characters without a glyph of their own: controls, formats, private use, separators, default ignorables, the blank Braille cell,
 * and marks stacked higher than three, which paint over neighbouring lines. Line feed, tab and space are exempt.
 */
const hidden = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{Mn}{3})\p{Mn}/gu;

/**
 * Right-to-left words, with their numbers apart, because in one box a number would appear on a word's other side. These are the blocks that
 * Unicode reserves for right-to-left letters, including unassigned ones; the terminal client and the alerts use the same ones.
 */
const letters = String.raw`[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]`;
const rightToLeft = new RegExp(String.raw`(?:(?!\p{N})${letters}\p{M}*)+|(?:(?=\p{N})${letters}\p{M}*)+`, "gu");

const word = /[\p{L}\p{M}\p{N}]+/gu;
const latin = /\p{Script=Latin}/u;
const foreign = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/gu;

/** Terminal colours and other renditions: the only escape sequences whose removal hides nothing. */
const renditions = /\u001B\[[\d;:]*m/g;
const lineEnds = /\r+\n|\r/g;
const pictograph = String.raw`\p{Extended_Pictographic}[\uFE0F\p{Emoji_Modifier}]*`;
const emoji = new RegExp(String.raw`[#*\d]\uFE0F\u20E3|${pictograph}(?:\u200D${pictograph})*`, "gu");

/** @param {string} character @returns {string} */
const codePoint = (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** @param {string} character @returns {Trait} */
function traitOf(character) {
  if (direction.test(character)) return "direction";
  if (/\p{Cc}/u.test(character)) return "control";
  if (/[\p{Zs}\u2800]/u.test(character)) return "space";
  return "invisible";
}

/**
 * Splits a text so that invisible and imitating characters become visible tokens.
 * @param {string} text
 * @returns {Piece[]}
 */
export function said(text) {
  return cut(text, [...find(hidden, text), ...lookalikes(text)]);
}

/**
 * Splits a command, path or content like `said`, and also keeps its words in the order in which they are sent.
 * @param {string} text
 * @returns {Piece[]}
 */
export const exact = (text) => said(text).flatMap(apart);

/**
 * Splits a piece so that each right-to-left word is one of its own.
 * @param {Piece} piece @returns {Piece[]}
 */
function apart(piece) {
  if (piece.trait) return [piece];
  /** @type {Piece[]} */
  const pieces = [];
  let done = 0;
  for (const match of piece.text.matchAll(rightToLeft)) {
    const at = match.index ?? 0;
    if (at > done) pieces.push({ text: piece.text.slice(done, at) });
    pieces.push({ text: match[0], trait: "rightToLeft" });
    done = at + match[0].length;
  }
  if (done < piece.text.length) pieces.push({ text: piece.text.slice(done) });
  return pieces;
}

/**
 * A terminal's text without colours, with line feeds as its only line ends.
 * @param {string} text
 */
export const plainly = (text) => text.replace(renditions, "").replace(lineEnds, "\n");

/**
 * Splits a text that nobody decides on: without terminal colours and with whole emoji, but still with tokens for invisible characters.
 * @param {string} text
 * @returns {Piece[]}
 */
export function calm(text) {
  const plain = plainly(text);
  const whole = [...plain.matchAll(emoji)].map((match) => ({ from: match.index ?? 0, to: (match.index ?? 0) + match[0].length }));
  const finds = find(hidden, plain).filter(
    ({ at, character }) => traitOf(character) !== "space" && !whole.some(({ from, to }) => at >= from && at < to));
  return cut(plain, finds);
}

/**
 * Splits a text for a title or a list: `calm`, with line ends and runs of blanks replaced by one space.
 * @param {string} text
 * @returns {Piece[]}
 */
export const line = (text) => calm(text.replace(/\s+/g, " ").trim());

/**
 * Splits a one-line command or path: `line`, with its words in the order in which they are sent.
 * @param {string} text
 * @returns {Piece[]}
 */
export const ordered = (text) => line(text).flatMap(apart);

/**
 * Warnings for a person: a phrase for each trait that occurs in the pieces.
 * @param {Piece[]} pieces
 * @returns {string[]}
 */
export function suspicions(pieces) {
  const found = new Set(pieces.map((piece) => piece.trait));
  return Object.entries(warnings).filter(([trait]) => found.has(/** @type {Trait} */ (trait))).map(([, phrase]) => phrase);
}

/**
 * Joins pieces to one string, for titles, accessible names and options of a menu.
 * @param {Piece[]} pieces @returns {string}
 */
export const flat = (pieces) => pieces.map(({ text, trait }) => (trait === "rightToLeft" ? `\u2067${text}\u2069` : text)).join("");

/**
 * @typedef {{at: number, character: string, pretends?: boolean}} Find
 * @param {RegExp} pattern @param {string} text
 * @returns {Find[]}
 */
const find = (pattern, text) => [...text.matchAll(pattern)].map((match) => ({ at: match.index ?? 0, character: match[0] }));

/**
 * Finds non-Latin letters in words that also contain Latin ones.
 * @param {string} text @returns {Find[]}
 */
function lookalikes(text) {
  // ASCII text, the common case, has no lookalike letters.
  if (!/[^\0-\u007F]/.test(text)) return [];
  return [...text.matchAll(word)].filter(([run]) => latin.test(run)).flatMap((match) =>
    [...match[0].matchAll(foreign)].map((letter) =>
      ({ at: (match.index ?? 0) + (letter.index ?? 0), character: letter[0], pretends: true })));
}

/**
 * Splits the text at the found characters; a repeated invisible character becomes one token with its count.
 * @param {string} text @param {Find[]} finds
 * @returns {Piece[]}
 */
function cut(text, finds) {
  finds.sort((a, b) => a.at - b.at);
  /** @type {Piece[]} */
  const pieces = [];
  let done = 0;
  for (let index = 0; index < finds.length; index += 1) {
    const { at, character, pretends } = finds[index];
    if (at < done) continue;
    if (at > done) pieces.push({ text: text.slice(done, at) });
    if (pretends) {
      pieces.push({ text: `${character}⟨${codePoint(character)}⟩`, trait: "lookalike" });
      done = at + character.length;
      continue;
    }
    let count = 1;
    while (finds[index + count]?.character === character && finds[index + count].at === at + count * character.length) count += 1;
    pieces.push({ text: `⟨${codePoint(character)}${count > 1 ? ` ×${count}` : ""}⟩`, trait: traitOf(character) });
    done = at + count * character.length;
  }
  if (done < text.length) pieces.push({ text: text.slice(done) });
  return pieces;
}
