import assert from "node:assert/strict";
import { test } from "node:test";

import { namedIn, picturesMax } from "../../web/picture-names.js";
import { attempts, fitted, sideMax } from "../../web/pictures.js";

test("a picture is drawn in its own proportions, and never larger than it is", () => {
  assert.deepEqual(fitted(4000, 3000), { width: sideMax, height: 1176 });
  assert.deepEqual(fitted(300, 200), { width: 300, height: 200 });
  assert.deepEqual(fitted(100_000, 1), { width: sideMax, height: 1 });
});

test("a screen stays sharp where that fits; a photo is never written as a PNG", () => {
  assert.equal(attempts("image/png")[0].type, "image/png");
  assert.ok(attempts("image/jpeg").every(({ type }) => type === "image/jpeg"));
  const sides = attempts("image/webp").map(({ side }) => side);
  assert.deepEqual(sides, [...sides].sort((a, b) => b - a));
});

test("of what an event names only digests are believed, and no more than a prompt has", () => {
  const digest = "ab".repeat(32);
  assert.deepEqual(namedIn(undefined), []);
  assert.deepEqual(namedIn([{ digest: "../x" }, null, { digest }]), [{ digest }]);
  assert.equal(namedIn(Array(9).fill({ digest })).length, picturesMax);
});
