/** Swipes over the items of a list: an item follows the finger to the left, and goes back when it is let go. What a swipe does has a button, too. */

import { Swipe } from "../swipe.js";

/** How far an item follows. */
const followMax = 96;

/**
 * @param {HTMLElement} list @param {(item: HTMLElement) => void} onswiped
 * @param {(item: HTMLElement) => boolean} takes Whether that item can be swiped.
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
  // The finger that ends a swipe taps nothing.
  list.addEventListener("click", (event) => {
    if (performance.now() - endedAt > 100) return;
    event.preventDefault();
    event.stopPropagation();
  }, { capture: true });
}
