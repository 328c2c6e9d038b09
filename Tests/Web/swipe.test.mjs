import assert from "node:assert/strict";
import { test } from "node:test";
import { Swipe } from "../../web/swipe.js";

/** Moves a finger along the points. Returns the last distance and the kind of the end. */
function along(...points) {
  const swipe = new Swipe();
  swipe.begin(200, 100);
  const ways = points.map(([x, y]) => swipe.move(x, y));
  return [ways.at(-1), swipe.end()];
}

test("a finger that goes far enough to the left means it", () => assert.deepEqual(along([180, 101], [130, 104]), [70, "meant"]));
test("one that trembles is a tap", () => assert.deepEqual(along([195, 103]), [null, "none"]));
test("one that goes back, or not far, means nothing", () => {
  assert.deepEqual(along([140, 100], [190, 100]), [10, "short"]);
  assert.deepEqual(along([170, 100]), [30, "short"]);
});
test("one that scrolls goes on scrolling", () => assert.deepEqual(along([198, 130], [60, 130]), [null, "none"]));
test("one to the right moves nothing", () => assert.deepEqual(along([280, 100]), [0, "short"]));
test("what was called off, or never begun, is none", () => {
  const swipe = new Swipe();
  assert.deepEqual([swipe.move(0, 0), swipe.end()], [null, "none"]);
  swipe.begin(200, 100);
  swipe.move(100, 100);
  swipe.cancel();
  assert.equal(swipe.end(), "none");
});
