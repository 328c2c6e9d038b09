/** Words for sealed content and its faults. Pure. */

import { t } from "./language.js";

/** The title of a session whose content cannot be opened. */
export const sealedTitle = t`Sealed session`;
/** The tool of a request that cannot be opened. */
export const sealedTool = t`a sealed tool`;

/** @param {number} count */
export const missingWords = (count) => (count === 1 ? t`1 event is missing here: the relay has not delivered it` : t`${count} events are missing here: the relay has not delivered them`);

/**
 * A sentence about events that the relay says it does not have.
 * @param {number} count
 */
export const skippedWords = (count) => (count === 1
  ? t`The relay says that 1 event is missing here, as its host could not keep it` : t`The relay says that ${count} events are missing here, as its host could not keep them`);

/** Reasons that the relay or a host generates; any other text could be forged. */
export const ownReasons = new Set([
  "agentGone", "allowedLocally", "answeredLocally", "badSignature", "cannotOpen", "clear", "deniedLocally", "digestMismatch", "editMalformed", "editNotOffered", "editRisky", "editRuled", "expired", "hookEnded", "hostRestarted", "logout", "notSealed",
  "notShown", "notTrusted", "prompt_input_exit", "restored", "sessionEnded", "tooMany", "turnEnded", "unknownApproval", "unsigned", "withdrawn",
]);

/** Reasons why an event is not shown. */
export const doubtWords = {
  repeated: t`Not shown: the relay repeated or reordered events`,
  oldKey: t`Not shown: sealed with a key that is no longer used`,
  unsealed: t`Not sealed: the relay could have written this`,
  cannotOpen: t`Cannot be opened: it was changed on the way, or sealed for another place`,
  malformed: t`Cannot be opened: it is sealed in a form that is not known here`,
};

/** @param {string} host The host's name. @param {boolean} isTrusted The host trusts this browser. */
export const noKeyWords = (host, isTrusted) => (isTrusted
  ? t`Sealed with a key that ${host} has not given to this browser. It is asked for when ${host} is next there; what was said before it trusted this browser may stay sealed.`
  : t`What is said here is sealed for the devices that ${host} trusts. At that machine run heliograph host trust and scan what it shows, or let a device that it trusts bring this browser.`);

/**
 * A sentence about each host: whether its agents' content is sealed, and readable here.
 * @param {Iterable<import("./wire").Summary>} summaries @param {(host: string) => boolean} hasKey True if this browser has a content key of the host with this key id.
 */
export function contentWords(summaries, hasKey) {
  /**
   * @type {Map<string, {name: string, id?: string}>} Hosts by the relay's host id, because two may have the same name. `id`: the key id of a host
   * that seals.
   */
  const hosts = new Map();
  for (const { host, steering } of summaries) {
    const { id } = hosts.get(host.id) ?? {};
    // A host with one unsealed session counts as unsealed.
    hosts.set(host.id, { name: host.name, id: steering && id !== "" ? (steering.seals && steering.consent) || "" : id });
  }
  return [...hosts.values()].sort((a, b) => a.name.localeCompare(b.name)).map(({ name, id }) =>
    `${name}: ${!id ? t`the relay can read it` : hasKey(id) ? t`sealed, the relay cannot read it` : t`sealed, and not for this browser`}`);
}

/** @param {string} host */
export const openedUpWords = (host) => t`${host} sealed all that was said until now, and the relay says that it does not any more. If that was changed there, forget ${host} under Devices and let it trust this browser again`;

/** @param {string} host */
export const behindWords = (host) => t`${host} has a newer key, which this browser was not given`;

/** Replaces a text that arrived unsealed where it should be sealed. */
export const notSealedText = t`⟨not sealed: nobody knows who wrote this⟩`;
export const unopenedText = t`⟨sealed: it cannot be opened here⟩`;
