/** The base of all views: their context, and when they are told to draw. */

/**
 * @typedef {object} App What the composition gives to every view.
 * @property {import("../store.js").State} state
 * @property {import("../link.js").Link} link
 * @property {import("../decisions.js").Decisions} decisions
 * @property {import("../presence.js").Presence} presence
 * @property {import("../web-push.js").WebPush} webPush There by the time that a view behind the list draws, as the next one.
 * @property {import("../trust.js").Trust} trust
 * @property {import("../tokens.js").Tokens} tokens There by the time that a view that is opened seldom draws, as the next four.
 * @property {import("../devices.js").Devices} devices
 * @property {import("../budgets.js").Budgets} budgets
 * @property {import("../costs.js").Costs} costs
 * @property {import("../held.js").Held} held
 * @property {import("../sieve.js").Marks} archive Sessions that left the list on this device.
 * @property {import("../sieve.js").Marks} pins Sessions that are on top of it.
 * @property {import("../snoozes.js").Snoozes} snoozes Sessions that are put off on this device.
 * @property {(session: string) => boolean} isLater Whether one is.
 * @property {import("../shortcuts.js").Keyboard} keyboard
 * @property {() => number} now                 The relay's time, in milliseconds.
 * @property {(text: string) => void} announce  Says something to a screen reader, once.
 * @property {() => void} listChanged           The list of sessions shows others now.
 * @property {() => void} pairAgain             Shows how to pair, after this device was logged out.
 * @property {() => Promise<unknown>} loadSeldom Brings the part that the page came without; where it does not come, the page says so.
 * @property {() => Promise<string>} loadTyping Likewise for somebody who types already; gives what they typed meanwhile.
 */

/** @typedef {import("../store.js").Changes} Changes */

/** A part of the page. It draws itself when it is shown, when what it shows changed, and once a second for ages. */
export class View extends HTMLElement {
  /** Set by the composition before anything else is called. */
  app = /** @type {App} */ (/** @type {unknown} */ (undefined));

  /**
   * Draws a change of its content. Called at most once a frame.
   * @param {Changes} _changes
   */
  refresh(_changes) {}

  /** A second went by. */
  tick() {}
}
