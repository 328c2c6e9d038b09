import assert from "node:assert/strict";
import { test } from "node:test";
import { fieldOf, isSaid, pathIn, requestOf, valueWords } from "../../web/tools.js";

const asked = (tool, input, folder) => {
  const { verb, object, place } = requestOf(tool, input, folder);
  return `${[verb, object].filter(Boolean).join(" ")}${place ? ` of ${place}` : ""}?`;
};

test("a verb surrounds what it touches where its language wants it to", async () => {
  const { language } = await import("../../web/language.js");
  const english = { ...language };
  Object.assign(language, { tag: "de", sentences: { "Fetch from {0}": "Von {0} holen", "Use {0}": "{0} benutzen" } });
  try {
    assert.deepEqual(requestOf("WebFetch", { url: "https://example.org/…" }), { verb: "Von", object: "example.org", after: "holen" });
    assert.deepEqual(requestOf("mcp__a__…", {}), { verb: "", object: "…", place: "a", after: "benutzen" });
  } finally {
    Object.assign(language, english);
  }
});

test("a request names what it touches", () => {
  for (const [tool, input, words] of [
    ["Bash", { command: "ls" }, "Run this command?"],
    ["Edit", { file_path: "/home/ada/shop/src/a.ts" }, "Change src/a.ts?"],
    ["Write", { file_path: "/etc/hosts" }, "Write /etc/hosts?"],
    ["MultiEdit", { file_path: "/home/ada/shop/a" }, "Change a?"],
    ["NotebookEdit", { notebook_path: "/n.ipynb", edit_mode: "insert" }, "Add a cell to /n.ipynb?"],
    ["NotebookEdit", { notebook_path: "/n.ipynb" }, "Change a cell of /n.ipynb?"],
    ["Read", { file_path: "/x" }, "Read /x?"],
    ["Grep", { pattern: "a" }, "Search in the session's folder?"],
    ["Glob", { pattern: "*", path: "/srv" }, "Look for files in /srv?"],
    ["WebFetch", { url: "https://docs.example.com@evil.example/x" }, "Fetch from evil.example?"],
    ["WebFetch", { url: "https://p\u0430ypal.example/" }, "Fetch from xn--pypal-4ve.example?"],
    ["WebFetch", { url: "no address" }, "Fetch from no address?"],
    ["WebSearch", { query: "cookies" }, "Search the web for cookies?"],
    ["Task", { subagent_type: "reviewer" }, "Start a subagent reviewer?"],
    ["ExitPlanMode", { plan: "x" }, "Go ahead with this plan?"],
    ["mcp__github__create_issue", {}, "Use create_issue of github?"],
    ["hasOwnProperty", {}, "Use hasOwnProperty?"],
    ["", null, "Use this tool?"],
  ]) assert.equal(asked(tool, input, "/home/ada/shop"), words);
});

test("a name is left out where our words are no other tool's", () => {
  for (const tool of ["ExitPlanMode", "AskUserQuestion", "mcp__github__create_issue", "mcp__my-server__a.b"]) assert.ok(isSaid(tool), tool);
  for (const tool of ["Bash", "mcp__a__b__c", "mcp__a___b", "mcp__a__b_", "mcp__a__", "mcp__a", "mcp__a__b c", "mcp__a__\u0430", "MCP__a__b", ""]) assert.ok(!isSaid(tool), tool);
});

test("only fields of known tools have our words", () => {
  assert.deepEqual(fieldOf("Edit", "file_path"), { text: "File", isOwn: false });
  assert.deepEqual(fieldOf("mcp__x__Edit", "file_path"), { text: "file_path", isOwn: true });
  assert.deepEqual(fieldOf("Edit", "constructor"), { text: "constructor", isOwn: true });
});

test("values that are no text are told in words, and a time limit in seconds too", () => {
  assert.deepEqual([true, false, null, 12.5].map((value) => valueWords("x", value)), ["yes", "no", "nothing", "12.5"]);
  assert.equal(valueWords("timeout", 120_000), "120 s (120000 ms)");
});

test("a path in the session's folder reads from there", () => {
  assert.equal(pathIn("/home/ada/shop/src/a.ts", "/home/ada/shop/"), "src/a.ts");
  for (const path of ["/home/ada/shopping/a", "/home/ada/shop/../a", "b", "/etc/hosts"]) assert.equal(pathIn(path, "/home/ada/shop"), path);
  assert.equal(pathIn("/a", undefined), "/a");
});
