/** The pictures of a prompt, as rows of the timeline show them: each in a frame of its own height, which is there before it is. */

import { attribute, h } from "../dom.js";
import { drawn, kept, namedIn, sideMax } from "../pictures.js";

/**
 * @param {unknown} pictures Of an event's body.
 * @returns {HTMLElement|null}
 */
export function pictureList(pictures) {
  const named = namedIn(pictures);
  if (!named.length) return null;
  return h("div", { class: "pictures" }, ...named.map((one, place) => frame(one, named.length === 1 ? "Picture" : `Picture ${place + 1} of ${named.length}`)));
}

/** @param {import("../pictures.js").Named} named @param {string} name */
function frame({ digest }, name) {
  const words = h("span", { class: "quiet" }, "Picture …");
  /** @type {HTMLButtonElement} */
  const button = h("button", {
    type: "button", class: "picture", disabled: true, "aria-label": name, "aria-expanded": "false",
    onclick: () => attribute(button, "aria-expanded", String(button.getAttribute("aria-expanded") !== "true")),
  }, words);
  kept(digest).then(async (blob) => {
    if (!blob) return gone("This picture is no longer kept.");
    const bitmap = await createImageBitmap(blob);
    button.replaceChildren(drawn(bitmap, sideMax));
    bitmap.close();
    attribute(button, "disabled", false);
    return undefined;
  }).catch(() => gone("This picture cannot be shown now."));
  const gone = (/** @type {string} */ text) => {
    words.textContent = text;
    attribute(button, "aria-label", `${name}: ${text}`);
  };
  return button;
}
