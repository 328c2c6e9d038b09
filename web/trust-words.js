/** Words for the obstacles to signing, with advice. Pure. */

import { codeOfKey } from "./consent.js";
import { t } from "./language.js";

export const insecureWords = t`This page came without TLS, and browsers sign only with it, or on the relay's own machine. What its host wants signed is decided at the terminal.`;

export const lostWords = t`This browser has cleared its keys, so no machine trusts it any more. At each run heliograph host trust and scan what it shows.`;

export const damagedWords = t`This link is damaged: no machine can trust this browser by it. Scan it again.`;

export const storageWords = t`This browser keeps nothing for this page, and so has no key to sign with. Allow it site data, outside of a private window.`;

export const unansweredWords = t`No machine has answered in ten minutes. Run heliograph host trust there again, and scan what it shows.`;

export const unansweredDeviceWords = t`The other device has not answered in ten minutes. Show a new link there, and scan it.`;

/** Words shown while a person compares codes. */
export const comparingWords = t`Confirm it on the device that shows the link. It has to show the same code:`;

/** @param {string} host The host's name. @param {boolean} isLost This browser had keys, but has cleared them. */
export const untrustedWords = (host, isLost) =>
  `${isLost ? t`This browser has cleared its keys, so ${host} does not trust it any more.` : t`This device is not trusted by ${host} yet.`} ${t`At that machine run heliograph host trust and scan what it shows.`}`;

/** Words for an approval that lacks the text to sign, although its host requires signatures. */
export const leftOutWords = t`The relay left out what its host showed. It can be denied here, and allowed only at the terminal.`;

/** @param {string} problem */
export const unreadWords = (problem) => `${problem} ${t`It can be denied here, and allowed only at the terminal.`}`;

/** @param {string} host */
export const trustedWords = (host) => t`${host} trusts this browser now. Its terminal shows the same code:`;

/** @param {string} host */
export const introducedWords = (host) => t`${host} trusts this browser now. The device that brought it shows the same code:`;

/**
 * A sentence for the reason with which a vouching device refuses.
 * @param {string} reason
 */
export const notIntroducedWords = (reason) => (reason === "usedSecret"
  ? t`Another device has used this link already. Show a new one, and scan it.`
  : t`The device that shows the link did not let this browser in.`);

/**
 * @param {import("./consent.js").TrustedDevice} device @param {string|undefined} voucher The name of the vouching device; undefined if a person
 * trusted the device at the host's terminal. @param {string} host
 */
export const newcomerWords = (device, voucher, host) =>
  `${device.by ? t`${device.name} (${codeOfKey(device.id)}) is now trusted by ${host}, brought by ${voucher ?? t`a device that is gone`}.`
    : t`${device.name} (${codeOfKey(device.id)}) is now trusted by ${host}, let in at its terminal.`} ${t`Was that not you? Then distrust it.`}`;

/** @param {string} device @param {string} host */
export const distrustedWords = (device, host) => t`${host} does not trust ${device} any more. Its access to the relay is another matter: revoke it under Access.`;

/** @param {string} host */
export const unansweredDistrustWords = (host) => t`${host} has not answered: the device may be trusted still. At that machine run heliograph host distrust.`;

const again = t`Show a new code there with heliograph host trust.`;

/** @type {Record<string, (host: string) => string>} Sentences for a host's refusals, by its reason. */
const refusals = {
  unknownSecret: (host) => t`${host} does not know this code, or its ten minutes are over. ${again}`,
  usedSecret: (host) => t`Another device has used this code already. If that was none of yours, look at heliograph host devices on ${host}. ${again}`,
  full: (host) => t`${host} trusts as many devices as it can. Remove one there: heliograph host devices.`,
  badSignature: (host) => t`${host} could not verify this browser's signature. ${again}`,
  notTrusted: (host) => t`${host} does not trust this browser any more. ${again}`,
  distrusted: (host) => t`${host} was told not to trust this browser any more.`,
  tooMany: (host) => t`${host} was told not to trust many devices today. Do it at that machine: heliograph host distrust.`,
};

/** @param {string} host @param {string} reason */
export const refusedWords = (host, reason) =>
  (Object.hasOwn(refusals, reason) ? refusals[reason](host) : t`${host} does not trust this browser (${reason}). ${again}`);
