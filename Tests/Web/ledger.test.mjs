import assert from "node:assert/strict";
import { test } from "node:test";
import { Ledger } from "../../web/ledger.js";

const sealed = (seq, number, epoch = 1) => ({ seq, number, epoch });
const plain = (seq) => ({ seq, isPlain: true });
const read = (ledger, first, last, found, plainMax) => {
  const { doubts, missing, missingAfter } = ledger.take(first, last, found, plainMax);
  return { ...(doubts.size && { doubts: Object.fromEntries(doubts) }), ...(missing.size && { missing: Object.fromEntries(missing) }), ...(missingAfter && { missingAfter }) };
};

test("a whole log has no hole, and the relay's own events between have no number", () => {
  const ledger = new Ledger();
  assert.deepEqual(read(ledger, 1, 4, [sealed(1, 1), sealed(2, 2), sealed(4, 3)]), {});
  assert.deepEqual(read(ledger, 5, 6, [sealed(6, 4)]), {});
});

test("what is missing is counted before the next one, from the beginning on if that was seen", () => {
  const ledger = new Ledger();
  assert.deepEqual(read(ledger, 1, 2, [sealed(1, 3), sealed(2, 4)]), { missing: { 1: 2 } });
  assert.deepEqual(read(ledger, 3, 3, [sealed(3, 9)]), { missing: { 3: 4 } });
  // Repeated events after a new subscription give the same result.
  assert.deepEqual(read(ledger, 1, 3, [sealed(1, 3), sealed(2, 4), sealed(3, 9)]), { missing: { 1: 2, 3: 4 } });
});

test("of what was not seen nothing is said", () => {
  const ledger = new Ledger();
  assert.deepEqual(read(ledger, 50, 51, [sealed(50, 40), sealed(51, 41)]), {});
  assert.deepEqual(read(ledger, 60, 60, [sealed(60, 49)]), {}, "a stretch apart");
  assert.deepEqual(read(ledger, 30, 40, [sealed(30, 20), sealed(40, 30)]), { missing: { 40: 9 } });
});

test("an event that came too early, and has one of the relay's own in its place, is missing", () => {
  const ledger = new Ledger();
  read(ledger, 1, 1, [sealed(1, 1)]);
  read(ledger, 2, 3, [sealed(2, 2), sealed(3, 3)]);
  assert.deepEqual(read(ledger, 2, 4, [sealed(2, 2), sealed(4, 4)]), { missing: { 4: 1 } });
});

test("a page before what is known shows what is missing between the two", () => {
  const ledger = new Ledger();
  read(ledger, 50, 51, [sealed(50, 40), sealed(51, 41)]);
  assert.deepEqual(read(ledger, 48, 49, [sealed(48, 37), sealed(49, 38)]), { missingAfter: 1 });
  assert.deepEqual(read(ledger, 46, 47, [sealed(46, 35), sealed(47, 36)]), {});
  assert.deepEqual(read(ledger, 44, 45, []), {}, "only the relay's own");
  assert.deepEqual(read(ledger, 43, 43, [sealed(43, 30)]), { missingAfter: 4 });
});

test("a number that is not higher than all before is not shown", () => {
  const ledger = new Ledger();
  assert.deepEqual(read(ledger, 1, 4, [sealed(1, 1), sealed(2, 2), sealed(3, 2), sealed(4, 1)]), { doubts: { 3: "repeated", 4: "repeated" } });
  assert.deepEqual(read(ledger, 5, 6, [sealed(5, 4), sealed(6, 3)]), { doubts: { 6: "repeated" }, missing: { 5: 1 } }, "two in another order");
});

test("nor is one in a page of older events that belongs behind them, nor another in the place of a known one", () => {
  const ledger = new Ledger();
  read(ledger, 50, 51, [sealed(50, 40), sealed(51, 41)]);
  assert.deepEqual(read(ledger, 48, 49, [sealed(48, 41), sealed(49, 39)]), { doubts: { 48: "repeated" } });
  assert.deepEqual(read(ledger, 50, 51, [sealed(50, 40), sealed(51, 42)]), { doubts: { 51: "repeated" } });
});

test("an epoch never falls in a session", () => {
  const ledger = new Ledger();
  assert.deepEqual(read(ledger, 1, 3, [sealed(1, 1, 1), sealed(2, 2, 2), sealed(3, 3, 1)]), { doubts: { 3: "oldKey" } });
  assert.deepEqual(read(ledger, 4, 4, [sealed(4, 3, 2)]), {});
  const later = new Ledger();
  read(later, 10, 10, [sealed(10, 10, 1)]);
  assert.deepEqual(read(later, 9, 9, [sealed(9, 9, 2)]), { doubts: { 9: "repeated" } });
});

test("what did not open took a number", () => {
  const ledger = new Ledger();
  assert.deepEqual(read(ledger, 1, 3, [sealed(1, 1), { seq: 2, counts: 1 }, sealed(3, 3)]), {});
  // The same events, opened with a key that arrived later.
  assert.deepEqual(read(ledger, 1, 3, [sealed(1, 1), sealed(2, 2), sealed(3, 3)]), {});
});

test("what the relay says that it skipped counts only if it is the hole", () => {
  const skip = (seq, skips) => ({ seq, skips });
  assert.deepEqual(read(new Ledger(), 1, 3, [sealed(1, 1), skip(2, 7), sealed(3, 9)]), {});
  assert.deepEqual(read(new Ledger(), 1, 4, [sealed(1, 1), skip(2, 3), skip(3, 4), sealed(4, 9)]), {});
  assert.deepEqual(read(new Ledger(), 1, 3, [sealed(1, 1), skip(2, 6), sealed(3, 9)]), { missing: { 3: 7 } });
  assert.deepEqual(read(new Ledger(), 1, 3, [sealed(1, 1), skip(2, 1_000_000), sealed(3, 9)]), { missing: { 3: 7 } });
});

test("what is not sealed is from before the first that is, and there is no more of it than the host says", () => {
  const ledger = new Ledger();
  assert.deepEqual(read(ledger, 1, 4, [plain(1), plain(2), sealed(3, 3), plain(4)], 2), { doubts: { 4: "unsealed" } });
  assert.deepEqual(read(ledger, 1, 4, [plain(1), plain(2), sealed(3, 3), plain(4)], 2), { doubts: { 4: "unsealed" } }, "the same again");
  assert.deepEqual(read(new Ledger(), 1, 3, [plain(1), plain(2), sealed(3, 2)], 2), { doubts: { 1: "unsealed" } });
  assert.deepEqual(read(new Ledger(), 1, 2, [plain(1), sealed(2, 1)], 5), { doubts: { 1: "unsealed" } });
  assert.deepEqual(read(new Ledger(), 1, 2, [plain(1), sealed(2, 3)], 2), { missing: { 2: 1 } });
  assert.deepEqual(read(new Ledger(), 1, 2, [plain(1), sealed(2, 3)]), { doubts: { 1: "unsealed" }, missing: { 2: 2 } }, "a host that says nothing sealed all");
});

test("also where nothing sealed has come", () => {
  assert.deepEqual(read(new Ledger(), 5, 7, [plain(5), plain(6), plain(7)], 2), { doubts: { 5: "unsealed" } });
  assert.deepEqual(read(new Ledger(), 5, 7, [plain(5), plain(6), plain(7)]), { doubts: { 5: "unsealed", 6: "unsealed", 7: "unsealed" } });
});
