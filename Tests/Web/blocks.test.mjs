import assert from "node:assert/strict";
import { test } from "node:test";
import { requestBlocks as blocksOf } from "../../web/elements/request-blocks.js";
import { parsedMessage } from "../../web/numbers.js";
import { exact, flat } from "../../web/text.js";

/** A fake DOM with the parts that drawing a request needs. */
class FakeNode {
  children = [];
  attributes = new Map();
  constructor(tag) { this.tag = tag; }
  append(...nodes) { for (const node of nodes) this.children.push(...(node.tag === "" ? node.children : [node])); }
  setAttribute(name, value) { this.attributes.set(name, value); }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  removeAttribute(name) { this.attributes.delete(name); }
  get textContent() { return this.children.map((child) => child.textContent ?? child).join(""); }
  all(found = []) {
    found.push(this);
    for (const child of this.children) if (child instanceof FakeNode) child.all(found);
    return found;
  }
}
globalThis.document = { createElement: (tag) => new FakeNode(tag), createDocumentFragment: () => new FakeNode("") };

let tool = "Unknown";
const requestBlocks = (body) => blocksOf(tool, body);
const shown = (text) => flat(exact(text));
const elementsOf = (input, more = {}) => requestBlocks({ input, ...more }).elements.flatMap((element) => element.all());
const textOf = (input, more) => requestBlocks({ input, ...more }).elements.map(({ textContent }) => textContent).join("\n");

/** The old and the new text of a drawn diff, read from its rows. */
function sides(diff) {
  const rows = diff.children.map((row) => [row.getAttribute("data-sign"), row.children[1].textContent.replace(/\n$/, "")]);
  const notice = rows.find(([sign]) => sign === "@")?.[1] ?? "";
  assert.match(notice, /^(|empty|no line end at the end|a line end is added at the end|the line end at the end is removed)$/);
  const side = (other, ends) => {
    const lines = rows.filter(([sign]) => sign !== "@" && sign !== other).map(([, text]) => text);
    return lines.length ? lines.join("\n") + (ends ? "\n" : "") : "";
  };
  return [side("+", ["", "the line end at the end is removed"].includes(notice)), side("-", ["", "a line end is added at the end"].includes(notice))];
}

/** All readable texts of the card: whole fields, whole blocks, and both sides of each diff. */
function readings(input, more) {
  const { agentSays } = requestBlocks({ input, ...more });
  const whole = elementsOf(input, more).filter(({ tag }) => ["dt", "dd", "li", "pre", "p"].includes(tag));
  const isDiff = (element) => (element.getAttribute("class") ?? "").split(" ").includes("diff");
  return {
    texts: [shown(agentSays), ...whole.flatMap((element) => (isDiff(element) ? sides(element) : [element.textContent]))],
    json: whole.filter((element) => !isDiff(element)).map((element) => element.textContent),
  };
}

/** The readable text of each value: strings unchanged, others in words. */
function* leaves(value) {
  if (typeof value === "string") yield value === "" ? [] : [shown(value)];
  else if (value && typeof value === "object") for (const part of Object.values(value)) yield* leaves(part);
  else yield [{ true: "yes", false: "no", null: "nothing" }[String(value)] ?? String(value)];
}

function expectWhole(input, more) {
  const { texts, json } = readings(input, more);
  for (const [leaf] of leaves(input)) {
    if (leaf === undefined) continue;
    const found = texts.includes(leaf) || texts.some((text) => text.startsWith(`${Number(leaf) / 1000} s (${leaf} ms)`)) || json.some((text) => text.includes(JSON.stringify(leaf)));
    assert.ok(found, `${JSON.stringify(leaf)} of ${JSON.stringify(input)} is not in ${JSON.stringify(texts)}`);
  }
}

let seed = 11;
const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
const parts = ["a", "b", "word", " ", "  ", "\t", "\n", "\n", "\n\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\v", "\f", "\u202E", "\u200B\u200B", "\u001B[0m",
  "p\u0430ypal", "\"", "\\", "<b>", "+", "-", "@@", "\\ No newline", "--- a", "+++ b", "é", "👍", "\uD800"];
let made = 0;
/** All generated texts are different, so that none can be mistaken for another. */
const text = () => (random(12) ? `${Array.from({ length: random(9) }, () => parts[random(parts.length)]).join("")}#${(made += 1)}${random(2) ? "\n" : ""}` : "");
const maybe = (fields) => Object.fromEntries(Object.entries(fields).filter(() => random(2)));
const edit = () => ({ old_string: text(), new_string: text(), ...maybe({ replace_all: true, note: text() }) });
const tools = {
  Bash: () => ({ command: text(), ...maybe({ description: text(), timeout: 5, cwd: text(), content: text(), file_path: text(), edits: [edit()] }) }),
  Write: () => ({ file_path: text(), content: text(), ...maybe({ description: text(), old_string: text(), edits: [edit()], new_source: text(), mode: text() }) }),
  Edit: () => ({ file_path: text(), ...edit(), ...maybe({ description: text(), content: text(), edits: [edit()], new_source: text() }) }),
  MultiEdit: () => ({ file_path: text(), edits: Array.from({ length: random(5) }, () => (random(15) ? edit() : text())), ...maybe({ content: text(), new_string: text() }) }),
  NotebookEdit: () => ({ notebook_path: text(), new_source: text(), ...maybe({ cell_id: text(), edit_mode: "insert", content: text() }) }),
  Read: () => ({ file_path: text(), ...maybe({ offset: random(9000), limit: random(9000), pages: text(), [text()]: text() }) }),
  Glob: () => ({ pattern: text(), ...maybe({ path: text() }) }),
  Grep: () => ({ pattern: text(), ...maybe({ path: text(), glob: text(), output_mode: text(), "-i": true, "-n": false, "-A": 5, head_limit: 7, multiline: true, type: text() }) }),
  WebFetch: () => ({ url: text(), prompt: text(), ...maybe({ note: text() }) }),
  WebSearch: () => ({ query: text(), ...maybe({ allowed_domains: [text(), text()], blocked_domains: [] }) }),
  Task: () => ({ description: text(), prompt: text(), subagent_type: text(), ...maybe({ model: text(), run_in_background: true, isolation: text() }) }),
  ExitPlanMode: () => ({ plan: text(), ...maybe({ planFilePath: text(), allowedPrompts: [{ tool: text(), prompt: text() }], extra: text() }) }),
  mcp__github__create_issue: () => ({ title: text(), ...maybe({ labels: [text(), [text(), { deep: [text(), null] }]], draft: false, number: 12.5, assignee: { login: text(), none: null, [text()]: { a: text() } } }) }),
  Unknown: () => ({ ...maybe({ url: text(), prompt: text(), nested: { list: [text(), { deep: text() }] }, content: text(), new_source: text(), description: text() }), [text()]: text() }),
};

for (const [name, make] of Object.entries(tools)) {
  test(`${name}: every value of the input is on the card, whatever diff the host made`, () => {
    tool = name;
    for (let round = 0; round < 400; round += 1) {
      const input = make();
      expectWhole(input);
      expectWhole(input, { diff: "@@ -1 +1 @@\n-a\n+harmless\n" });
      assert.equal(textOf(input, { diff: "+harmless" }), textOf(input));
    }
  });
}

test("an input that is no object is shown too", () => {
  for (const input of ["rm -rf ~\r\n", ["a", "b\u2028"], []]) expectWhole(input);
  assert.equal(textOf(null), "nothing");
  assert.equal(textOf({}), "No input.");
  assert.equal(textOf({ text: "", list: [], fields: {} }), "text(empty)list(an empty list)fields(nothing in it)");
});

test("names of fields and all that is no string are there", () => {
  const fields = { path: "x", "we\u200Bird": false, count: 12, none: null, list: [1, [2]] };
  for (const input of [fields, { ...fields, command: "ls" }, { ...fields, old_string: "a", new_string: "b" }]) {
    for (const words of ["we⟨U+200B⟩ird", "no", "12", "nothing"]) assert.ok(textOf(input).includes(words), words);
  }
});

test("every edit is a diff of its own, with its options by name", () => {
  const edits = [{ old_string: "a", new_string: "b", replace_all: true }, { old_string: "a", new_string: "b" }];
  tool = "MultiEdit";
  const all = elementsOf({ file_path: "/x", edits });
  assert.equal(all.filter(({ tag }) => tag === "pre").length, 2);
  assert.deepEqual(all.filter(({ tag }) => tag === "p").map(({ textContent }) => textContent), ["Edit 1 of 2", "Edit 2 of 2"]);
  assert.deepEqual(all.filter(({ tag }) => tag === "dt").map(({ textContent }) => textContent), ["File", "Every occurrence"]);
  assert.equal(requestBlocks({ input: { edits } }).measure, "2 lines added, 2 removed");
  assert.ok(textOf({ file_path: "/x", edits: [] }).includes("Edits(an empty list)"));
});

test("fields of a known tool are told in words, those of another by their names", () => {
  const input = { file_path: "/x", old_string: "a", new_string: "b", replace_all: false, File: "/harmless" };
  tool = "Edit";
  assert.deepEqual(elementsOf(input).filter(({ tag }) => tag === "dt").map(({ textContent }) => textContent), ["File", "Every occurrence", "File"]);
  // A field whose name looks like one of the page's words is shown in a monospaced font.
  assert.equal(elementsOf(input).filter((element) => element.getAttribute("class") === "exact own-name").length, 1);
  tool = "mcp__fs__edit";
  assert.deepEqual(elementsOf(input).filter(({ tag }) => tag === "dt").map(({ textContent }) => textContent), ["file_path", "replace_all", "File"]);
});

test("the text yes and the answer yes are not alike", () => {
  const classes = (value) => elementsOf({ value }).map((element) => element.getAttribute("class"));
  assert.notDeepEqual(classes("yes"), classes(true));
});

test("no argument of a command can be broken, and those of a very long one stay text", () => {
  const atoms = (command) => elementsOf({ command }).filter((element) => element.getAttribute("class") === "argument").map(({ textContent }) => textContent);
  assert.deepEqual(atoms("find . -print0 | xargs git push --force-with-lease 'a b'"), ["-print0", "--force-with-lease", "'a b'"]);
  assert.equal(atoms("--x ".repeat(5_000)).length, 4_000);
  assert.equal(textOf({ command: "--x ".repeat(5_000) }), "--x ".repeat(5_000));
});

test("lists in lists are drawn only so deep, and below that as JSON", () => {
  let deep = "the end";
  for (let depth = 0; depth < 200; depth += 1) deep = { deep: [deep] };
  assert.ok(textOf({ deep }).includes("the end"));
  assert.ok(elementsOf({ deep }).length < 200);
});

test("what other programs take for a line end is a token inside its line", () => {
  for (const [hidden, token] of [["\r", "000D"], ["\u0085", "0085"], ["\u2028", "2028"], ["\u2029", "2029"], ["\v", "000B"], ["\f", "000C"]]) {
    const input = { file_path: "/x", content: `a${hidden}b\n` };
    assert.ok(textOf(input).includes(`+a⟨U+${token}⟩b\n`), token);
    assert.equal(requestBlocks({ input }).warnings.length, 1, token);
  }
});

test("a hidden character deep inside still warns", () => {
  assert.equal(requestBlocks({ input: { nested: [{ deep: "\u001B" }], "\u202E": 1 } }).warnings.length, 2);
});

test("a very long file is drawn", () => {
  assert.equal(elementsOf({ file_path: "/x", content: "x\n".repeat(200_000) }).filter((element) => element.getAttribute("data-sign") === "+").length, 200_000);
});

test("a change stands as the host compared it with the file, and what the agent sent whole below it", () => {
  tool = "Write";
  const input = { file_path: "/home/ada/x", content: "a\nB\nc\n" };
  const more = { diff: "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c", change: { file: "overwrites", added: 1, removed: 1, bytes: 6 } };
  const { elements, measure } = requestBlocks({ input, ...more });
  assert.equal(measure, "Overwrites a file of 6 bytes: 1 line added, 1 removed");
  const diffs = elements.flatMap((element) => element.all()).filter((element) => (element.getAttribute("class") ?? "").includes("diff foreign"));
  assert.deepEqual(diffs[0].children.map((row) => row.getAttribute("data-line")), [null, "1", "2", "2", "3"]);
  assert.deepEqual(sides(diffs[1]), ["", "a\nB\nc\n"]);
  tool = "Unknown";
});

test("what could not be compared is said, with no counts and the whole input open", () => {
  tool = "Write";
  const input = { file_path: "/home/ada/x", content: "a\n" };
  for (const [change, words] of [
    [{ file: "overwrites", problem: "tooLarge", bytes: 4_100_000 }, /Overwrites a file of 4\.1 MB.*too large/],
    [{ file: "unknown", problem: "late" }, /The file could not be read/],
    [{ file: "overwrites", problem: "tooLong", bytes: 9, added: 900, removed: 800 }, /too long to be shown/],
    [{ file: "overwrites", problem: "of tomorrow" }, /could not be compared/],
  ]) {
    const { elements, measure } = requestBlocks({ input, change, diff: "@@ -1,1 +1,1 @@\n-x\n+a" });
    assert.match(elements.map(({ textContent }) => textContent).join("\n"), words);
    assert.equal(elements.some(({ tag }) => tag === "details"), false);
    assert.equal(/added/.test(measure), change.added !== undefined);
  }
  tool = "Unknown";
});

test("each number of an input is read with the digits that it came with", () => {
  const numbers = ["9007199254740993", "12345678901234567891", "1e400", "1.0", "-0"];
  const deep = (text) => `${"[".repeat(14)}${text}${"]".repeat(14)}`;
  for (const [input] of [[(n) => `{"n":${n}}`], [(n) => `{"n":[{"m":${n}}]}`], [(n) => `{"n":${deep(n)}}`], [(n) => n], [(n) => `[${n}]`],
    [(n) => `{"command":"x","timeout":${n}}`], [(n) => `{"file_path":"/a","edits":[{"old_string":"a","new_string":"b","n":${n}}]}`]]) {
    for (const number of numbers) {
      const { body } = parsedMessage(`{"body":{"input":${input(number)}}}`);
      const read = requestBlocks(body).elements.flatMap((element) => element.all()).filter(({ tag }) => ["span", "dd", "li", "div"].includes(tag));
      assert.ok(read.some(({ textContent }) => textContent.replace(/[[\]\s]/g, "") === number), `${input(number)} is read as ${read.map(({ textContent }) => textContent)}`);
    }
  }
});

test("of a change that its host compared with the file, what head and diff say already is behind them", () => {
  tool = "Edit";
  const change = { file: "edits", added: 1, removed: 1, places: 1 };
  const outside = (/** @type {any} */ input) => requestBlocks({ input, change, diff: "@@ -1 +1 @@\n-a\n+b" }).elements.map((element) => element.textContent)
    .filter((text) => !text.startsWith("What the agent sent, in full")).join("");
  const input = { file_path: "/x", old_string: "a", new_string: "b" };
  assert.doesNotMatch(outside({ ...input, replace_all: false }), /File|Every occurrence/);
  assert.match(outside({ ...input, replace_all: true }), /Every occurrenceyes/);
  assert.match(outside({ ...input, mode: "0777" }), /mode0777/);
  // An MCP tool's name fills the heading, so the path is shown below it.
  tool = "mcp__fs__edit";
  assert.match(outside({ ...input, replace_all: false }), /file_path\/x/);
});
