/** The pictures that prompts name. Pure. */

/** Pictures of one prompt. */
export const picturesMax = 4;

/**
 * The pictures that an event names, as far as they can be shown.
 * @param {unknown} pictures
 * @returns {import("./wire").Picture[]}
 */
export const namedIn = (pictures) => (Array.isArray(pictures) ? pictures.filter((one) => /^[0-9a-f]{64}$/.test(one?.digest)).slice(0, picturesMax) : []);
