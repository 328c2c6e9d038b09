import assert from "node:assert/strict";
import { test } from "node:test";
import { buzz } from "../../web/haptics.js";

/** A device, and what it was told. */
function device({ calm = false, vibrates = true } = {}) {
  const felt = [];
  globalThis.matchMedia = () => ({ matches: calm });
  Object.defineProperty(globalThis, "navigator", { configurable: true, value: vibrates ? { vibrate: (pattern) => felt.push(pattern) } : {} });
  return felt;
}

test("each deed is felt, shortly, and a denial is told from an allow", () => {
  const felt = device();
  for (const deed of ["allow", "deny", "snooze"]) buzz(deed);
  assert.equal(felt.length, 3);
  for (const pattern of felt) assert.ok(pattern.reduce((sum, part) => sum + part) <= 100, String(pattern));
  assert.notDeepEqual(felt[0], felt[1]);
});

test("with reduced motion, and where nothing vibrates, nothing happens", () => {
  const felt = device({ calm: true });
  buzz("allow");
  assert.deepEqual(felt, []);
  device({ vibrates: false });
  buzz("allow");
});
