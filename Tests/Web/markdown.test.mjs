import assert from "node:assert/strict";
import { test } from "node:test";
import { charactersMax, markdown } from "../../web/markdown.js";

/** A compact notation of the parsed tree. */
const told = (blocks) => blocks.map(block).join(" ");
const block = (one) => {
  switch (one.type) {
    case "paragraph": return `p(${inlines(one.inlines)})`;
    case "heading": return `h${one.level}(${inlines(one.inlines)})`;
    case "code": return `code:${one.language}(${one.text})`;
    case "quote": return `quote(${told(one.blocks)})`;
    case "list": return `${one.first === null ? "ul" : `ol${one.first}`}(${one.items.map((item) => `${item.isDone === null ? "" : item.isDone ? "[x]" : "[ ]"}${told(item.blocks)}`).join("; ")})`;
    case "table": return `table(${one.head.map(inlines).join("|")}${one.rows.map((row) => ` / ${row.map(inlines).join("|")}`).join("")})`;
    default: return "rule";
  }
};
const inlines = (items) => items.map((item) => typeof item === "string" ? item : item.type === "code" ? `‹${item.text}›`
  : item.type === "link" ? `${item.isImage ? "!" : ""}[${inlines(item.inlines)}→${item.host}${item.host && item.rest}]`
    : { strong: "**", emphasis: "*", struck: "~~" }[item.type].concat(inlines(item.inlines), { strong: "**", emphasis: "*", struck: "~~" }[item.type])).join("");
const read = (text) => told(markdown(text));

test("blocks", () => {
  assert.equal(read("# One\n\ntext\nmore\n\n## Two ##\n---\nend"), "h1(One) p(text\nmore) h2(Two) rule p(end)");
  assert.equal(read("```ts\nlet a = 1\n  # b\n```\nx"), "code:ts(let a = 1\n  # b) p(x)");
  assert.equal(read("~~~\nopen to the end"), "code:(open to the end)");
  assert.equal(read("> a\n> > b\n\nc"), "quote(p(a) quote(p(b))) p(c)");
  assert.equal(read("#no heading\n#"), "p(#no heading) h1()");
});

test("lists, tasks and what stands in them", () => {
  assert.equal(read("- a\n- b\n  more\n- [x] c\n- [ ] d"), "ul(p(a); p(b\nmore); [x]p(c); [ ]p(d))");
  assert.equal(read("1. a\n   - x\n   - y\n2. b\n\n   text\n\nend"), "ol1(p(a) ul(p(x); p(y)); p(b) p(text)) p(end)");
  assert.equal(read("1. a\n  - x\n2. b"), "ol1(p(a) ul(p(x)); p(b))");
  assert.equal(read("7) a\n8) b"), "ol7(p(a); p(b))");
  assert.equal(read("- a\n\n- b\ntext"), "ul(p(a); p(b\ntext))");
  assert.equal(read("- a\n\ntext"), "ul(p(a)) p(text)");
  assert.equal(read("- ```\n  code\n  ```\n* other"), "ul(code:(code)) ul(p(other))");
  assert.equal(read("words\n- a"), "p(words) ul(p(a))");
});

test("tables", () => {
  assert.equal(read("| a | b |\n|:--|--:|\n| 1 | `x\\|y` |\n| 2 |\n\nend"), "table(a|b / 1|‹x|y› / 2) p(end)");
  assert.equal(read("a | b\n--|--\n1 | 2"), "table(a|b / 1|2)");
  assert.equal(read("a | b\nno table"), "p(a | b\nno table)");
});

test("emphasis, code and what only looks like it", () => {
  assert.equal(read("**a** *b* __c__ _d_ ~~e~~ ***f***"), "p(**a** *b* **c** *d* ~~e~~ ***f***)".replace("***f***", "***f***"));
  assert.equal(read("**a *b* c**"), "p(**a *b* c**)");
  assert.equal(markdown("**a *b* c**")[0].inlines[0].inlines[1].type, "emphasis");
  for (const plain of ["snake_case_name", "2 * 3 * 4", "a ~ b ~~ c", "__init__.py".slice(2), "****bold****", "a**", "<b>bold</b> <script>", "&amp; &lt;"]) {
    assert.deepEqual(markdown(plain), [{ type: "paragraph", inlines: [plain] }], plain);
  }
  assert.equal(read("`a*b*` ``x ` y`` ` open"), "p(‹a*b*› ‹x ` y› ` open)");
  assert.equal(read("\\*a\\* \\n \\`"), "p(*a* \\n `)");
});

test("links are shown with whom they lead to", () => {
  assert.equal(read("[docs](https://docs.example.com/a?b=1) end"), "p([docs→docs.example.com/a?b=1] end)");
  assert.equal(read("[a **b**](https://x.example \"title\")"), "p([a **b**→x.example])");
  assert.equal(read("[mail](mailto:ada@x.example)"), "p([mail→ada@x.example])");
  assert.equal(read("see https://x.example/a_(b). And <https://y.example>"), "p(see [https://x.example/a_(b)→]. And [https://y.example→])");
  assert.equal(read("![logo](https://x.example/l.png)"), "p(![logo→x.example/l.png])");
  assert.equal(read("[https://bank.example](https://evil.example/)"), "p([https://bank.example→evil.example])");
  assert.equal(read("[x](http://plain.example/)"), "p([x→http://plain.example])");
  // A host with percent escapes is shown decoded, because a browser decodes it.
  assert.equal(read("https://%65vil.example/"), "p([https://%65vil.example/→evil.example])");
});

test("what is not to be followed stays text", () => {
  for (const text of ["[a](javascript:alert(1))", "[a](data:text/html,x)", "[a](src/login.ts)", "[a](//x.example)", "[a](file:///etc/passwd)", "[a](https://bank.example@evil.example/)",
    "https://bank.example@evil.example/", "[a](https://p\u0430ypal.example/)", "[a](https://x.example/\u202Egpj)", "[a](HTTPS:x)", "[a](vbscript:x)", "[a] (https:x)", "[a]", "[]()", "![x](javascript:a)"]) {
    assert.deepEqual(markdown(text), [{ type: "paragraph", inlines: [text] }], text);
  }
});

test("no link stands in a link", () => {
  for (const text of ["[a [b](https://x.example) c](https://y.example)", "[a https://x.example b](https://y.example)", "[*a <https://x.example>*](https://y.example)"]) {
    assert.doesNotMatch(read(text), /\[[^\]]*\[[^\]]*→[^\]]*\][^\]]*→/, text);
  }
});

/** All texts of a tree in order. */
function* texts(value) {
  if (typeof value === "string") yield value;
  else if (Array.isArray(value)) for (const part of value) yield* texts(part);
  else if (value && typeof value === "object") {
    if (value.type === "link") yield* texts(value.inlines);
    else for (const [name, part] of Object.entries(value)) if (name !== "type" && name !== "first") yield* texts(part);
  }
}
const depthOf = (value) => (typeof value === "object" && value ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0);

test("no letter is ever lost, whatever the marks around it", () => {
  let seed = 3;
  const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
  const pieces = ["*", "**", "_", "~~", "`", "``", "```\n", "[", "](", ")", "![", "<", ">", "> ", "- ", "1. ", "# ", "|", "|-|\n", "\n", "\n\n", "  ", "\\", "https://x.example", "[x] ", "---\n", "\u202E", "\t"];
  for (let round = 0; round < 4000; round += 1) {
    let word = 0;
    const text = Array.from({ length: random(30) }, () => (random(3) ? pieces[random(pieces.length)] : `w${(word += 1)}w`)).join("");
    const shown = [...texts(markdown(text))].join(" ");
    for (let at = 1; at <= word; at += 1) {
      // The target address of a link is shown beside its words.
      assert.ok(shown.includes(`w${at}w`) || new RegExp(`https://x.example[^ ]*w${at}w`).test(text), `w${at}w of ${JSON.stringify(text)} is not in ${JSON.stringify(shown)}`);
    }
    assert.equal([...shown].filter((letter) => letter === "\u202E").length, [...text].filter((letter) => letter === "\u202E").length, JSON.stringify(text));
  }
});

for (const [name, piece] of Object.entries({
  stars: "*a ", runs: "*a**b", underscores: "_a_ ", brackets: "[", links: "[a](", targets: "](a", ticks: "`", lengths: "` `` ``` ", quotes: "> ", items: "- ", numbers: "1. ",
  bars: "|", table: "a|b\n-|-\n", rules: "-", fences: "```\n", hashes: "# ", addresses: "https://", parens: "https://x.example/)))", angles: "<https:", escapes: "\\", blanks: " ", lines: "\n",
  tails: "x *", images: "![", deep: "  - a\n", mixed: "**a [b `c` ~~d ", closers: "a* ", bangs: "!",
})) {
  test(`hostile text takes a moment and nests little: ${name}`, () => {
    const text = piece.repeat(Math.floor(charactersMax / piece.length));
    const start = performance.now();
    const tree = markdown(text);
    assert.ok(performance.now() - start < 1_000, `${performance.now() - start} ms`);
    assert.ok(depthOf(tree) < 160, `${depthOf(tree)} deep`);
  });
}

test("a longer text is plain", () => {
  const text = "**a** ".repeat(charactersMax);
  assert.deepEqual(markdown(text), [{ type: "paragraph", inlines: [text] }]);
});
