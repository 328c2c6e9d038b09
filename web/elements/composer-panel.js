/**
 * `<composer-panel>`: the controls of a session besides its text field: mode, model, when the agent asks, the agent's own commands, and ending the session. The written text can
 * also be held until a time, or saved as a template.
 */

import { attribute, h, icon, say, span, write } from "../dom.js";
import { t } from "../language.js";
import { nextAt } from "../later-times.js";
import { askingQuestion, askings, isFreer, modeQuestion, modeWords } from "../modes.js";
import { titleOf } from "../session-words.js";
import { can } from "../steering.js";
import { Templates } from "../templates.js";
import { line } from "../text.js";
import { Confirmation } from "./confirmation.js";
import { SettingChoice } from "./setting-choice.js";

/** @typedef {import("../wire").Summary} Summary */
/** @typedef {import("../wire").Command} Command */

/**
 * @typedef {object} PanelState
 * @property {string[]} may @property {boolean} isLive
 * @property {boolean} isInstead   The agent waits for an answer, and can be interrupted instead.
 * @property {boolean} isUntrusted The host does not trust this browser, so it refuses commands that give its agent more freedom.
 * @property {(deed: string) => boolean} isSending
 * @property {string|null} written   The text in the field; null without a field.
 * @property {string} holdObstacle  The reason why the text cannot be held in this browser; empty if it can.
 */

let made = 0;

export class ComposerPanel extends HTMLElement {
  /** @type {(command: Command) => void} */ ondeed = () => undefined;
  /** @type {() => void} Called when the agent's own commands are to be shown. */ oncommands = () => undefined;
  /** @type {(at: number|undefined) => void} Called to hold the written text until a time, or until the agent is idle if there is none. */ onhold = () => undefined;
  /** @type {(text: string) => void} Called with the text of the chosen template. */ ontemplate = () => undefined;

  #id = `panel-${(made += 1)}`;
  /** @type {Summary|undefined} */ #summary;
  #written = "";
  #mode = new SettingChoice({
    name: t`Mode`, verb: t`Change the mode`, words: modeWords, question: (value) => (isFreer(this.#summary?.steering?.mode, value) ? modeQuestion(value) : ""),
    deed: (mode) => this.#do({ type: "mode", mode }),
  });
  #model = new SettingChoice({ name: t`Model`, verb: t`Change the model`, question: () => "", deed: (model) => this.#do({ type: "model", model }) });
  #asking = new SettingChoice({
    name: t`Asks you`, verb: t`Ask less`, names: askings, question: (value) => askingQuestion(value, this.#summary),
    deed: (value) => this.#do({ type: "askAll", on: value === "all" }),
  });
  #commands = h("button", { type: "button", onclick: () => this.oncommands() }, t`The agent's own commands`);
  #stop = h("button", { type: "button", class: "deny" }, t`End the session …`);
  #stopButtons = h("div", { class: "setting-line" }, this.#stop);
  #stopping = new Confirmation({ opener: this.#stop, buttons: this.#stopButtons, verb: t`End it`, deed: () => {
    this.#stopping.close();
    this.#do({ type: "stop" });
  } });
  #instead = h("button", { type: "button", class: "deny", onclick: () => this.#do({ type: "interrupt" }) }, t`Interrupt instead`);
  #insteadLine = h("div", { class: "setting" },
    h("p", { class: "quiet" }, t`The agent waits for a decision. Interrupted, it gets none: nothing of what it asks is allowed, and its turn ends.`),
    h("div", { class: "setting-line" }, this.#instead));
  #also = h("p", { class: "quiet foreign" });
  #idle = h("button", { type: "button", onclick: () => this.onhold(undefined) }, t`When it is idle`);
  #time = h("input", { id: `${this.#id}-time`, type: "time", "aria-label": t`Time to send it at`, oninput: () => this.#adaptTime() });
  #atTime = h("button", { type: "button", onclick: () => this.#holdUntil() }, t`At that time`);
  #holdWords = h("p", { class: "quiet" });
  #hold = h("div", { class: "setting", role: "group", "aria-label": t`Send it later` }, span("setting-name", t`Send it later`),
    h("div", { class: "setting-line" }, this.#idle, h("div", { class: "later-time" }, this.#time, this.#atTime)), this.#holdWords);
  #templates = new Templates(() => localStorage);
  #template = h("button", { type: "button", onclick: () => this.#addTemplate() }, t`Keep what is written`);
  #templateList = h("ul", { class: "templates" });
  #removed = "";
  #undo = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.#undoRemoval() }, t`Removed: undo`);
  #templateSetting = h("div", { class: "setting", role: "group", "aria-label": t`Your templates` }, span("setting-name", t`Your templates`), this.#templateList, h("div", { class: "setting-line" }, this.#template, this.#undo));
  #obstacle = "";

  connectedCallback() {
    if (!this.firstChild) this.append(this.#hold, this.#templateSetting, this.#insteadLine, this.#mode.element, this.#model.element, this.#asking.element, this.#commands, this.#stopButtons, this.#stopping.element, this.#also);
  }

  /** @param {Summary} summary @param {PanelState} state */
  show(summary, { may, isLive, isInstead, isUntrusted, isSending, written, holdObstacle }) {
    this.#summary = summary;
    this.#written = written ?? "";
    const isWritten = this.#written.trim() !== "";
    attribute(this.#hold, "hidden", !isWritten);
    attribute(this.#templateSetting, "hidden", written === null || (!isWritten && !this.#templates.all.length && this.#undo.hidden));
    attribute(this.#template, "hidden", !isWritten);
    this.#obstacle = holdObstacle;
    attribute(this.#idle, "disabled", holdObstacle !== "");
    this.#adaptTime();
    write(this.#holdWords, holdObstacle || t`It waits in this browser, and is sent while this page is open.`);
    this.#drawTemplates();
    const { steering } = summary;
    const takesPrompts = steering?.actions.includes("prompt") === true;
    const takes = (/** @type {string} */ action) => steering?.actions.some((one) => one === action) === true;
    attribute(this.#insteadLine, "hidden", !isInstead);
    attribute(this.#instead, "disabled", !can(may, summary, isLive, "interrupt") || isSending("interrupt"));
    attribute(this.#mode.element, "hidden", !takes("mode") || !steering?.modes?.length);
    this.#mode.show(steering?.mode, steering?.modes ?? [], !can(may, summary, isLive, "mode") || isUntrusted || isSending("mode"));
    attribute(this.#model.element, "hidden", !takes("model"));
    this.#model.show(summary.model, steering?.models ?? [], !can(may, summary, isLive, "model") || isUntrusted || isSending("model"));
    attribute(this.#asking.element, "hidden", !takes("askAll"));
    // Asking for more approvals needs no signature, because it gives the agent less freedom.
    this.#asking.show(steering?.asksAll ? "all" : "own", Object.keys(askings),
      !can(may, summary, isLive, "askAll") || (isUntrusted && steering?.asksAll === true) || isSending("askAll"));
    attribute(this.#commands, "hidden", !takesPrompts || isWritten || !steering?.commands?.length);
    attribute(this.#stop, "hidden", !takes("stop"));
    attribute(this.#stop, "disabled", !can(may, summary, isLive, "stop") || isSending("stop"));
    if (!takes("stop")) this.#stopping.close();
    this.#stopping.question = t`End “${titleOf(summary)}” for good? The agent stops, and takes nothing more.`;
    say(this.#also, takesPrompts ? steering?.reason ?? "" : "", line);
    attribute(this.#also, "hidden", this.#also.textContent === "");
  }

  #adaptTime() {
    attribute(this.#atTime, "disabled", this.#obstacle !== "" || nextAt(this.#time.value, Date.now()) === null);
  }

  #holdUntil() {
    const at = nextAt(this.#time.value, Date.now());
    if (at !== null) this.onhold(at);
  }

  #drawTemplates() {
    const { all } = this.#templates;
    attribute(this.#template, "disabled", this.#templates.obstacle(this.#written) !== "");
    if (this.#templateList.dataset.drawn === JSON.stringify(all)) return;
    this.#templateList.dataset.drawn = JSON.stringify(all);
    this.#templateList.replaceChildren(...all.map((text) => {
      const words = span("template-words foreign");
      say(words, text, line);
      return h("li", {}, h("button", { type: "button", class: "template", onclick: () => this.ontemplate(text) }, words),
        h("button", { type: "button", class: "plain template-remove", onclick: () => this.#remove(text) }, icon("cross"), span("unseen", t`Remove `, words.textContent)));
    }));
    attribute(this.#templateList, "hidden", !all.length);
  }

  #addTemplate() {
    this.#templates.add(this.#written);
    this.#drawTemplates();
    /** @type {HTMLElement|null} */ (this.#templateList.querySelector(".template"))?.focus();
  }

  /** @param {string} text */
  #remove(text) {
    this.#removed = text;
    this.#templates.remove(text);
    this.#drawTemplates();
    attribute(this.#undo, "hidden", false);
    this.#undo.focus();
  }

  #undoRemoval() {
    this.#templates.add(this.#removed);
    attribute(this.#undo, "hidden", true);
    this.#drawTemplates();
    /** @type {HTMLElement|null} */ (this.#templateList.querySelector(".template"))?.focus();
  }

  /** @param {Record<string, unknown> & {type: string}} command */
  #do(command) {
    this.ondeed(/** @type {Command} */ ({ ...command, session: this.#summary?.session }));
  }
}

customElements.define("composer-panel", ComposerPanel);
