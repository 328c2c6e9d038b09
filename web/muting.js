/** Sessions that this browser is silent about, where it gets notifications. */

import { t } from "./language.js";

/** @typedef {import("./elements/view.js").App} App */

/** @typedef {import("./choices.js").Choices} Choices */

/** @type {Record<keyof Choices, true>} The type check finds a choice that is not among them. */
const chosen = { text: true, kinds: true, muted: true, quiet: true, gather: true, weekly: true, countsRules: true, hidesCost: true, allowOnLockScreen: true };

/** @param {import("./wire").DeviceShown} device All that its person chose. @returns {Choices} */
const choicesOf = (device) => /** @type {any} */ (Object.fromEntries(Object.entries(device).filter(([name]) => name in chosen)));

/** @param {App} app This browser, as the relay knows it. */
export const ownDevice = ({ state, webPush }) => state.devices?.get(webPush?.device)?.device;

/** @param {App} app What this device is silent about is asked for once. */
export function askOfDevice({ state, webPush, devices }) {
  if (webPush?.device && !state.devices) devices.watch();
}

/** @param {App} app @param {string} session @param {boolean} mutes @returns {Promise<boolean>} Whether it is so now. */
export async function mute(app, session, mutes) {
  const device = ownDevice(app);
  if (!device) return false;
  const others = device.muted.filter((one) => one !== session);
  try {
    await app.devices.choose(device.device, { ...choicesOf(device), muted: mutes ? [...others, session] : others });
    return true;
  } catch (error) {
    app.announce(t`Not changed: ${/** @type {Error} */ (error).message}`);
    return false;
  }
}
