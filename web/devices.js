/** The devices of the workspace, and what became of each push to them. What the relay says of them is kept in the store's state. */

import { clock, kinds, textOf } from "./choices.js";

/** @typedef {import("./wire").DeviceState} Device */
/** @typedef {import("./wire").Push} Push */
/** @typedef {import("./store.js").State} State */

/** Pushes of one device that are held: more than its Lock Screen can be made of. */
const pushesMax = 200;

/**
 * All devices, as the relay has them now. It tells the last pushes only; older ones that are held stay.
 * @param {State} state @param {Device[]} devices
 */
export function takeDevices(state, devices) {
  state.devices = new Map(devices.map((given) => {
    const pushes = given.pushes ?? [];
    const oldest = pushes.at(-1)?.push ?? 0;
    const older = (state.devices?.get(given.device.device)?.pushes ?? []).filter(({ push }) => push < oldest);
    return [given.device.device, { ...given, pushes: [...pushes, ...older].slice(0, pushesMax) }];
  }));
}

/**
 * What is planned or became of one push.
 * @param {State} state @param {Push} push
 * @returns {boolean} False where its device is not known: there is a new one.
 */
export function takePush(state, push) {
  const known = state.devices?.get(push.device);
  if (!known) return false;
  const held = known.pushes.find((one) => one.push === push.push);
  // The payload need not be told twice.
  const others = known.pushes.filter((one) => one !== held);
  known.pushes = [{ ...held, ...push }, ...others].sort((a, b) => b.push - a.push).slice(0, pushesMax);
  return true;
}

/**
 * What has become of it, in words.
 * @param {Push} push @param {boolean} [isBrowser] Whether it went to one.
 * @returns {{tone: "going"|"good"|"bad"|"void", words: string}}
 */
export function fate({ outcome }, isBrowser = false) {
  if (!outcome) return { tone: "going", words: "Planned" };
  const text = outcome.text ? `: ${outcome.text}` : "";
  switch (outcome.result) {
    case "accepted":
      return { tone: "good", words: isBrowser ? "Taken by the push service" : "Accepted by APNs" };
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
  const { cards, starts, quiet, muted = [], web } = device;
  const rings = (device.kinds ?? Object.keys(kinds)).map((kind) => kinds[kind] ?? kind);
  const mode = cardModes[cards ?? "perSession"] ?? cards;
  /** @type {[name: string, value: string][]} */
  const common = [
    ["Rings for", rings.length ? capital(rings.join(", ")) : "Nothing"],
    ["Says", textOf(device)],
    ["Muted", muted.length ? muted.map(titleOf).join(", ") : "No session"],
    ["Cost", device.hidesCost ? "Hidden" : "Shown"],
    ["Quiet hours", quiet ? `${clock(quiet.from)} to ${clock(quiet.to)}, ${quiet.timeZone}` : "None"],
  ];
  if (web) {
    return [...common,
      ["Offers Allow", device.allowOnLockScreen ? "Where it shows the whole command, also while locked" : "No: Deny and Review"],
      ["Push service", web.service ?? "None: nothing can reach it"]];
  }
  return [["Cards", cards === "off" ? "None" : `${mode}, ${cardStarts[starts ?? "whenNeeded"] ?? starts}`], ...common,
    ["Frequent updates", device.frequentPushes ? "Allowed" : "Not allowed"],
    ["Tokens", [device.alertToken && "alerts", device.startToken && "starts of cards"].filter(Boolean).join(", ") || "None: nothing can reach it"]];
}

/**
 * What a device is, in a line.
 * @param {Device} state
 */
export function about({ device: { web, profile, environment, system }, client }) {
  return web ? `Browser · ${system} · paired as ${client.name}` : `${profile} · ${environment} · iOS ${system} · paired as ${client.name}`;
}

/**
 * The push that a test became: the first alert of no session after those that were known.
 * @param {Push[]} pushes @param {number} after The last that was known.
 */
export const testAmong = (pushes, after) => pushes.filter(({ push, purpose, session }) => push > after && purpose === "alert" && session === undefined).at(-1);

/**
 * What a test has shown so far. A push service takes also what nobody will see, so what stands behind an "accepted" is said, too.
 * @param {Push|undefined} push @param {{isBrowser: boolean, hasArrived: boolean}} known `hasArrived`: this very browser showed it.
 * @returns {{tone: "going"|"good"|"bad", words: string}}
 */
export function testWords(push, { isBrowser, hasArrived }) {
  const service = isBrowser ? "The push service" : "Apple";
  if (hasArrived) {
    return { tone: "good", words: "It came to this browser and was shown. If you saw nothing, a Focus, Do Not Disturb or the system's settings for this browser hold it back." };
  }
  if (!push?.outcome) return { tone: "going", words: "A test is on its way." };
  const text = push.outcome.text ? `: ${push.outcome.text}` : "";
  const mend = isBrowser ? " Switch notifications off and on again on that device." : "";
  switch (push.outcome.result) {
    case "accepted":
      return { tone: "good", words: `${service} took it. The device shows it within a minute, unless it is off or offline, or a Focus or Do Not Disturb silences it. ${
        isBrowser ? "If nothing comes and nothing silences it, the subscription is dead: switch notifications off and on again there." : "If nothing comes, open its app once."}` };
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

/** Asks the relay for the devices, and from then on to be told of every push. */
export class Devices {
  /** Why there is no list, as a sentence. */
  problem = "";

  /** @type {Pick<import("./link.js").Link, "command"|"isLive">} */ #link;
  /** @type {State} */ #state;
  /** @type {() => void} */ #changed;
  #watches = false;

  /** @param {Pick<import("./link.js").Link, "command"|"isLive">} link @param {State} state @param {() => void} changed */
  constructor(link, state, changed) {
    this.#link = link;
    this.#state = state;
    this.#changed = changed;
  }

  /** Somebody looks, so the relay is asked; it goes on telling as long as the link lives. */
  async watch() {
    this.#watches = true;
    if (!this.#link.isLive) return;
    try {
      const reply = await this.#link.command({ type: "devices", watch: true });
      takeDevices(this.#state, Array.isArray(reply.devices) ? reply.devices : []);
      this.problem = "";
    } catch (error) {
      this.problem = explain(/** @type {import("./link.js").CommandError} */ (error));
    }
    this.#changed();
  }

  /** The link is live again, or there is a device that is not known. */
  async again() {
    if (this.#watches) await this.watch();
  }

  /** @param {string} device */
  async test(device) {
    await this.#link.command({ type: "testPush", device });
  }

  /** @param {string} device @param {import("./choices.js").Choices} choices All of them: what is left out is switched off. */
  async choose(device, choices) {
    await this.#link.command({ type: "deviceChoices", device, ...choices });
    await this.watch();
  }

  /** @param {string} device */
  async forget(device) {
    await this.#link.command({ type: "forget", device });
    await this.watch();
  }
}

/** @param {import("./link.js").CommandError} error */
export const explain = ({ code, message }) =>
  code === "unknownType" ? "This relay knows nothing of it: it is older than this page." : message;
