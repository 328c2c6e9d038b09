/** Values in a browser's storage, which may be blocked, full, or hold what another program wrote. */

/** @typedef {() => Pick<Storage, "getItem"|"setItem">} Shelf Throws where site data is blocked. */

/** @param {Shelf} shelf @param {string} place @returns {any} Nothing where there is none that is JSON. */
export function stored(shelf, place) {
  try {
    return JSON.parse(shelf().getItem(place) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Shelf} shelf @param {string} place @param {unknown} value If it cannot be kept it lasts for this visit, with whoever has it. */
export function keep(shelf, place, value) {
  try {
    shelf().setItem(place, JSON.stringify(value));
  } catch {
    // Blocked, or full.
  }
}
