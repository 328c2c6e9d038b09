/** `<row-deeds>`: the buttons beside a list row that move its session out of the way: snooze, mute, archive. A swipe opens the same panel. */

import { attribute, h, icon, say } from "../dom.js";
import { t } from "../language.js";
import { inAnHour, tomorrow, untilWords } from "../later-times.js";
import { askOfDevice, mute, ownDevice, putOff } from "../muting.js";
import { titleOf } from "../session-words.js";
import { line } from "../text.js";
import { swiping } from "./swiping.js";
import { offerUndo } from "./undo-bar.js";

/** @typedef {import("../wire").Summary} Summary */
/** @typedef {import("./view.js").App} App */

/** @type {WeakSet<Element>} Lists whose rows already have swipe listeners. */
const swiped = new WeakSet();

export class RowDeeds extends HTMLElement {
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #session = "";
  #name = h("span", { class: "unseen" });
  #more = h("button", { type: "button", class: "row-more", "aria-expanded": "false", onclick: () => this.open(this.#panel.hidden) }, icon("more"), h("span", { class: "unseen" }, t`Later, mute, archive: `), this.#name);
  #later = h("button", { type: "button", onclick: () => this.#putOff() });
  #mute = h("button", { type: "button", onclick: () => this.#muteOrNot() });
  #archive = h("button", { type: "button", onclick: () => this.#putAway() });
  #panel = h("div", { class: "row-panel", role: "group", "aria-label": t`Out of the way`, hidden: true }, this.#later, this.#mute, this.#archive);

  connectedCallback() {
    if (!this.firstChild) this.append(this.#more, this.#panel);
    const list = this.closest("ol");
    if (!list || swiped.has(list)) return;
    swiped.add(list);
    const deedsIn = (/** @type {Element} */ item) => /** @type {RowDeeds|null} */ (item.querySelector("row-deeds"));
    swiping(list, (item) => deedsIn(item)?.open(true), (item) => deedsIn(item)?.querySelector(".row-panel[hidden]") !== null);
    // Only one panel is open at a time; a tap elsewhere closes it.
    document.addEventListener("pointerdown", ({ target }) => {
      for (const panel of list.querySelectorAll(".row-panel:not([hidden])")) if (!panel.parentElement?.contains(/** @type {Node} */ (target))) /** @type {RowDeeds} */ (panel.parentElement).open(false);
    });
    list.addEventListener("keydown", (event) => {
      const deeds = event.target instanceof Element ? event.target.closest("row-deeds") : null;
      if (event.key !== "Escape" || !(deeds instanceof RowDeeds) || deeds.#panel.hidden) return;
      deeds.open(false);
      deeds.#more.focus();
    });
  }

  /** @param {App} app @param {Summary} summary */
  show(app, summary) {
    this.#app = app;
    this.#session = summary.session;
    say(this.#name, titleOf(summary), line);
    if (!this.#panel.hidden) this.#drawPanel();
  }

  /** @param {boolean} opens */
  open(opens) {
    if (opens) {
      askOfDevice(this.#app);
      this.#drawPanel();
    }
    attribute(this.#panel, "hidden", !opens);
    attribute(this.#more, "aria-expanded", String(opens));
    if (opens) this.#later.focus({ preventScroll: true });
  }

  get #isMuted() {
    return ownDevice(this.#app)?.muted.includes(this.#session);
  }

  #drawPanel() {
    this.#later.textContent = this.#app.isLater(this.#session) ? t`Now` : t`Later`;
    this.#archive.textContent = this.#app.archive.has(this.#session) ? t`Bring back` : t`Archive`;
    attribute(this.#mute, "hidden", this.#isMuted === undefined);
    this.#mute.textContent = this.#isMuted ? t`Ring` : t`Mute`;
  }

  /** Closes the panel. @returns {boolean} True if the keyboard focus was in it. */
  #leave() {
    const focuses = this.contains(document.activeElement);
    this.open(false);
    return focuses;
  }

  #putOff() {
    const [app, session] = [this.#app, this.#session];
    const focuses = this.#leave();
    if (app.isLater(session)) return putOff(app, session, null);
    const until = (/** @type {number} */ time) => {
      putOff(app, session, time);
      const isTomorrow = time === tomorrow(app.now());
      offerUndo(t`Back ${untilWords(time, app.now())}, or when it asks something new.`, () => putOff(app, session, null),
        { focuses, ...(isTomorrow ? {} : { other: { words: t`Tomorrow`, deed: () => until(tomorrow(app.now())) } }) });
    };
    return until(inAnHour(app.now()));
  }

  async #muteOrNot() {
    const mutes = !this.#isMuted;
    const focuses = this.#leave();
    const [app, session] = [this.#app, this.#session];
    if (await mute(app, session, mutes)) offerUndo(mutes ? t`Muted on this device.` : t`It rings on this device again.`, () => mute(app, session, !mutes), { focuses });
  }

  #putAway() {
    const { archive, listChanged } = this.#app;
    const session = this.#session;
    const focuses = this.#leave();
    const puts = !archive.has(session);
    archive.set([session], puts);
    listChanged();
    offerUndo(puts ? t`Archived on this device.` : t`In the list again.`, () => {
      archive.set([session], !puts);
      listChanged();
    }, { focuses });
  }
}

customElements.define("row-deeds", RowDeeds);
