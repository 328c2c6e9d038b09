/** The devices of the workspace. What the relay says of them is kept in the store's state. */

import { t } from "./language.js";
import { pushesMax } from "./pushes.js";

/** @typedef {import("./wire").DeviceState} Device */
/** @typedef {import("./store.js").State} State */

/** What a browser, a topic or a receiver gets until its person chooses otherwise, on the page of any device. Told again, it changes nothing. */
export const firstChoices = /** @type {Pick<import("./wire").WebDevice, "text"|"kinds"|"muted">} */ ({
  text: "summary", kinds: ["approval", "question", "error", "finished", "budget"], muted: [],
});

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

  /**
   * Pushes to a topic of ntfy from now on.
   * @param {string} device Its id: a new one. @param {import("./wire").NtfyTopic} topic
   */
  async addTopic(device, topic) {
    await this.#link.command({ type: "device", device: { device, name: `ntfy at ${topic.server}`, ntfy: topic, ...firstChoices } });
    await this.watch();
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
  code === "unknownType" ? t`This relay knows nothing of it: it is older than this page.` : message;
