/**
 * Pictures of prompts: shrunk on this device, uploaded before the prompt, and fetched for display. They are redrawn each time, so
 * that no metadata of a file leaves this device, and only pixels of a stored file reach the page.
 */

import { t } from "./language.js";
import { ask } from "./page-key.js";
import { sizeOf } from "./picture-size.js";

/**
 * A picture in the form that prompts refer to it.
 * @typedef {import("./wire").Picture} Named
 */

/** The limit of a picture's file in bytes: photos are smaller, and larger files are not read. */
export const readBytesMax = 5_000_000;
/** The relay's limit in bytes, less the overhead of sealing. */
export const sentBytesMax = (768 << 10) - 64;
/** The side in pixels to which pictures are shrunk, because models shrink larger ones anyway. */
export const sideMax = 1568;
/** Pixels of a picture that is decoded: 200 MB of memory. A phone's photo has up to 50 million. */
export const pixelsMax = 50_000_000;
/** Time limit of an upload: the largest picture at 13 kB a second, a bad line. */
const carriedMs = 60_000;
/** Fetched pictures that are kept in memory. */
const heldMax = 16;

/** @type {Pick<import("./trust.js").Trust, "sealed"|"sealer">|null} */
let trust = null;

/**
 * Sets the object that seals and opens pictures, for hosts that seal.
 * @param {Pick<import("./trust.js").Trust, "sealed"|"sealer">} given
 */
export const sealPictures = (given) => { trust = given; };

/**
 * The size at which a picture is drawn.
 * @param {number} width @param {number} height @param {number} [most]
 */
export function fitted(width, height, most = sideMax) {
  const scale = Math.min(1, most / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Formats and sizes to try until the file is small enough: first PNG, which keeps letters sharp, then JPEG, then fewer pixels. Photos are never tried as PNG.
 * @param {string} type The file's media type.
 */
export const attempts = (type) => [sideMax, sideMax, 1024, 640].map((side, place) => ({ type: place || type === "image/jpeg" ? "image/jpeg" : "image/png", side }));

/**
 * Shrinks a picture to the size that is uploaded. Like `bring`, rejects with a sentence for the person.
 * @param {File} file
 * @returns {Promise<Blob>}
 */
export async function smaller(file) {
  if (file.size > readBytesMax) throw new Error(t`This picture has more than 5 MB.`);
  const bitmap = await decoded(file);
  try {
    for (const { type, side } of attempts(file.type)) {
      const blob = await new Promise((/** @type {(blob: Blob|null) => void} */ done) => drawn(bitmap, side).toBlob(done, type, 0.8));
      if (blob && blob.size <= sentBytesMax) return blob;
    }
  } finally {
    bitmap.close();
  }
  throw new Error(t`This picture is too large.`);
}

/**
 * Decodes a picture unless it has too many pixels. Rejects with a sentence for the person.
 * @param {Blob} blob
 * @returns {Promise<ImageBitmap>} The caller has to close it.
 */
async function decoded(blob) {
  const size = sizeOf(new Uint8Array(await blob.arrayBuffer()));
  if (size && size.width * size.height > pixelsMax) throw new Error(t`This picture has ${size.width} × ${size.height} pixels, which is too many to show.`);
  // A file without a readable size is not decoded, because it could need any amount of memory.
  const bitmap = size && (await createImageBitmap(blob).catch(() => null));
  if (!bitmap) throw new Error(t`This browser cannot read this picture.`);
  return bitmap;
}

/**
 * @type {Promise<unknown>} The decoding before the next one: pictures are decoded one after another, so that many need no more memory than the
 * largest.
 */
let before = Promise.resolve();

/**
 * Draws a picture for display. Rejects like `decoded`.
 * @param {Blob} blob @param {number} side
 * @returns {Promise<HTMLCanvasElement>}
 */
export function shownPicture(blob, side) {
  const picture = before.then(async () => {
    const bitmap = await decoded(blob);
    const canvas = drawn(bitmap, side);
    bitmap.close();
    return canvas;
  });
  before = picture.catch(() => undefined);
  return picture;
}

/**
 * Draws a picture on white, because JPEG has no transparency.
 * @param {ImageBitmap} bitmap @param {number} side
 */
function drawn(bitmap, side) {
  const canvas = document.createElement("canvas");
  const { width, height } = Object.assign(canvas, fitted(bitmap.width, bitmap.height, side));
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = "#fff";
  pen.fillRect(0, 0, width, height);
  pen.drawImage(bitmap, 0, 0, width, height);
  return canvas;
}

/**
 * Uploads a picture for a prompt of the session.
 * @param {string} session @param {Blob} blob
 * @returns {Promise<Named>}
 */
export async function bring(session, blob) {
  const plain = new Uint8Array(await blob.arrayBuffer());
  const body = await trust?.sealed(plain, (sealer) => sealer.picture(session, plain)) ?? plain;
  const response = await ask(`/v1/pictures?session=${session}`, { method: "POST", body }, carriedMs).catch(() => null);
  const answer = await response?.json().catch(() => null);
  if (response?.ok && answer) return answer;
  throw new Error(t`Not sent, without its picture: ${answer?.error?.message ?? t`no connection`}.`);
}

/** @type {Map<string, Promise<Blob|null>>} Fetched pictures by digest. */
const held = new Map();

/**
 * Fetches a stored picture; null if the relay has deleted it.
 * @param {string} session The session on screen. @param {string} digest
 * @returns {Promise<Blob|null>}
 */
export function kept(session, digest) {
  if (held.size > heldMax) held.clear();
  const found = held.get(digest) ?? ask(`/v1/pictures/${digest}`, {}, carriedMs).then((response) => {
    if (response.ok) return opened(session, digest, response);
    if (response.status === 404) return null;
    throw new Error();
  });
  held.set(digest, found);
  // After a failure the next call fetches the picture again.
  found.catch(() => held.delete(digest));
  return found;
}

/** @param {string} session @param {string} digest @param {Response} response */
async function opened(session, digest, response) {
  if (!trust?.sealer) return response.blob();
  return new Blob([await trust.sealer.openedPicture(session, digest, new Uint8Array(await response.arrayBuffer()))]);
}
