/** The devices of the workspace, and what became of each push to them. What the relay says of them is kept in the store's state. */

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
 * @param {Push} push
 * @returns {{tone: "going"|"good"|"bad"|"void", words: string}}
 */
export function fate({ outcome }) {
  if (!outcome) return { tone: "going", words: "Planned" };
  const text = outcome.text ? `: ${outcome.text}` : "";
  switch (outcome.result) {
    case "accepted":
      return { tone: "good", words: "Accepted by APNs" };
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

const kinds = /** @type {Record<string, string>} */ ({
  approval: "approvals", question: "questions", error: "errors", finished: "finished runs", budget: "budgets",
});
const texts = /** @type {Record<string, string>} */ ({
  full: "The whole command or question, as far as it fits",
  summary: "A summary. Its alerts offer Deny, never Allow: for that, let the app say the whole",
  generic: "That an agent needs something, not what. Its alerts offer Deny, never Allow",
  sealed: "Only this device can read it; cards show counts",
});
const cardModes = /** @type {Record<string, string>} */ ({ perSession: "One for each session", aggregate: "One for all sessions", off: "None" });
const cardStarts = /** @type {Record<string, string>} */ ({
  never: "the app begins them", whenNeeded: "begun when a session needs you", always: "begun with each session",
});

/**
 * What a device gets, as names and words.
 * @param {Device["device"]} device
 * @param {(session: string) => string} titleOf
 * @returns {[name: string, value: string][]}
 */
export function wishes(device, titleOf) {
  const { cards, starts, text, quiet, muted = [] } = device;
  const rings = (device.kinds ?? Object.keys(kinds)).map((kind) => kinds[kind] ?? kind);
  const mode = cardModes[cards ?? "perSession"] ?? cards;
  return [
    ["Cards", cards === "off" ? "None" : `${mode}, ${cardStarts[starts ?? "whenNeeded"] ?? starts}`],
    ["Rings for", rings.length ? capital(rings.join(", ")) : "Nothing"],
    ["Says", texts[text ?? "summary"] ?? String(text)],
    ["Muted", muted.length ? muted.map(titleOf).join(", ") : "No session"],
    ["Cost", device.hidesCost ? "Hidden" : "Shown"],
    ["Quiet hours", quiet ? `${clock(quiet.from)} to ${clock(quiet.to)}, ${quiet.timeZone}` : "None"],
    ["Frequent updates", device.frequentPushes ? "Allowed" : "Not allowed"],
    ["Tokens", [device.alertToken && "alerts", device.startToken && "starts of cards"].filter(Boolean).join(", ") || "None: nothing can reach it"],
  ];
}

/** @param {number} minute Of the day. */
const clock = (minute) => `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;

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

  /** @param {string} device */
  async forget(device) {
    await this.#link.command({ type: "forget", device });
    await this.watch();
  }
}

/** @param {import("./link.js").CommandError} error */
export const explain = ({ code, message }) =>
  code === "unknownType" ? "This relay knows nothing of it: it is older than this page." : message;
