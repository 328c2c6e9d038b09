/** Reads a picture's size from its file's headers without decoding it, because a file of a few kilobytes may decode to gigabytes. Pure. */

/** @typedef {{width: number, height: number}} Size */

/**
 * @param {Uint8Array} bytes The complete file.
 * @returns {Size|null} Null if the format is unknown or the file is cut off.
 */
export function sizeOf(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const has = (/** @type {number} */ at, /** @type {string} */ text) => [...text].every((character, index) => bytes[at + index] === character.charCodeAt(0));
  try {
    const size = has(0, "\x89PNG\r\n\x1a\n") && has(12, "IHDR") ? { width: view.getUint32(16), height: view.getUint32(20) }
      : has(0, "\xff\xd8") ? jpeg(view)
        : has(0, "RIFF") && has(8, "WEBP") ? webp(view, has)
          : has(0, "GIF8") ? { width: view.getUint16(6, true), height: view.getUint16(8, true) }
            : has(4, "ftyp") ? largest(view, has) : null;
    return size && size.width && size.height ? size : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/**
 * The size of a JPEG's first frame, which is the one that browsers draw.
 * @param {DataView} view @returns {Size|null}
 */
function jpeg(view) {
  for (let at = 2; view.getUint8(at) === 0xff;) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // Fill bytes may stand between JPEG segments.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return null;
}

/** @param {DataView} view @param {(at: number, text: string) => boolean} has @returns {Size|null} */
function webp(view, has) {
  const three = (/** @type {number} */ at) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (has(12, "VP8X")) return { width: three(24) + 1, height: three(27) + 1 };
  if (has(12, "VP8 ")) return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (!has(12, "VP8L")) return null;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/**
 * The size of the largest picture in an AVIF or HEIC file.
 * @param {DataView} view @param {(at: number, text: string) => boolean} has @returns {Size|null}
 */
function largest(view, has) {
  /** @type {Size|null} */
  let found = null;
  for (let at = 0; at + 16 <= view.byteLength; at += 1) {
    if (view.getUint8(at) !== 0x69 || !has(at, "ispe")) continue;
    const size = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (!found || size.width * size.height > found.width * found.height) found = size;
  }
  return found;
}
