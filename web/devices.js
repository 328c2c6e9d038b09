/** The devices of the workspace. What the relay says of them is kept in the store's state. */

import { firstChoices } from "./first-choices.js";
import { language, t } from "./language.js";
import { pushesMax } from "./pushes.js";

/** @typedef {import("./wire").DeviceState} Device */
/** @typedef {import("./store.js").State} State */

/**
 * Replaces the devices by the relay's list. The relay sends only the latest pushes, so older ones already here are kept.
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

/** Asks the relay for the devices, and subscribes to their pushes. */
export class Devices {
  /** The reason why there is no list of devices, as a sentence. */
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

  /** Asks for the devices, because their view is on screen; the relay then sends every push as long as the link lives. */
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

  /** Asks again once the link is live, or if a push names an unknown device. */
  async again() {
    if (this.#watches) await this.watch();
  }

  /** @param {string} device */
  async test(device) {
    await this.#link.command({ type: "testPush", device });
  }

  /**
   * Adds an ntfy topic as a device.
   * @param {string} device A new id. @param {import("./wire").NtfyTopic} topic
   */
  async addTopic(device, topic) {
    await this.#link.command({ type: "device", device: { device, name: `ntfy at ${topic.server}`, language: language.tag, ntfy: topic, ...firstChoices } });
    await this.watch();
  }

  /**
   * Sends all settings of a device: omitted ones are switched off.
   * @param {string} device @param {import("./choices.js").Choices} choices
   */
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
