import assert from "node:assert/strict";
import { test } from "node:test";
import { contentWords, missingWords } from "../../web/sealing-words.js";

const summary = (name, steering, id = name) => ({ host: { id, name }, ...(steering ? { steering } : {}) });

test("of each host it is said who can read what its agents say", () => {
  const summaries = [summary("server"), summary("laptop", { seals: true, consent: "a" }), summary("laptop"), summary("desk", { seals: true, consent: "b" }), summary("open", { consent: "c" })];
  assert.deepEqual(contentWords(summaries, (host) => host === "a"), [
    "desk: sealed, and not for this browser", "laptop: sealed, the relay cannot read it", "open: the relay can read it", "server: the relay can read it",
  ]);
  assert.deepEqual(contentWords([], () => true), []);
});

test("a host in the open under the name of one that seals, or one session of it, is seen", () => {
  const sealed = summary("laptop", { seals: true, consent: "a" });
  assert.deepEqual(contentWords([sealed, summary("laptop", { consent: "b" }, "another")], () => true), ["laptop: sealed, the relay cannot read it", "laptop: the relay can read it"]);
  for (const summaries of [[sealed, summary("laptop", {})], [summary("laptop", {}), sealed]]) assert.deepEqual(contentWords(summaries, () => true), ["laptop: the relay can read it"]);
});

test("what is missing is counted in words", () => {
  assert.match(missingWords(1), /^1 event is missing here/);
  assert.match(missingWords(3), /^3 events are missing here/);
});
