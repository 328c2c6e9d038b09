import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "../../web/shell.js";
import { exact, flat } from "../../web/text.js";

const args = (text) => partsOf(text).filter(({ isArgument }) => isArgument).map((part) => part.text);

test("arguments end at blanks, and a string in quotes is one", () => {
  assert.deepEqual(args("find . -print0 | xargs -0"), ["find", ".", "-print0", "|", "xargs", "-0"]);
  assert.deepEqual(args("git commit -m 'a b' --x=\"c d\"e"), ["git", "commit", "-m", "'a b'", "--x=\"c d\"e"]);
  assert.deepEqual(args("a\\ b c"), ["a\\ b", "c"]);
});

test("a quote that is not closed on its line swallows nothing", () => {
  assert.deepEqual(args("echo don't panic\necho it's"), ["echo", "don't", "panic", "echo", "it's"]);
});

test("parts joined are the text, and each is read as it is read within the whole", () => {
  let seed = 5;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const pieces = ["a", "rm", " ", "  ", "\t", "\n", "'", "\"", "\\", "-", "$(", ")", "`", "|", "&", ";", ">", "\u202E", "\u200B", "\u0301", "\u0430", "é", "\r"];
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: random(24) }, () => pieces[random(pieces.length)]).join("");
    assert.equal(partsOf(text).map((part) => part.text).join(""), text);
    assert.equal(partsOf(text).map((part) => flat(exact(part.text))).join(""), flat(exact(text)), JSON.stringify(text));
  }
});

for (const [name, text] of Object.entries({
  quotes: "'\"".repeat(100_000), open: "$(".repeat(100_000), backticks: "`".repeat(200_000), nested: `${"bash -c \"".repeat(20_000)}`, escapes: "\"\\".repeat(100_000),
  unclosed: "' ".repeat(99_999), lines: "don't\n".repeat(50_000), substitutions: "\"$(a\" ".repeat(30_000), words: "x ".repeat(100_000),
})) {
  test(`hostile input takes a moment: ${name}`, () => {
    const start = performance.now();
    assert.equal(partsOf(text).map((part) => part.text).join(""), text);
    assert.ok(performance.now() - start < 2_000, `${performance.now() - start} ms`);
  });
}
