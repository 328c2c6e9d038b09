import assert from "node:assert/strict";
import { test } from "node:test";
import { apply, emptyState } from "../../web/store.js";

const notice = (limit, message = "the relay's words") => ({ type: "notice", code: "tooMany", message, ...(limit && { limit }) });

test("a limit of the workspace is kept until the next welcome, and other notices are not", () => {
  const state = emptyState();
  assert.ok(!apply(state, notice()).all);
  assert.ok(apply(state, notice("megabytes")).all);
  assert.deepEqual([...state.full.keys()], ["megabytes"]);
  apply(state, { type: "welcome", epoch: "e1" });
  assert.equal(state.full.size, 0);
});
