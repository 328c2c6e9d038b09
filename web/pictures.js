/**
 * Pictures that go with prompts: made small here, brought to the relay before the prompt, and fetched to be shown. Drawn anew each time, so
 * that nothing of the file but what it shows leaves this device, and nothing of a stored one but that reaches the page.
 */

import { ask } from "./page-key.js";

/** @typedef {import("./wire").Picture} Named As prompts name it. */

/** Pictures of one prompt. */
export const picturesMax = 4;
/** A photo; what is larger is not read. */
export const readBytesMax = 5_000_000;
/** The relay's own bound. */
export const sentBytesMax = 768 << 10;
/** What models look at: a larger one is made smaller there. */
export const sideMax = 1568;
/** Fetched ones that are kept at hand. */
const heldMax = 16;

/** Of a picture that cannot be sent: a sentence for the person. */
export class PictureError extends Error {}

/**
 * The size that a picture is drawn in.
 * @param {number} width @param {number} height @param {number} [most]
 */
export function fitted(width, height, most = sideMax) {
  const scale = Math.min(1, most / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/**
 * Smaller steps, until one fits: sharp letters first, then a photo's colours, then fewer pixels.
 * @param {string} type Of the file.
 * @returns {{type: string, quality?: number, side: number}[]}
 */
export const attempts = (type) => [
  ...(type === "image/jpeg" ? [] : [{ type: "image/png", side: sideMax }]),
  ...[0.9, 0.8, 0.65].map((quality) => ({ type: "image/jpeg", quality, side: sideMax })),
  ...[1024, 640].map((side) => ({ type: "image/jpeg", quality: 0.65, side })),
];

/**
 * What of a file is sent.
 * @param {File} file
 * @returns {Promise<Blob>}
 */
export async function smaller(file) {
  if (file.size > readBytesMax) throw new PictureError("This picture has more than 5 MB: take a smaller one.");
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new PictureError("This file is no picture that this browser can read.");
  });
  try {
    for (const { type, quality, side } of attempts(file.type)) {
      const blob = await new Promise((/** @type {(blob: Blob|null) => void} */ done) => drawn(bitmap, side, type === "image/jpeg").toBlob(done, type, quality));
      if (blob && blob.type === type && blob.size <= sentBytesMax) return blob;
    }
  } finally {
    bitmap.close();
  }
  throw new PictureError("This picture cannot be made small enough.");
}

/**
 * @param {ImageBitmap} bitmap @param {number} side @param {boolean} [isOpaque] What is clear in it becomes white.
 * @returns {HTMLCanvasElement}
 */
export function drawn(bitmap, side, isOpaque = false) {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, fitted(bitmap.width, bitmap.height, side));
  const pen = canvas.getContext("2d");
  if (isOpaque && pen) {
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
  }
  pen?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * Brings a picture to the relay, for a prompt of this session.
 * @param {string} session @param {Blob} blob
 * @returns {Promise<Named>}
 */
export async function bring(session, blob) {
  let response;
  try {
    response = await ask(`/v1/pictures?session=${encodeURIComponent(session)}`, { method: "POST", body: blob });
  } catch {
    throw new PictureError("The picture did not reach the relay: no connection. Nothing was sent.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return { digest: answer.digest, type: answer.type, bytes: answer.bytes };
  const reason = typeof answer.error?.message === "string" ? answer.error.message : `it answered ${response.status}`;
  throw new PictureError(`The relay did not take the picture: ${reason}. Nothing was sent.`);
}

/** @type {Map<string, Promise<Blob|null>>} By digest, the last asked for last. */
const held = new Map();

/**
 * A picture that the relay keeps; nothing where it keeps it no longer.
 * @param {string} digest
 * @returns {Promise<Blob|null>}
 */
export function kept(digest) {
  const found = held.get(digest) ?? fetched(digest);
  held.delete(digest);
  held.set(digest, found);
  for (const oldest of held.keys()) {
    if (held.size <= heldMax) break;
    held.delete(oldest);
  }
  // What failed is asked for anew.
  found.catch(() => held.delete(digest));
  return found;
}

/** @param {string} digest */
async function fetched(digest) {
  const response = await ask(`/v1/pictures/${digest}`);
  if (response.status === 404) return null;
  if (!response.ok) throw new PictureError(`the relay answered ${response.status}`);
  return response.blob();
}

/**
 * The pictures that an event names, as far as they can be shown.
 * @param {unknown} pictures
 * @returns {Named[]}
 */
export const namedIn = (pictures) => (Array.isArray(pictures) ? pictures.filter((one) => /^[0-9a-f]{64}$/.test(one?.digest)).slice(0, picturesMax) : []);
