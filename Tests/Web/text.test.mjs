import assert from "node:assert/strict";
import { test } from "node:test";
import { calm, exact, flat, line, ordered, said, suspicions } from "../../web/text.js";

const shown = (text) => exact(text).map((piece) => piece.text).join("");
const read = (text) => flat(calm(text));

test("plain text is one piece, with its line ends and tabs", () => {
  assert.deepEqual(exact("cd /tmp\n\tls -la\n"), [{ text: "cd /tmp\n\tls -la\n" }]);
  assert.deepEqual(exact(""), []);
});

test("a right-to-left override becomes a token that names it", () => {
  assert.deepEqual(exact("rm \u202Egpj.exe"), [{ text: "rm " }, { text: "⟨U+202E⟩", trait: "direction" }, { text: "gpj.exe" }]);
});

test("every bidirectional control is a token", () => {
  for (const control of "\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069") {
    assert.equal(exact(`a${control}b`)[1].trait, "direction", control.codePointAt(0).toString(16));
  }
});

test("what has no ink is a token: zero widths, joiners, tags, fillers, variation selectors, soft hyphens, private use", () => {
  for (const hidden of ["\u200B", "\u200C", "\u200D", "\u2060", "\uFEFF", "\u00AD", "\u034F", "\u115F", "\u3164", "\uFFA0", "\uFE0F", "\u180E",
    "\u{E0001}", "\u{E0041}", "\u{E0100}", "\u{1D173}", "\uE000", "\u2028", "\u2029", "\u206A"]) {
    assert.equal(exact(`a${hidden}b`).length, 3, hidden.codePointAt(0).toString(16));
    assert.match(shown(`a${hidden}b`), /^a⟨U\+[0-9A-F]{4,6}⟩b$/);
  }
});

test("control characters are tokens, escapes among them, and what follows an escape stays visible", () => {
  assert.equal(shown("\u001B[31mred\u001B[0m"), "⟨U+001B⟩[31mred⟨U+001B⟩[0m");
  assert.equal(shown("a\rb\u0000c\u0007\u007F\u009B"), "a⟨U+000D⟩b⟨U+0000⟩c⟨U+0007⟩⟨U+007F⟩⟨U+009B⟩");
});

test("blanks that are not the space are tokens where it counts, and blanks where one reads along", () => {
  assert.equal(shown("rm\u00A0-rf\u3000/\u2800"), "rm⟨U+00A0⟩-rf⟨U+3000⟩/⟨U+2800⟩");
  assert.equal(read("12\u00A0km"), "12\u00A0km");
});

test("the same hidden character in a row is one token that counts", () => {
  assert.equal(shown(`a${"\u200B".repeat(500)}b`), "a⟨U+200B ×500⟩b");
  assert.equal(shown("\u{E0041}\u{E0041}\u{E0042}"), "⟨U+E0041 ×2⟩⟨U+E0042⟩");
});

test("a Cyrillic letter in a Latin word is marked, a Russian word is not", () => {
  assert.equal(shown("https://p\u0430ypal.example"), "https://p\u0430⟨U+0430⟩ypal.example");
  assert.deepEqual(exact("git commit -m 'Привет мир'"), [{ text: "git commit -m 'Привет мир'" }]);
});

test("marks stacked over a letter beyond the third are tokens", () => {
  assert.equal(shown(`a${"\u0301".repeat(5)}`), `a${"\u0301".repeat(3)}⟨U+0301 ×2⟩`);
});

test("words written from the right are pieces of their own where their order counts, and are told of", () => {
  const words = (pieces) => pieces.filter(({ trait }) => trait === "rightToLeft").map(({ text }) => text);
  assert.deepEqual(words(exact("rm -rf /home/אבג/דהו")), ["אבג", "דהו"]);
  assert.deepEqual(words(exact("ls 'سنة ١٤٠٣' שָׁלוֹם12")), ["سنة", "١٤٠٣", "שָׁלוֹם"], "marks stay with their letters, numbers stand for themselves");
  assert.deepEqual(words(ordered("Write\n/home/דוד/שלום.txt")), ["דוד", "שלום"]);
  assert.match(suspicions(exact("/home/אבג"))[0], /in the order in which they are sent/);
  assert.deepEqual(said("שלום עולם"), [{ text: "שלום עולם" }], "a sentence reads as its language does");
  assert.deepEqual(line("שלום עולם"), [{ text: "שלום עולם" }]);
  assert.equal(flat(exact("a/אב/גד")), "a/\u2067אב\u2069/\u2067גד\u2069", "also where there are no elements");
  assert.deepEqual(words(exact("Ünïcode 日本語 привет 12 ابج\u202E")), ["ابج"]);
});

test("nothing visible is ever dropped", () => {
  const visible = "<script>alert(1)</script> & 日本語 עברית 👍 é";
  assert.equal(shown(visible), visible);
  assert.equal(read(visible), visible);
});

test("reading along drops terminal colours, keeps emoji whole, and marks what else hides", () => {
  assert.equal(read("\u001B[1;31mFAIL\u001B[0m done"), "FAIL done");
  assert.equal(read("👩‍👩‍👧 ❤️ 1️⃣"), "👩‍👩‍👧 ❤️ 1️⃣");
  assert.equal(read("a\u202Eb\u200Bc"), "a⟨U+202E⟩b⟨U+200B⟩c");
  assert.equal(read("10 %\r20 %\r\ndone"), "10 %\n20 %\ndone");
  assert.equal(read("\u001B]8;;http://evil\u0007click\u001B]8;;\u0007"), "⟨U+001B⟩]8;;http://evil⟨U+0007⟩click⟨U+001B⟩]8;;⟨U+0007⟩");
});

test("a line has no line ends", () => {
  assert.equal(flat(line("  a\n\n b\tc ")), "a b c");
});

test("suspicions name each trait once", () => {
  assert.deepEqual(suspicions(exact("ls -la")), []);
  assert.equal(suspicions(exact("\u202E\u200B\u200B\u001B")).length, 3);
});

test("a long text is cut in a moment", () => {
  const start = performance.now();
  exact("echo \u200B hello w\u043Erld\n".repeat(20_000));
  assert.ok(performance.now() - start < 2_000);
});
