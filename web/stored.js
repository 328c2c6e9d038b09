/** Reads and writes a browser's storage, which may be blocked or full, or contain another program's values. */

/** @typedef {() => Pick<Storage, "getItem"|"setItem">} Shelf Throws if site data is blocked. */

/**
 * The stored JSON value; undefined if there is none or it is malformed.
 * @param {Shelf} shelf @param {string} place @returns {any}
 */
export function stored(shelf, place) {
  try {
    return JSON.parse(shelf().getItem(place) ?? "null");
  } catch {
    return null;
  }
}

/**
 * Stores a value. On failure the value only lasts in the caller's memory.
 * @param {Shelf} shelf @param {string} place @param {unknown} value
 */
export function keep(shelf, place, value) {
  try {
    shelf().setItem(place, JSON.stringify(value));
  } catch {
    // Storage is blocked or full.
  }
}
