/** Sessions that this browser is silent about, where it gets notifications. */

/** @typedef {import("./elements/view.js").App} App */

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
  const { text, kinds, muted, quiet, gather, weekly, hidesCost, allowOnLockScreen } = device;
  const others = muted.filter((one) => one !== session);
  try {
    await app.devices.choose(device.device, { text, kinds, muted: mutes ? [...others, session] : others, quiet, gather, weekly, hidesCost, allowOnLockScreen });
    return true;
  } catch (error) {
    app.announce(`Not changed: ${/** @type {Error} */ (error).message}`);
    return false;
  }
}
