/** A browser's name, from its own description of itself. Pure. */

import { t } from "./language.js";

const browsers = /** @type {Record<string, string>} */ ({ Edg: "Edge", OPR: "Opera", FxiOS: "Firefox", CriOS: "Chrome", EdgiOS: "Edge" });
const devices = /** @type {Record<string, string>} */ ({ Macintosh: "Mac", Android: t`Android phone`, CrOS: "Chromebook" });
const systems = /** @type {Record<string, string>} */ ({ Macintosh: "macOS", CrOS: "ChromeOS", iPhone: "iOS", iPad: "iPadOS" });

// The first of these that is in it is its own: a browser also names its ancestors, and Android its kernel.
const browserWords = ["Firefox", "FxiOS", "EdgiOS", "Edg", "OPR", "CriOS", "Chrome", "Safari"];
const machineWords = ["iPhone", "iPad", "Android", "Macintosh", "Windows", "CrOS", "Linux"];

/** @param {string} agent */
function partsOf(agent) {
  const [browser = "Browser", machine = ""] = [browserWords, machineWords].map((words) => words.find((word) => agent.includes(word)));
  return { browser: browsers[browser] ?? browser, machine };
}

/**
 * A name for a device to start from: `Firefox on Mac`.
 * @param {string} agent
 */
export function deviceName(agent) {
  const { browser, machine } = partsOf(agent);
  return machine ? t`${browser} on ${devices[machine] ?? machine}` : browser;
}

/**
 * The system of a registration for pushes: `Firefox on Linux`.
 * @param {string} agent
 */
export function systemName(agent) {
  const { browser, machine } = partsOf(agent);
  return `${browser}${machine ? ` on ${systems[machine] ?? machine}` : ""}`;
}
