/**
 * Text that somebody else wrote, cut into pieces that are harmless to show.
 *
 * `exact` is for what a person is asked to allow: every character that cannot be seen, that moves others, or that pretends to be
 * another one becomes a token such as `⟨U+202E⟩`, and each word that is written from the right is a piece of its own, so that words stand in
 * the order in which they are sent. `said` is that for sentences, whose words run as their language does. `calm` is for reading along:
 * terminal colours go, emoji stay whole, and whatever else hides is a token there too. None ever drops a visible character.
 */

import { t } from "./language.js";

/** @typedef {"direction"|"invisible"|"control"|"space"|"lookalike"|"rightToLeft"} Trait Why a character is not shown as it is, or where. */
/** @typedef {{text: string, trait?: Trait}} Piece A piece without a trait is plain text. */

/** Warnings, by trait. */
const warnings = {
  direction: t`characters that change the direction of the text around them`,
  invisible: t`characters that cannot be seen`,
  control: t`control characters, as terminals obey them`,
  space: t`blanks that are not the ordinary space`,
  lookalike: t`letters of another alphabet that look like Latin ones`,
  rightToLeft: t`words written from right to left: they stand in the order in which they are sent, the first one left`,
};

/** The warning about words whose order the eye may take for another. */
export const orderWarning = warnings.rightToLeft;

/** Bidirectional controls: U+061C, the marks, embeddings, overrides and isolates. */
const direction = /^[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]$/;

/**
 * All that has no ink of its own: controls, formats, private use, separators, default ignorables, the blank Braille cell,
 * and marks stacked higher than three, which paint over the neighbouring lines. Line feed, tab and space are what they seem.
 */
const hidden = /(?![\n\t ])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{Mn}{3})\p{Mn}/gu;

/**
 * Words written from the right, and their numbers apart: in one box the one would stand on the other's far side. These are the blocks that
 * Unicode keeps for such letters, those not yet given out among them; the terminal client and the alerts go by the same.
 */
const letters = String.raw`[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]`;
const rightToLeft = new RegExp(String.raw`(?:(?!\p{N})${letters}\p{M}*)+|(?:(?=\p{N})${letters}\p{M}*)+`, "gu");

const word = /[\p{L}\p{M}\p{N}]+/gu;
const latin = /\p{Script=Latin}/u;
const foreign = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/gu;

/** Colours and other renditions of a terminal: the one family of escapes that hides nothing when it is left out. */
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
 * The text with everything that hides or pretends made visible.
 * @param {string} text
 * @returns {Piece[]}
 */
export function said(text) {
  return cut(text, [...find(hidden, text), ...lookalikes(text)]);
}

/**
 * The same for commands, paths and contents, where the order of the words is part of what is asked.
 * @param {string} text
 * @returns {Piece[]}
 */
export const exact = (text) => said(text).flatMap(apart);

/** @param {Piece} piece @returns {Piece[]} The piece with each word that is written from the right as its own. */
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
 * A terminal's text for reading: without colours, and with one kind of line end.
 * @param {string} text
 */
export const plainly = (text) => text.replace(renditions, "").replace(lineEnds, "\n");

/**
 * The text as one reads along: without terminal colours, with whole emoji, and still with nothing that hides.
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
 * One line for a title or a list: `calm`, with line ends and runs of blanks as one space.
 * @param {string} text
 * @returns {Piece[]}
 */
export const line = (text) => calm(text.replace(/\s+/g, " ").trim());

/**
 * One line about a command or a path: `line`, with its words in the order in which they are sent.
 * @param {string} text
 * @returns {Piece[]}
 */
export const ordered = (text) => line(text).flatMap(apart);

/**
 * What a person should know before trusting their eyes: a phrase for each trait that the pieces have.
 * @param {Piece[]} pieces
 * @returns {string[]}
 */
export function suspicions(pieces) {
  const found = new Set(pieces.map((piece) => piece.trait));
  return Object.entries(warnings).filter(([trait]) => found.has(/** @type {Trait} */ (trait))).map(([, phrase]) => phrase);
}

/** @param {Piece[]} pieces @returns {string} The pieces as one string, for titles, accessible names and choices of a list. */
export const flat = (pieces) => pieces.map(({ text, trait }) => (trait === "rightToLeft" ? `\u2067${text}\u2069` : text)).join("");

/**
 * @typedef {{at: number, character: string, pretends?: boolean}} Find
 * @param {RegExp} pattern @param {string} text
 * @returns {Find[]}
 */
const find = (pattern, text) => [...text.matchAll(pattern)].map((match) => ({ at: match.index ?? 0, character: match[0] }));

/** @param {string} text @returns {Find[]} Foreign letters that are in one word with Latin ones. */
function lookalikes(text) {
  // Text of ASCII alone, which is most of it, has none.
  if (!/[^\0-\u007F]/.test(text)) return [];
  return [...text.matchAll(word)].filter(([run]) => latin.test(run)).flatMap((match) =>
    [...match[0].matchAll(foreign)].map((letter) =>
      ({ at: (match.index ?? 0) + (letter.index ?? 0), character: letter[0], pretends: true })));
}

/**
 * Cuts the text at the finds; the same hidden character several times in a row is one token that says how often.
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
