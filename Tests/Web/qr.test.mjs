import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { qrRowsOf } from "../../web/qr.js";

const link = (count) => `https://relay.example/#pair=ABCDE-FGHJK-MNPQR-STVWX&k=${"Aw_-".repeat(count)}`;
const hashOf = (rows) => createHash("sha256").update(rows.join("\n")).digest("hex").slice(0, 16);

test("codes are those that zxing-cpp 3.1 reads as their texts", () => {
  const known = [["x", 21, "55639f55c30dadb5"], [link(23), 45, "48316708cf87fd93"], [link(40), 53, "2bbed1297fa58205"], [link(110), 77, "d78fe3f0a76dfe62"], ["grün – ☎", 21, "561e51028b7d3b1c"]];
  for (const [text, size, hash] of known) {
    const rows = qrRowsOf(text);
    assert.ok(rows.length === size && rows.every((row) => /^[01]+$/.test(row) && row.length === size));
    assert.equal(hashOf(rows), hash, `${text.length} characters`);
  }
});

test("a text has the smallest code that it fits, and none if it is too long", () => {
  assert.deepEqual([17, 18, 230, 231, 520].map((count) => qrRowsOf("x".repeat(count)).length), [21, 25, 53, 57, 77]);
  assert.deepEqual(qrRowsOf("x".repeat(521)), []);
});
