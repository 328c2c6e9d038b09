/** The pictures that prompts refer to. Pure. */

/** Maximum number of pictures of a prompt. */
export const picturesMax = 4;

/**
 * The pictures that an event refers to and that the page can show.
 * @param {unknown} pictures
 * @returns {import("./wire").Picture[]}
 */
export const namedIn = (pictures) => (Array.isArray(pictures) ? pictures.filter((one) => /^[0-9a-f]{64}$/.test(one?.digest)).slice(0, picturesMax) : []);
