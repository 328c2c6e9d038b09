import assert from "node:assert/strict";
import { test } from "node:test";
import { treeOf } from "../../web/file-tree.js";

/** A tree as lines, indented. */
const lines = ({ name, folders, files }, depth = 0) =>
  [" ".repeat(depth) + name, ...folders.flatMap((one) => lines(one, depth + 1)), ...files.map((file) => `${" ".repeat(depth + 1)}${file.name} = ${file.path}`)];

test("files stand in their folders, and a folder with nothing but a folder is one line with it", () => {
  assert.deepEqual(lines(treeOf(["src/a/x.js", "src/b/deep/y.js", "src/a/z.js", "README.md"])), [
    "", " src/", "  a/", "   x.js = src/a/x.js", "   z.js = src/a/z.js", "  b/deep/", "   y.js = src/b/deep/y.js", " README.md = README.md",
  ]);
  assert.deepEqual(lines(treeOf(["src/shop/x.js", "src/shop/y.js"])), ["src/shop/", " x.js = src/shop/x.js", " y.js = src/shop/y.js"]);
});

test("absolute paths, odd names and no files at all are taken as they are", () => {
  assert.deepEqual(lines(treeOf(["/etc/hosts", "/etc/x//y"])), ["/etc/", " x//", "  y = /etc/x//y", " hosts = /etc/hosts"]);
  assert.deepEqual(lines(treeOf(["__proto__/constructor"])), ["__proto__/", " constructor = __proto__/constructor"]);
  assert.deepEqual(lines(treeOf([])), [""]);
});
