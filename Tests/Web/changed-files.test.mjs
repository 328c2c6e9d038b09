import assert from "node:assert/strict";
import { test } from "node:test";
import { ChangedFiles } from "../../web/changed-files.js";
import { Edits, editsMax } from "../../web/edits.js";

const changed = (path, body, head = {}) => ({ kind: "file.changed", at: 1, head: { path, added: 0, removed: 0, ...head }, body });
/** The diff that replaces a file's only line. */
const diff = (before, after) => `@@ -1,1 +1,${after.length} @@\n-${before}\n${after.map((line) => `+${line}`).join("\n")}`;

test("a session's files are joined each by itself, in the order of their first change", () => {
  const edits = new Edits(1, [
    changed("a", { diff: diff("1", ["2"]) }), { kind: "message", at: 1, head: {} }, changed("b", { diff: "+x", change: { file: "new" } }),
    changed("a", { diff: diff("2", ["3", "4"]) }),
  ]);
  const joins = new ChangedFiles();
  const [a, b] = joins.of(edits.all);
  assert.deepEqual([a.path, a.edits, a.parts.length, a.added, a.removed, a.isNew], ["a", 2, 1, 2, 1, false]);
  assert.deepEqual([b.path, b.edits, b.parts.length, b.added, b.removed, b.isNew], ["b", 1, 1, 1, 0, true]);
  edits.append(changed("a", { diff: diff("other", ["more"]) }));
  const [grown, same] = joins.of(edits.all);
  assert.equal(grown.parts.length, 2, "what does not fit stands behind");
  assert.equal(same, b, "the others are not joined anew");
});

test("what a host told without a diff, or by a cut one, is counted and not joined", () => {
  const [file] = new ChangedFiles().of([changed("a", undefined, { added: 3, removed: 1 }), changed("a", { diff: "@@ -1,9 +1,9 @@\n-x\n[cut]" }, { added: 9, removed: 9 })]);
  assert.deepEqual(file.parts.map(({ lines }) => lines?.length ?? null), [null, 3]);
  assert.deepEqual([file.added, file.removed], [12, 10]);
});

test("what came before joins in front, and only right before", () => {
  const changes = new Edits(10, [changed("a", { diff: diff("2", ["3"]) })]);
  assert.equal(changes.prepend(3, [changed("z")]), false);
  assert.equal(changes.prepend(9, [changed("a", { diff: diff("1", ["2"]) })]), true);
  assert.equal(changes.first, 9);
  assert.deepEqual(new ChangedFiles().of(changes.all)[0].parts[0].lines.map(({ sign, text: shown }) => sign + shown), ["-1", "+3"]);
});

test("of too many the first are let go, and what came before is not asked for again", () => {
  const changes = new Edits(2, Array.from({ length: editsMax + 1 }, (_, at) => changed(`f${at}`)));
  assert.deepEqual([changes.all.length, changes.isCut, changes.all[0].head.path], [editsMax, true, "f1"]);
  assert.equal(changes.prepend(1, [changed("f")]), false);
});
