/** Where the pictures of a prompt are among the rows of a timeline; they are drawn by the page's part (`picture-frames.js`). */

import { h } from "../dom.js";
import { t } from "../language.js";
import { loadPart } from "../part.js";
import { namedIn } from "../picture-names.js";

/**
 * @param {unknown} pictures Of an event's body.
 * @returns {HTMLElement|null}
 */
export function pictureList(pictures) {
  const named = namedIn(pictures);
  if (!named.length) return null;
  const frames = h("picture-frames", { class: "pictures", "data-digests": named.map(({ digest }) => digest).join(" ") });
  loadPart().catch(() => frames.replaceChildren(t`Pictures cannot be shown now.`));
  return frames;
}
