/** The place of a prompt's pictures in a timeline row; `picture-frames.js`, which loads later, draws them. */

import { h } from "../dom.js";
import { t } from "../language.js";
import { loadPart } from "../part.js";
import { namedIn } from "../picture-names.js";

/**
 * `pictures` is a field of an event's body.
 * @param {unknown} pictures
 * @returns {HTMLElement|null}
 */
export function pictureList(pictures) {
  const named = namedIn(pictures);
  if (!named.length) return null;
  const frames = h("picture-frames", { class: "pictures", "data-digests": named.map(({ digest }) => digest).join(" ") });
  loadPart().catch(() => frames.replaceChildren(t`Pictures cannot be shown now.`));
  return frames;
}
