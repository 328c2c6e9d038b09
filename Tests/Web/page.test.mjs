import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const web = new URL("../../web/", import.meta.url);
const files = readdirSync(web, { recursive: true }).map(String).filter((file) => /\.\w+$/.test(file));
const read = (file) => readFileSync(new URL(file, web), "utf8");
const scripts = files.filter((file) => file.endsWith(".js"));

test("nothing comes from elsewhere, and nothing is inline", () => {
  for (const file of files.filter((name) => !name.endsWith(".d.ts"))) {
    const foreign = [...read(file).matchAll(/https?:\/\/[^\s"'`<)]+/g)].map(([url]) => url).filter((url) => url !== "http://www.w3.org/2000/svg");
    assert.deepEqual(foreign, [], file);
  }
  assert.doesNotMatch(read("index.html"), /<style|\sstyle=|<script(?![^>]*src=)|\son\w+=/);
});

test("what is hidden has no words: browsers without scripts and styles show it", () => {
  const hidden = [...read("index.html").matchAll(/<([\w-]+)(?=[^>]*\shidden\b)[^>]*>([^<]*)</g)].map(([, name, words]) => [name, words.trim()]);
  assert.ok(hidden.some(([name]) => name === "button") && hidden.length > 5);
  assert.deepEqual(hidden.filter(([, words]) => words !== ""), []);
});

test("no module can turn a string into markup or code", () => {
  for (const file of scripts) {
    assert.doesNotMatch(read(file), /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment/, file);
  }
});

test("no two modules export the same name: they become one script", () => {
  const seen = new Map();
  for (const file of scripts) {
    for (const [, name] of read(file).matchAll(/^export (?:async )?(?:const|let|function\*?|class) ([\w$]+)/gm)) {
      assert.equal(seen.get(name), undefined, `${name} is in ${file}, too`);
      seen.set(name, file);
    }
  }
});
