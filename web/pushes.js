/** Pushes to the devices of the workspace, and their outcomes. */

/** @typedef {import("./wire").Push} Push */
/** @typedef {import("./store.js").State} State */

/** Pushes kept for each device: enough to draw its Lock Screen. */
export const pushesMax = 200;

/**
 * Adds a planned push, or the outcome of a known one.
 * @param {State} state @param {Push} push
 * @returns {boolean} False if the push's device is unknown, because it is new.
 */
export function takePush(state, push) {
  const known = state.devices?.get(push.device);
  if (!known) return false;
  const held = known.pushes.find((one) => one.push === push.push);
  // An outcome may omit the payload that came with the planned push.
  const others = known.pushes.filter((one) => one !== held);
  known.pushes = [{ ...held, ...push }, ...others].sort((a, b) => b.push - a.push).slice(0, pushesMax);
  return true;
}
