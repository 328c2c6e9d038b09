/** Swipe gestures on list items: an item follows the finger to the left and returns when released. Each swipe action also has a button. */

import { Swipe } from "../swipe.js";

/** The greatest distance in pixels that an item follows. */
const followMax = 96;

/**
 * @param {HTMLElement} list @param {(item: HTMLElement) => void} onswiped
 * @param {(item: HTMLElement) => boolean} takes Returns true if the item can be swiped.
 */
export function swiping(list, onswiped, takes) {
  const swipe = new Swipe();
  /** @type {HTMLElement|undefined} */ let item;
  let endedAt = Number.NEGATIVE_INFINITY;
  const leave = () => {
    if (item) item.style.translate = "";
    item = undefined;
  };
  list.addEventListener("pointerdown", ({ pointerType, isPrimary, target, clientX, clientY }) => {
    leave();
    const held = /** @type {HTMLElement[]} */ ([...list.children]).find((child) => child.contains(/** @type {Node} */ (target)));
    if (pointerType !== "touch" || !isPrimary || !held || !takes(held)) return swipe.cancel();
    item = held;
    return swipe.begin(clientX, clientY);
  });
  list.addEventListener("pointermove", ({ isPrimary, clientX, clientY }) => {
    const way = isPrimary ? swipe.move(clientX, clientY) : null;
    if (item && way !== null) item.style.translate = `${-Math.min(way, followMax)}px`;
  });
  list.addEventListener("pointerup", () => {
    const swiped = item;
    const end = swipe.end();
    leave();
    if (end !== "none") endedAt = performance.now();
    if (swiped && end === "meant") onswiped(swiped);
  });
  list.addEventListener("pointercancel", () => {
    swipe.cancel();
    leave();
  });
  // Suppresses the click that browsers send at the end of a swipe.
  list.addEventListener("click", (event) => {
    if (performance.now() - endedAt > 100) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
}
