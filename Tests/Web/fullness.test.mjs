import assert from "node:assert/strict";
import { test } from "node:test";
import { fullWords } from "../../web/fullness.js";
import { apply, emptyState } from "../../web/store.js";

const notice = (limit, message = "the relay's words") => ({ type: "notice", code: "tooMany", message, ...(limit && { limit }) });
const heard = (...entries) => new Map(entries.map(([limit, at]) => [limit, { notice: notice(limit), at }]));

test("a limit of the workspace is kept until the next welcome, and other notices are not", () => {
  const state = emptyState();
  assert.ok(!apply(state, notice()).all);
  assert.ok(apply(state, notice("megabytes")).all);
  assert.deepEqual([...state.full.keys()], ["megabytes"]);
  apply(state, { type: "welcome", epoch: "e1" });
  assert.equal(state.full.size, 0);
});

test("each limit has its sentence, for as long as the relay speaks of it", () => {
  const minute = 60_000;
  for (const limit of ["sessions", "megabytes", "pushesPerDay", "connections"]) {
    assert.match(fullWords(heard([limit, 0]), 10 * minute), /^The relay /);
    assert.equal(fullWords(heard([limit, 0]), 12 * minute), "");
  }
  assert.equal(fullWords(heard(["sessions", 0], ["connections", 9 * minute]), 12 * minute).match(/The relay/g).length, 1);
  assert.equal(fullWords(heard(["ofALaterVersion", 0]), 0), "the relay's words");
  assert.equal(fullWords(new Map(), 0), "");
});
