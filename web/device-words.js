/** Words for a device, its settings and its pushes. Pure. */

import { clock, gatherWords, kinds, textOf, weeklyWords } from "./choices.js";
import { t } from "./language.js";
import { untilWords } from "./later-times.js";

/** @typedef {import("./wire").DeviceState} Device */
/** @typedef {import("./wire").Push} Push */

/**
 * A push's outcome, in words.
 * @param {Push} push @param {boolean} [isOther] True if the push went to a browser, a topic or a receiver instead of an app.
 * @returns {{tone: "going"|"good"|"bad"|"void", words: string}}
 */
export function fate({ outcome }, isOther = false) {
  if (!outcome) return { tone: "going", words: t`Planned` };
  const text = outcome.text ? `: ${outcome.text}` : "";
  switch (outcome.result) {
    case "accepted":
      return { tone: "good", words: isOther ? t`Taken by the push service` : t`Accepted by APNs` };
    case "refused":
      return { tone: "bad", words: t`Refused` + text };
    case "unknown":
      return { tone: "void", words: t`Unknown` + text };
    case "notSent":
      return { tone: "bad", words: t`Not sent` + text };
    default:
      return { tone: "void", words: String(outcome.result) };
  }
}

const cardModes = /** @type {Record<string, string>} */ ({ perSession: t`One for each session`, aggregate: t`One for all sessions`, off: t`None` });
const cardStarts = /** @type {Record<string, string>} */ ({
  never: t`the app begins them`, whenNeeded: t`begun when a session needs you`, always: t`begun with each session`,
});

/**
 * A device's settings as pairs of name and value.
 * @param {import("./choices.js").Device} device
 * @param {(session: string) => string} titleOf
 * @param {number} now @param {(host: string) => string} [hostName]
 * @returns {[name: string, value: string][]}
 */
export function wishes(device, titleOf, now, hostName = String) {
  const { cards, starts, quiet, weekly, muted = [], web, ntfy, receiver } = device;
  const later = (device.mutedUntil ?? []).filter(({ until }) => until > now);
  const projects = (device.mutedProjects ?? []).map(({ host, project }) => `${project} · ${hostName(host)}`);
  const silent = [...projects, ...muted.map(titleOf), ...later.map(({ session, until }) => t`${titleOf(session)}: back ${untilWords(until, now)}`)];
  const rings = (device.kinds ?? Object.keys(kinds)).map((kind) => kinds[kind] ?? kind);
  const mode = cardModes[cards ?? "perSession"] ?? cards;
  /** @type {[name: string, value: string][]} */
  const common = [
    [t`Rings for`, rings.length ? capital(rings.join(", ")) : t`Nothing`],
    [t`Gathered`, gatherWords(device)],
    [t`Says`, textOf(device)],
    [t`Muted`, silent.join(", ") || t`No session`],
    [t`Cost`, device.hidesCost ? t`Hidden` : t`Shown`],
    [t`Told weekly what it cost`, weeklyWords(weekly)],
    [t`Quiet hours`, quiet ? quietWords(quiet) : t`None`],
  ];
  if (web) {
    return [...common,
      [t`Offers Allow`, device.allowOnLockScreen ? t`Where it shows the whole command, also while locked` : t`No: Deny and Review`],
      [t`Push service`, web.service ?? t`None: nothing can reach it`]];
  }
  if (ntfy) {
    return [...common,
      [t`Offers Allow`, device.allowOnLockScreen ? t`Where it shows the whole command, to whoever can read the topic` : t`No: Deny only`],
      [t`Server`, ntfy.server ?? t`None: nothing can reach it`]];
  }
  if (receiver) {
    return [...common,
      [t`Offers Allow`, device.allowOnLockScreen ? t`Where it shows the whole command, to whoever sees it there` : t`No: Deny only`],
      [t`Receiver`, receiver.name ?? t`None: nothing can reach it`]];
  }
  return [[t`Cards`, cards === "off" ? t`None` : `${mode}, ${cardStarts[starts ?? "whenNeeded"] ?? starts}`], ...common,
    [t`Frequent updates`, device.frequentPushes ? t`Allowed` : t`Not allowed`],
    [t`Tokens`, [device.alertToken && t`alerts`, device.startToken && t`starts of cards`].filter(Boolean).join(", ") || t`None: nothing can reach it`]];
}

/** @param {NonNullable<import("./choices.js").Device["quiet"]>} quiet */
function quietWords({ from, to, timeZone, exceptRisks }) {
  const hours = t`${clock(from)} to ${clock(to)}, ${timeZone}`;
  return exceptRisks ? t`${hours}, except for what needs a second look` : hours;
}

/**
 * Describes a device in one line.
 * @param {Device} state
 */
export function about({ device: { web, ntfy, receiver, profile, environment, system }, client }) {
  if (ntfy) return t`Topic of ntfy · added by ${client.name}`;
  if (receiver) return t`Receiver of the relay's operator · added by ${client.name}`;
  return web ? t`Browser · ${system} · paired as ${client.name}` : t`${profile} · ${environment} · iOS ${system} · paired as ${client.name}`;
}

/**
 * Finds the push of a test notification: the first alert without a session after push `after`.
 * @param {Push[]} pushes @param {number} after The number of the last push before the test.
 */
export const testAmong = (pushes, after) => pushes.filter(({ push, purpose, session }) => push > after && purpose === "alert" && session === undefined).at(-1);

const services = { app: "Apple", web: t`The push service`, ntfy: t`Its server`, receiver: t`Its receiver` };
const remedies = {
  app: t`If nothing comes, open its app once.`,
  web: t`If nothing comes and nothing silences it, the subscription is dead: switch notifications off and on again there.`,
  ntfy: t`If nothing comes, look whether the app there is subscribed to this topic.`,
  receiver: t`If nothing comes, ask the relay's operator, who has set it up.`,
};

/**
 * Describes the progress of a test notification. A push service also accepts pushes that it never delivers, so the words say what "accepted" means.
 * @param {Push|undefined} push @param {{reach: "app"|"web"|"ntfy"|"receiver", hasArrived: boolean}} known `hasArrived`: this browser has shown it.
 * @returns {{tone: "going"|"good"|"bad", words: string}}
 */
export function testWords(push, { reach, hasArrived }) {
  const service = services[reach];
  if (hasArrived) {
    return { tone: "good", words: t`It came to this browser and was shown. If you saw nothing, a Focus, Do Not Disturb or the system's settings for this browser hold it back.` };
  }
  if (!push?.outcome) return { tone: "going", words: t`A test is on its way.` };
  const text = push.outcome.text ? `: ${push.outcome.text}` : "";
  const mend = reach === "web" ? t` Switch notifications off and on again on that device.` : "";
  switch (push.outcome.result) {
    case "accepted":
      return { tone: "good", words: t`${service} took it. The device shows it within a minute, unless it is off or offline, or a Focus or Do Not Disturb silences it. ${
        remedies[reach]}` };
    case "refused":
      return { tone: "bad", words: t`${service} refused it${text}.${mend}` };
    case "notSent":
      return { tone: "bad", words: t`It was not sent${text}.${mend}` };
    default:
      return { tone: "bad", words: t`Nobody knows whether it was taken${text}. Try again.` };
  }
}

/** @param {string} words */
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
