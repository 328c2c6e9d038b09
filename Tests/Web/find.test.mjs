import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsWith } from "../../web/find.js";
import { Timeline } from "../../web/timeline.js";

const message = (text) => ({ kind: "message", at: 1, head: { role: "assistant" }, body: { text } });

test("rows are found by what they say, what they ran and what that put out", () => {
  const timeline = new Timeline(1, [
    message("The login loops."), { kind: "tool.started", at: 1, head: { call: "c1", tool: "Bash", operation: "npm test" }, body: { input: { command: "npm test -- login" } } },
    { kind: "file.changed", at: 1, head: { path: "src/login.ts" }, body: { diff: "+await isValid()" } }, message("Done."),
  ]);
  const found = (text) => rowsWith(timeline.rows, text).length;
  assert.deepEqual(["login", "LOGIN loops", "isvalid", "bash", "", "nothing"].map(found), [3, 1, 1, 1, 0, 0]);
  assert.equal(found("42 passed"), 0);
  timeline.append(5, { kind: "tool.finished", at: 2, head: { call: "c1", tool: "Bash", ok: true }, body: { output: "42 passed" } });
  assert.equal(found("42 passed"), 1, "what has changed is read again");
});
