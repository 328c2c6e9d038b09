import assert from "node:assert/strict";
import { test } from "node:test";
import { requestBlocks } from "../../web/elements/blocks.js";
import { exact, flat } from "../../web/text.js";

/** As much of a document as drawing a request needs. */
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

const shown = (text) => flat(exact(text));
const elementsOf = (input, more = {}) => requestBlocks({ input, ...more }).elements.flatMap((element) => element.all());
const textOf = (input, more) => requestBlocks({ input, ...more }).elements.map(({ textContent }) => textContent).join("\n");

/** The two texts that a drawn diff stands for, read back from its rows alone. */
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

/** Everything a person can read on the card: whole fields, whole blocks, and both sides of each diff. */
function readings(input, more) {
  const { agentSays } = requestBlocks({ input, ...more });
  const whole = elementsOf(input, more).filter(({ tag }) => ["dt", "dd", "pre", "p"].includes(tag));
  const isDiff = (element) => (element.getAttribute("class") ?? "").split(" ").includes("diff");
  return {
    texts: [shown(agentSays), ...whole.flatMap((element) => (isDiff(element) ? sides(element) : [element.textContent]))],
    json: whole.filter((element) => !isDiff(element)).map((element) => element.textContent),
  };
}

function* leaves(value) {
  if (typeof value === "string") yield value;
  else if (value && typeof value === "object") for (const part of Object.values(value)) yield* leaves(part);
}

function expectWhole(input, more) {
  const { texts, json } = readings(input, more);
  for (const leaf of leaves(input)) {
    const found = texts.includes(shown(leaf)) || json.some((text) => text.includes(shown(JSON.stringify(leaf))));
    assert.ok(found, `${JSON.stringify(leaf)} of ${JSON.stringify(input)} is not in ${JSON.stringify(texts)}`);
  }
}

let seed = 11;
const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
const parts = ["a", "b", "word", " ", "  ", "\t", "\n", "\n", "\n\n", "\r", "\r\n", "\u0085", "\u2028", "\u2029", "\v", "\f", "\u202E", "\u200B\u200B", "\u001B[0m",
  "p\u0430ypal", "\"", "\\", "<b>", "+", "-", "@@", "\\ No newline", "--- a", "+++ b", "é", "👍", "\uD800"];
let made = 0;
/** No two are alike, so that one cannot be taken for another. */
const text = () => (random(12) ? `${Array.from({ length: random(9) }, () => parts[random(parts.length)]).join("")}#${(made += 1)}${random(2) ? "\n" : ""}` : "");
const maybe = (fields) => Object.fromEntries(Object.entries(fields).filter(() => random(2)));
const edit = () => ({ old_string: text(), new_string: text(), ...maybe({ replace_all: true, note: text() }) });
const tools = {
  Bash: () => ({ command: text(), ...maybe({ description: text(), timeout: 5, cwd: text(), content: text(), file_path: text(), edits: [edit()] }) }),
  Write: () => ({ file_path: text(), content: text(), ...maybe({ description: text(), old_string: text(), edits: [edit()], new_source: text(), mode: text() }) }),
  Edit: () => ({ file_path: text(), ...edit(), ...maybe({ description: text(), content: text(), edits: [edit()], new_source: text() }) }),
  MultiEdit: () => ({ file_path: text(), edits: Array.from({ length: random(5) }, () => (random(15) ? edit() : text())), ...maybe({ content: text(), new_string: text() }) }),
  NotebookEdit: () => ({ notebook_path: text(), new_source: text(), ...maybe({ cell_id: text(), edit_mode: "insert", content: text() }) }),
  Unknown: () => ({ ...maybe({ url: text(), prompt: text(), nested: { list: [text(), { deep: text() }] }, content: text(), new_source: text(), description: text() }), [text()]: text() }),
};

for (const [tool, make] of Object.entries(tools)) {
  test(`${tool}: every string of the input is on the card, whatever diff the host made`, () => {
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
  assert.equal(textOf(null), "null");
});

test("names of fields and all that is no string are there", () => {
  const fields = { path: "x", "we\u200Bird": false, count: 12, none: null, list: [1, [2]] };
  for (const input of [fields, { ...fields, command: "ls" }, { ...fields, old_string: "a", new_string: "b" }]) {
    for (const words of ["we⟨U+200B⟩ird", "false", "12", "null"]) assert.ok(textOf(input).includes(words), words);
  }
});

test("every edit is a diff of its own, with its options by name", () => {
  const edits = [{ old_string: "a", new_string: "b", replace_all: true }, { old_string: "a", new_string: "b" }];
  const all = elementsOf({ file_path: "/x", edits });
  assert.equal(all.filter(({ tag }) => tag === "pre").length, 2);
  assert.deepEqual(all.filter(({ tag }) => tag === "p").map(({ textContent }) => textContent), ["Edit 1 of 2", "Edit 2 of 2"]);
  assert.deepEqual(all.filter(({ tag }) => tag === "dt").map(({ textContent }) => textContent), ["file_path", "replace_all"]);
  assert.equal(requestBlocks({ input: { edits } }).measure, "2 lines added, 2 removed");
  assert.ok(textOf({ file_path: "/x", edits: [] }).includes("edits"));
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
