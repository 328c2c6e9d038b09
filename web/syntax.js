/**
 * Splits code into coloured parts: comments, strings, numbers and keywords. It knows languages by family; joined,
 * the parts give the text again. Pure; the running time is linear in the text.
 */

/** @typedef {{text: string, kind: ""|"comment"|"string"|"number"|"keyword"}} Part */

/** A longer text is not coloured, because an element for each word would be slow to draw. */
const charactersMax = 20_000;

const string = String.raw`"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?`;
const number = String.raw`\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b`;
const word = String.raw`[A-Za-z_$@][\w$]*`;

/**
 * @param {string} comments @param {string} strings @param {string} keywords
 * @returns {{pattern: RegExp, keywords: Set<string>, isCaseless: boolean}}
 */
const family = (comments, strings, keywords, isCaseless = false) => ({
  pattern: new RegExp(`(?<comment>${comments})|(?<string>${strings})|(?<number>${number})|(?<word>${word})`, "g"),
  keywords: new Set(keywords.split(" ")), isCaseless,
});

const braces = family(String.raw`//[^\n]*|/\*[^]*?(?:\*/|$)`, `${string}|${"`(?:[^`\\\\]|\\\\[^])*`?"}`,
  "abstract actor as async await bool boolean break case catch char class const continue default defer delete do double dyn else enum export extends extension false final "
  + "finally float fn for foreach from func function get go guard if impl implements import in init inline int interface internal is let lock long loop map match mod mut "
  + "namespace new nil null of operator override package private protected protocol pub public readonly record return self Self set short signed sizeof some static string "
  + "struct super switch template this throw throws trait true try type typedef typeof undefined unsigned unsafe use using val var virtual void volatile when where while with yield");
const hashes = family(String.raw`#[^\n]*`, String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|${string}`,
  "and as assert async await begin break case class continue def del do done elif else elsif end ensure esac except export false False fi finally for from function global if "
  + "import in is lambda local module next nil None nonlocal not null or pass raise redo rescue return self set source super then true True try unless until when while with yield");
const dashes = family(String.raw`--[^\n]*|/\*[^]*?(?:\*/|$)`, String.raw`'(?:[^']|'')*'?|"[^"\n]*"?`,
  "add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists false foreign from full grant group "
  + "having if in index inner insert into is join key left like limit not null offset on or order outer primary references returning rollback select set table then transaction true "
  + "union unique update using values view when where with", true);
const tags = family(String.raw`<!-{2}[^]*?(?:-{2}>|$)`, string, "");
const sheets = family(String.raw`/\*[^]*?(?:\*/|$)`, string, "@media @import @supports @keyframes @font-face @layer important");

/** @type {Map<string, ReturnType<typeof family>>} */
const families = new Map([
  ["js jsx mjs cjs ts tsx mts javascript typescript java kt kotlin swift go rust rs c h cc cpp hpp c++ cs csharp php scala dart json json5 jsonc groovy zig proto objc m", braces],
  ["py python rb ruby sh bash zsh shell console fish yaml yml toml ini conf make makefile dockerfile docker perl pl r elixir ex tf hcl nix env", hashes],
  ["sql postgres postgresql mysql sqlite lua haskell hs elm", dashes],
  ["html xml svg vue xhtml", tags],
  ["css scss less", sheets],
].flatMap(([names, one]) => String(names).split(" ").map((name) => /** @type {const} */ ([name, /** @type {ReturnType<typeof family>} */ (one)]))));

/**
 * @param {string} text @param {string} language The language in a code fence, or a file name extension.
 * @returns {Part[]}
 */
export function partsOfCode(text, language) {
  const known = text.length <= charactersMax ? families.get(language.toLowerCase()) : undefined;
  if (!known) return [{ text, kind: "" }];
  /** @type {Part[]} */
  const parts = [];
  let plain = 0;
  for (const { 0: found, index = 0, groups } of text.matchAll(known.pattern)) {
    const isKeyword = groups?.word !== undefined && known.keywords.has(known.isCaseless ? found.toLowerCase() : found);
    const kind = groups?.comment !== undefined ? "comment" : groups?.string !== undefined ? "string" : groups?.number !== undefined ? "number" : isKeyword ? "keyword" : "";
    if (!kind) continue;
    if (index > plain) parts.push({ text: text.slice(plain, index), kind: "" });
    parts.push({ text: found, kind });
    plain = index + found.length;
  }
  if (plain < text.length) parts.push({ text: text.slice(plain), kind: "" });
  return parts;
}
