/** The base class of all views: their context, and when they draw. */

/**
 * @typedef {object} App The parts that every view can use.
 * @property {import("../store.js").State} state
 * @property {import("../link.js").Link} link
 * @property {import("../decisions.js").Decisions} decisions
 * @property {import("../presence.js").Presence} presence
 * @property {import("../web-push.js").WebPush} webPush Set once the later part of the page has loaded, like the next property.
 * @property {import("../trust.js").Trust} trust
 * @property {import("../tokens.js").Tokens} tokens Set once the rare views have loaded, like the next four properties.
 * @property {import("../devices.js").Devices} devices
 * @property {import("../budgets.js").Budgets} budgets
 * @property {import("../costs.js").Costs} costs
 * @property {import("../held.js").Held} held
 * @property {import("../sieve.js").Marks} archive Sessions archived on this device.
 * @property {import("../sieve.js").Marks} pins Sessions pinned on this device.
 * @property {import("../sieve.js").SavedSieves} sieves Filters saved on this device.
 * @property {(sieve: import("../sieve.js").Sieve) => void} sift Shows the list of sessions with this filter.
 * @property {import("../snoozes.js").Snoozes} snoozes Sessions snoozed on this device.
 * @property {(session: string) => boolean} isLater True if the session is snoozed.
 * @property {import("../shortcuts.js").Keyboard} keyboard
 * @property {() => number} now                 The relay's time, in milliseconds.
 * @property {(text: string) => void} announce  Announces a text to screen readers once.
 * @property {() => void} listChanged           Called when the list shows other sessions.
 * @property {() => void} pairAgain             Shows the pairing screen after this device was logged out.
 * @property {() => Promise<unknown>} loadSeldom Loads the rare views; if that fails, the page says so.
 * @property {() => Promise<string>} loadTyping Loads the palette while a person already types; resolves to the text typed meanwhile.
 */

/** @typedef {import("../store.js").Changes} Changes */

/** A view draws when it is opened, when the state that it shows changed, and every second for ages. */
export class View extends HTMLElement {
  /** The app's parts, set before any other call. */
  app = /** @type {App} */ (/** @type {unknown} */ (undefined));

  /**
   * Draws changes of the state. Called at most once per frame.
   * @param {Changes} _changes
   */
  refresh(_changes) {}

  /** Called every second. */
  tick() {}
}
