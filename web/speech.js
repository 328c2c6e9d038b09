/** Dictation with the browser's own speech recognition: switched off until a person switches it on in this browser. */

import { keep, stored } from "./stored.js";

/** @typedef {import("./stored.js").Shelf} Shelf */

/**
 * The parts of the Web Speech API that are used; TypeScript's library has no types for it.
 * @typedef {object} Recognition
 * @property {string} lang @property {boolean} continuous @property {boolean} interimResults
 * @property {((event: {resultIndex: number, results: ArrayLike<ArrayLike<{transcript: string}> & {isFinal: boolean}>}) => void)|null} onresult
 * @property {((event: {error: string}) => void)|null} onerror @property {(() => void)|null} onend
 * @property {() => void} start @property {() => void} abort
 */

const place = "heliograph.dictates";

/** @returns {(new () => Recognition)|undefined} Undefined in a browser without it. */
export const recognizer = () => /** @type {any} */ (globalThis).SpeechRecognition ?? /** @type {any} */ (globalThis).webkitSpeechRecognition;

/** @param {Shelf} shelf */
export const isSwitchedOn = (shelf) => stored(shelf, place) === true;

/** @param {Shelf} shelf @param {boolean} isOn */
export const switchOn = (shelf, isOn) => keep(shelf, place, isOn);

/**
 * Splits what was recognised: `final` does not change any more, `interim` may.
 * @param {Parameters<NonNullable<Recognition["onresult"]>>[0]} event
 */
export function heard({ resultIndex, results }) {
  const all = Array.from(results).slice(resultIndex).map((one) => ({ text: one[0]?.transcript.trim() ?? "", isFinal: one.isFinal }));
  const words = (/** @type {boolean} */ isFinal) => all.filter((one) => one.isFinal === isFinal && one.text).map(({ text }) => text).join(" ");
  return { final: words(true), interim: words(false) };
}

/**
 * The written text with the spoken one at the caret, apart from its neighbours.
 * @param {string} written @param {number} at @param {string} spoken @returns {{text: string, caret: number}}
 */
export function withSpoken(written, at, spoken) {
  const [before, after] = [written.slice(0, at), written.slice(at)];
  const added = `${before && !/\s$/.test(before) ? " " : ""}${spoken}${after && !/^\s/.test(after) ? " " : ""}`;
  return { text: before + added + after, caret: at + added.length };
}
