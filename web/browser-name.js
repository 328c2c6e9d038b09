/** A browser's display name, from its user agent string. Pure. */

import { t } from "./language.js";

const browsers = /** @type {Record<string, string>} */ ({ Edg: "Edge", OPR: "Opera", FxiOS: "Firefox", CriOS: "Chrome", EdgiOS: "Edge" });
const devices = /** @type {Record<string, string>} */ ({ Macintosh: "Mac", Android: t`Android phone`, CrOS: "Chromebook" });
const systems = /** @type {Record<string, string>} */ ({ Macintosh: "macOS", CrOS: "ChromeOS", iPhone: "iOS", iPad: "iPadOS" });

// The first match is the browser's own name: user agent strings also name older browsers, and Android's names Linux.
const browserWords = ["Firefox", "FxiOS", "EdgiOS", "Edg", "OPR", "CriOS", "Chrome", "Safari"];
const machineWords = ["iPhone", "iPad", "Android", "Macintosh", "Windows", "CrOS", "Linux"];

/** @param {string} agent */
function partsOf(agent) {
  const [browser = "Browser", machine = ""] = [browserWords, machineWords].map((words) => words.find((word) => agent.includes(word)));
  return { browser: browsers[browser] ?? browser, machine };
}

/**
 * A suggested name for a new device, such as `Firefox on Mac`.
 * @param {string} agent
 */
export function deviceName(agent) {
  const { browser, machine } = partsOf(agent);
  return machine ? t`${browser} on ${devices[machine] ?? machine}` : browser;
}

/**
 * The browser and system of a push registration, such as `Firefox on Linux`.
 * @param {string} agent
 */
export function systemName(agent) {
  const { browser, machine } = partsOf(agent);
  return `${browser}${machine ? ` on ${systems[machine] ?? machine}` : ""}`;
}
