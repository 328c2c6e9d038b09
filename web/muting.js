/** Mutes sessions on this browser, and puts them off. */

import { buzz } from "./haptics.js";
import { t } from "./language.js";
import { asksOf } from "./store.js";

/** @typedef {import("./elements/view.js").App} App */

/** @typedef {import("./choices.js").Choices} Choices */

/** @type {Record<keyof Choices, true>} All settings of a device: the type check fails if one is missing. */
const chosen = { text: true, kinds: true, muted: true, mutedUntil: true, mutedProjects: true, quiet: true, gather: true, weekly: true, countsRules: true, hidesCost: true, allowOnLockScreen: true };

/**
 * The settings that a person chose for a device.
 * @param {import("./wire").DeviceShown} device @returns {Choices}
 */
const choicesOf = (device) => /** @type {any} */ (Object.fromEntries(Object.entries(device).filter(([name]) => name in chosen)));

/**
 * This browser as a device for pushes, if the relay has it.
 * @param {App} app
 */
export const ownDevice = ({ state, webPush }) => state.devices?.get(webPush?.device)?.device;

/**
 * Asks the relay once for this device's muted sessions.
 * @param {App} app
 */
export async function askOfDevice(app) {
  if (!app.webPush?.device || app.state.devices) return;
  await app.loadSeldom();
  await app.devices?.watch();
}

/**
 * Changes some of a device's choices. Resolves to true if that succeeded; otherwise the reason is announced.
 * @param {App} app @param {import("./wire").DeviceShown} device @param {Partial<Choices>} changes @returns {Promise<boolean>}
 */
async function change(app, device, changes) {
  try {
    await app.devices.choose(device.device, { ...choicesOf(device), ...changes });
    return true;
  } catch (error) {
    app.announce(t`Not changed: ${/** @type {Error} */ (error).message}`);
    return false;
  }
}

/**
 * Mutes or unmutes a session. Resolves to true if that succeeded.
 * @param {App} app @param {string} session @param {boolean} mutes @returns {Promise<boolean>}
 */
export async function mute(app, session, mutes) {
  const device = ownDevice(app);
  if (!device) return false;
  const others = device.muted.filter((one) => one !== session);
  return change(app, device, { muted: mutes ? [...others, session] : others });
}

/** Maximum number of approvals of a put-off session that the relay keeps silent; further ones ring. */
const askedMax = 64;

/**
 * Puts a session off, or takes that back: it is out of the way on this device, which does not ring either for what it asks by now.
 * @param {App} app @param {string} session @param {number|null} until
 */
export async function putOff(app, session, until) {
  const asked = asksOf(app.state, session);
  if (until !== null) buzz("snooze");
  app.snoozes.set(session, until === null ? null : { until, asked });
  app.listChanged();
  if (!app.webPush?.device) return;
  await askOfDevice(app);
  const device = ownDevice(app);
  const silent = device?.mutedUntil ?? [];
  if (!device || (until === null && !silent.some((one) => one.session === session))) return;
  const others = silent.filter((one) => one.session !== session && one.until > app.now());
  await change(app, device, { mutedUntil: until === null ? others : [...others, { session, until, asked: asked.slice(0, askedMax) }] });
}
