/** Short vibrations that confirm an action by touch, where the device has them. */

/** In milliseconds: on, off, on. A denial is told from an allow. */
const patterns = { allow: [12], deny: [12, 60, 12], snooze: [8] };

/** @param {keyof typeof patterns} deed Silent if the system asks for less motion. */
export function buzz(deed) {
  if ("vibrate" in navigator && !matchMedia("(prefers-reduced-motion: reduce)").matches) navigator.vibrate(patterns[deed]);
}
