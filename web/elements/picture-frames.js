/** `<picture-frames>`: a prompt's pictures. Each frame has its final height before its picture has loaded. */

import { attribute, h } from "../dom.js";
import { t } from "../language.js";
import { kept, shownPicture, sideMax } from "../pictures.js";
import { routeOf } from "../route.js";

export class PictureFrames extends HTMLElement {
  connectedCallback() {
    if (!this.firstElementChild) this.replaceChildren(...(this.dataset.digests ?? "").split(" ").map(frame));
  }
}

/** @param {string} digest */
function frame(digest) {
  /** @type {HTMLButtonElement} */
  const button = h("button", {
    type: "button", class: "picture", disabled: true, "aria-label": t`Picture`, "aria-expanded": "false",
    onclick: () => attribute(button, "aria-expanded", String(button.getAttribute("aria-expanded") !== "true")),
  });
  const gone = (/** @type {string} */ text) => {
    button.textContent = text;
    attribute(button, "aria-label", text);
  };
  const shown = routeOf(location.hash);
  kept(shown && "session" in shown ? shown.session ?? "" : "", digest).then(async (blob) => {
    if (!blob) return gone(t`This picture is no longer kept.`);
    return shownPicture(blob, sideMax).then((canvas) => {
      button.append(canvas);
      attribute(button, "disabled", false);
    }, (error) => gone(error.message));
  }).catch(() => gone(t`This picture cannot be shown now.`));
  return button;
}

customElements.define("picture-frames", PictureFrames);
