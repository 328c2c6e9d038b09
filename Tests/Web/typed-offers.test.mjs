import assert from "node:assert/strict";
import { test } from "node:test";
import { commandsFitting, filesFitting, filesMax } from "../../web/typed-offers.js";

test("a slash and what follows becomes one of the agent's commands, as long as it is one word", () => {
  const offered = ["/compact", "/code-review", "/review"];
  assert.deepEqual(["/", "/re", "/REV", "/review", "/x", "/review x", "re", ""].map((text) => commandsFitting(text, offered)),
    [offered, ["/review", "/code-review"], ["/review", "/code-review"], ["/review", "/code-review"], [], [], [], []]);
});

test("a word after an at sign becomes one of the files, at the end of any text", () => {
  const files = ["src/login.ts", "src/log/index.ts", "README.md", "My notes.md"];
  assert.deepEqual(filesFitting("look at @log", files), { from: 8, paths: ["src/login.ts", "src/log/index.ts"] });
  assert.deepEqual(filesFitting("@LOGIN", files), { from: 0, paths: ["src/login.ts"] });
  assert.deepEqual(filesFitting("@", files).paths, files.slice(0, 3));
  for (const text of ["", "log", "ada@example", "@src/login.ts", "@login then"]) assert.deepEqual(filesFitting(text, files).paths, [], text);
});

test("a name that begins so comes first, and no more are offered than one can choose from", () => {
  assert.deepEqual(filesFitting("@ind", ["a/behind.js", "b/index.js"]).paths, ["b/index.js", "a/behind.js"]);
  assert.equal(filesFitting("@", Array.from({ length: filesMax + 5 }, (_, number) => `f${number}`)).paths.length, filesMax);
});
