/** Sessions that this browser is silent about, where it gets notifications. */

import { t } from "./language.js";
import { asksOf } from "./store.js";

/** @typedef {import("./elements/view.js").App} App */

/** @typedef {import("./choices.js").Choices} Choices */

/** @type {Record<keyof Choices, true>} The type check finds a choice that is not among them. */
const chosen = { text: true, kinds: true, muted: true, mutedUntil: true, quiet: true, gather: true, weekly: true, countsRules: true, hidesCost: true, allowOnLockScreen: true };

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

/** As many of a session's approvals as the relay is silent about; those beyond ring. */
const askedMax = 64;

/**
 * Puts a session off, or takes that back: it is out of the way on this device, which does not ring either for what it asks by now.
 * @param {App} app @param {string} session @param {number|null} until
 */
export async function putOff(app, session, until) {
  const asked = asksOf(app.state, session);
  app.snoozes.set(session, until === null ? null : { until, asked });
  app.listChanged();
  if (!app.webPush?.device) return;
  if (!app.state.devices) await app.devices.watch();
  const device = ownDevice(app);
  const silent = device?.mutedUntil ?? [];
  if (!device || (until === null && !silent.some((one) => one.session === session))) return;
  const others = silent.filter((one) => one.session !== session && one.until > app.now());
  try {
    await app.devices.choose(device.device, { ...choicesOf(device), mutedUntil: until === null ? others : [...others, { session, until, asked: asked.slice(0, askedMax) }] });
  } catch (error) {
    app.announce(t`Not changed: ${/** @type {Error} */ (error).message}`);
  }
}
