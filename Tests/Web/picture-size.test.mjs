import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeOf } from "../../web/picture-size.js";

const bytes = (...parts) => Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...part].map((character) => character.charCodeAt(0)) : part)));
const wide = (value) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const short = (value) => [value >>> 8, value & 255];
const little = (value, count) => Array.from({ length: count }, (_, at) => (value >>> (8 * at)) & 255);

const png = (width, height) => bytes("\x89PNG\r\n\x1a\n", wide(13), "IHDR", wide(width), wide(height));
const jpeg = (width, height, frame = 0xc0, before = [0xff, 0xe0, 0, 4, 1, 2]) => bytes([0xff, 0xd8], before, [0xff, frame, 0, 17, 8], short(height), short(width), [3]);
const pictures = {
  "a PNG": png,
  "a JPEG": jpeg,
  "a JPEG that comes in steps, after tables and bytes that fill": (width, height) => jpeg(width, height, 0xc2, [0xff, 0xc4, 0, 3, 9, 0xff, 0xff, 0xff, 0xfe, 0, 2]),
  "a WebP": (width, height) => bytes("RIFF", wide(0), "WEBPVP8 ", wide(0), [0, 0, 0, 0x9d, 1, 0x2a], little(width, 2), little(height, 2)),
  "a WebP without loss": (width, height) => bytes("RIFF", wide(0), "WEBPVP8L", wide(0), [0x2f], little(((width - 1) | ((height - 1) << 14)) >>> 0, 4)),
  "a WebP with more in it": (width, height) => bytes("RIFF", wide(0), "WEBPVP8X", wide(10), [0, 0, 0, 0], little(width - 1, 3), little(height - 1, 3)),
  "a GIF": (width, height) => bytes("GIF89a", little(width, 2), little(height, 2)),
  "an AVIF": (width, height) => bytes(wide(24), "ftypavif", wide(20), "ispe", wide(0), wide(1), wide(1), wide(20), "ispe", wide(0), wide(width), wide(height)),
};
for (const [name, picture] of Object.entries(pictures)) {
  test(`${name} says how large it is`, () => {
    for (const [width, height] of [[1, 1], [640, 480], [12_000, 16_000]]) assert.deepEqual(sizeOf(picture(width, height)), { width, height });
  });

  test(`${name} that is cut says nothing, or the same`, () => {
    const whole = picture(640, 480);
    for (let length = 0; length < whole.length; length += 1) {
      const size = sizeOf(whole.subarray(0, length));
      assert.ok(size === null || name === "an AVIF" || (size.width === 640 && size.height === 480), `${length}: ${JSON.stringify(size)}`);
    }
  });
}

test("the largest sizes do not overflow", () => {
  assert.deepEqual(sizeOf(png(0xffffffff, 0x7fffffff)), { width: 0xffffffff, height: 0x7fffffff });
});

test("what is no picture says nothing", () => {
  for (const text of ["", "<svg width='9' height='9'/>", "BM", "\xff\xd8", "\xff\xd8\xff\xd9", "GIF8", "RIFF    WEBPVP9 ", "\x89PNG\r\n\x1a\n"]) assert.equal(sizeOf(bytes(text)), null);
  assert.equal(sizeOf(png(0, 5)), null);
});
