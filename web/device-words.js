/** What a device is, gets and got, in words. Pure. */

import { clock, gatherWords, kinds, textOf, weeklyWords } from "./choices.js";

/** @typedef {import("./wire").DeviceState} Device */
/** @typedef {import("./wire").Push} Push */

/**
 * What has become of it, in words.
 * @param {Push} push @param {boolean} [isOther] Whether it went to something else than an app.
 * @returns {{tone: "going"|"good"|"bad"|"void", words: string}}
 */
export function fate({ outcome }, isOther = false) {
  if (!outcome) return { tone: "going", words: "Planned" };
  const text = outcome.text ? `: ${outcome.text}` : "";
  switch (outcome.result) {
    case "accepted":
      return { tone: "good", words: isOther ? "Taken by the push service" : "Accepted by APNs" };
    case "refused":
      return { tone: "bad", words: `Refused${text}` };
    case "unknown":
      return { tone: "void", words: `Unknown${text}` };
    case "notSent":
      return { tone: "bad", words: `Not sent${text}` };
    default:
      return { tone: "void", words: String(outcome.result) };
  }
}

const cardModes = /** @type {Record<string, string>} */ ({ perSession: "One for each session", aggregate: "One for all sessions", off: "None" });
const cardStarts = /** @type {Record<string, string>} */ ({
  never: "the app begins them", whenNeeded: "begun when a session needs you", always: "begun with each session",
});

/**
 * What a device gets, as names and words.
 * @param {import("./choices.js").Device} device
 * @param {(session: string) => string} titleOf
 * @returns {[name: string, value: string][]}
 */
export function wishes(device, titleOf) {
  const { cards, starts, quiet, weekly, muted = [], web, ntfy, receiver } = device;
  const rings = (device.kinds ?? Object.keys(kinds)).map((kind) => kinds[kind] ?? kind);
  const mode = cardModes[cards ?? "perSession"] ?? cards;
  /** @type {[name: string, value: string][]} */
  const common = [
    ["Rings for", rings.length ? capital(rings.join(", ")) : "Nothing"],
    ["Gathered", gatherWords(device)],
    ["Says", textOf(device)],
    ["Muted", muted.length ? muted.map(titleOf).join(", ") : "No session"],
    ["Cost", device.hidesCost ? "Hidden" : "Shown"],
    ["Told weekly what it cost", weeklyWords(weekly)],
    ["Quiet hours", quiet ? `${clock(quiet.from)} to ${clock(quiet.to)}, ${quiet.timeZone}` : "None"],
  ];
  if (web) {
    return [...common,
      ["Offers Allow", device.allowOnLockScreen ? "Where it shows the whole command, also while locked" : "No: Deny and Review"],
      ["Push service", web.service ?? "None: nothing can reach it"]];
  }
  if (ntfy) {
    return [...common,
      ["Offers Allow", device.allowOnLockScreen ? "Where it shows the whole command, to whoever can read the topic" : "No: Deny only"],
      ["Server", ntfy.server ?? "None: nothing can reach it"]];
  }
  if (receiver) {
    return [...common,
      ["Offers Allow", device.allowOnLockScreen ? "Where it shows the whole command, to whoever sees it there" : "No: Deny only"],
      ["Receiver", receiver.name ?? "None: nothing can reach it"]];
  }
  return [["Cards", cards === "off" ? "None" : `${mode}, ${cardStarts[starts ?? "whenNeeded"] ?? starts}`], ...common,
    ["Frequent updates", device.frequentPushes ? "Allowed" : "Not allowed"],
    ["Tokens", [device.alertToken && "alerts", device.startToken && "starts of cards"].filter(Boolean).join(", ") || "None: nothing can reach it"]];
}

/**
 * What a device is, in a line.
 * @param {Device} state
 */
export function about({ device: { web, ntfy, receiver, profile, environment, system }, client }) {
  if (ntfy) return `Topic of ntfy · added by ${client.name}`;
  if (receiver) return `Receiver of the relay's operator · added by ${client.name}`;
  return web ? `Browser · ${system} · paired as ${client.name}` : `${profile} · ${environment} · iOS ${system} · paired as ${client.name}`;
}

/**
 * The push that a test became: the first alert of no session after those that were known.
 * @param {Push[]} pushes @param {number} after The last that was known.
 */
export const testAmong = (pushes, after) => pushes.filter(({ push, purpose, session }) => push > after && purpose === "alert" && session === undefined).at(-1);

const services = { app: "Apple", web: "The push service", ntfy: "Its server", receiver: "Its receiver" };
const remedies = {
  app: "If nothing comes, open its app once.",
  web: "If nothing comes and nothing silences it, the subscription is dead: switch notifications off and on again there.",
  ntfy: "If nothing comes, look whether the app there is subscribed to this topic.",
  receiver: "If nothing comes, ask the relay's operator, who has set it up.",
};

/**
 * What a test has shown so far. A push service takes also what nobody will see, so what is behind an "accepted" is said, too.
 * @param {Push|undefined} push @param {{reach: "app"|"web"|"ntfy"|"receiver", hasArrived: boolean}} known `hasArrived`: this very browser showed it.
 * @returns {{tone: "going"|"good"|"bad", words: string}}
 */
export function testWords(push, { reach, hasArrived }) {
  const service = services[reach];
  if (hasArrived) {
    return { tone: "good", words: "It came to this browser and was shown. If you saw nothing, a Focus, Do Not Disturb or the system's settings for this browser hold it back." };
  }
  if (!push?.outcome) return { tone: "going", words: "A test is on its way." };
  const text = push.outcome.text ? `: ${push.outcome.text}` : "";
  const mend = reach === "web" ? " Switch notifications off and on again on that device." : "";
  switch (push.outcome.result) {
    case "accepted":
      return { tone: "good", words: `${service} took it. The device shows it within a minute, unless it is off or offline, or a Focus or Do Not Disturb silences it. ${
        remedies[reach]}` };
    case "refused":
      return { tone: "bad", words: `${service} refused it${text}.${mend}` };
    case "notSent":
      return { tone: "bad", words: `It was not sent${text}.${mend}` };
    default:
      return { tone: "bad", words: `Nobody knows whether it was taken${text}. Try again.` };
  }
}

/** @param {string} words */
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
