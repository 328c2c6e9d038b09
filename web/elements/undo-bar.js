/** A bar with the last action on the list and a button that undoes it, shown until the next action. */

import { attribute, h, write } from "../dom.js";
import { t } from "../language.js";

const words = h("span");
const more = h("button", { type: "button", class: "plain" });
const back = h("button", { type: "button", class: "plain" }, t`Undo`);
const bar = h("div", { class: "undo floating", role: "group", "aria-label": t`Done just now` }, h("p", { role: "status" }, words), more, back);

/**
 * @param {string} text @param {() => void} deed Undoes the action.
 * @param {{focuses: boolean, other?: {words: string, deed: () => void}}} how `focuses`: the undo button takes the keyboard focus; `other`: an alternative action.
 */
export function offerUndo(text, deed, { focuses, other }) {
  const pane = document.querySelector("session-list");
  const isHere = bar.contains(document.activeElement);
  if (bar.parentElement !== pane) pane?.append(bar);
  write(words, text);
  write(more, other?.words ?? "");
  attribute(more, "hidden", !other);
  more.onclick = () => other?.deed();
  back.onclick = () => {
    leave();
    deed();
  };
  // The row that had the focus is gone, so the undo button takes it.
  if (focuses || isHere) back.focus({ preventScroll: true });
}

function leave() {
  const pane = bar.parentElement;
  bar.remove();
  /** @type {HTMLElement|null|undefined} */ (pane?.querySelector("h2"))?.focus({ preventScroll: true });
}

addEventListener("hashchange", () => bar.remove());
