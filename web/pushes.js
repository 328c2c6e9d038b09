/** What becomes of pushes to the devices of the workspace. */

/** @typedef {import("./wire").Push} Push */
/** @typedef {import("./store.js").State} State */

/** Pushes of one device that are held: more than its Lock Screen can be made of. */
export const pushesMax = 200;

/**
 * Takes a push that is planned, or its outcome.
 * @param {State} state @param {Push} push
 * @returns {boolean} False where its device is not known: there is a new one.
 */
export function takePush(state, push) {
  const known = state.devices?.get(push.device);
  if (!known) return false;
  const held = known.pushes.find((one) => one.push === push.push);
  // The payload need not be told twice.
  const others = known.pushes.filter((one) => one !== held);
  known.pushes = [{ ...held, ...push }, ...others].sort((a, b) => b.push - a.push).slice(0, pushesMax);
  return true;
}
