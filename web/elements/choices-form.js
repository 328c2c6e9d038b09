/** `<choices-form>`: the notification settings of any device, and the amount of text in its pushes. */

import { kinds, clock, intervals, intervalWords, projectsIn, reachOf, read, textsFor, weekdays } from "../choices.js";
import { attribute, h, say, span, write } from "../dom.js";
import { t } from "../language.js";
import { titleOf } from "../session-words.js";
import { line } from "../text.js";

/** @typedef {import("./view.js").App} App */
/** @typedef {import("../choices.js").Kind} Kind */

/** Sessions offered for muting, besides those already muted: the most recent ones. */
const sessionsMax = 6;
/** The quiet hours that the form suggests. */
const usualNight = { from: "22:00", to: "07:00" };
const usualEvening = "18:00";
const usualInterval = 60;
const usualMorning = "09:00";

let made = 0;

export class ChoicesForm extends HTMLElement {
  /**
   * Called when the form closes, because all is saved or nothing was changed.
   * @type {() => void}
   */
  onclosed = () => undefined;

  // `open` sets the app and the device before any other call.
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  #device = "";
  #id = `choices-${(made += 1)}`;
  #kinds = h("div", { class: "choices" });
  #texts = h("div", { class: "choices" });
  #cost = h("input", { type: "checkbox" });
  #allow = h("input", { type: "checkbox" });
  #allowChoice = choice(this.#allow, t`Offer Allow in the notification`,
    t`Anyone who holds this device can then allow a command from its Lock Screen, as neither a web page nor ntfy can ask for an unlock first; of a topic or a receiver, anyone who can read it. Only where the notification shows the whole command and its host wants no signature.`);
  #gatherings = h("div", { class: "choices" });
  #minutes = h("select", { id: `${this.#id}-minutes` });
  #minutesField = h("div", { class: "quiet-hours" }, field(this.#minutes, t`After the first of it`));
  #at = h("input", { id: `${this.#id}-at`, type: "time" });
  #atZone = h("select", { id: `${this.#id}-at-zone` });
  #rules = h("input", { type: "checkbox" });
  #rulesChoice = choice(this.#rules, t`Count there what rules answered`, t`Calls that the machine's own rules allowed or denied, without asking anybody.`);
  #atFields = h("div", { class: "quiet-hours" }, field(this.#at, t`At`), field(this.#atZone, t`In this time zone`));
  #isWeekly = h("input", { type: "checkbox", onchange: () => this.#draw() });
  #weekday = h("select", { id: `${this.#id}-weekday` }, ...weekdays.map((day, place) => h("option", { value: String(place + 1) }, day)));
  #weeklyAt = h("input", { id: `${this.#id}-weekly-at`, type: "time" });
  #weeklyZone = h("select", { id: `${this.#id}-weekly-zone` });
  #weeklyFields = h("div", { class: "quiet-hours" }, field(this.#weekday, t`Each`), field(this.#weeklyAt, t`At this time`), field(this.#weeklyZone, t`Of this time zone`));
  #isQuiet = h("input", { type: "checkbox", onchange: () => this.#draw() });
  #from = h("input", { id: `${this.#id}-from`, type: "time" });
  #to = h("input", { id: `${this.#id}-to`, type: "time" });
  #zone = h("select", { id: `${this.#id}-zone` });
  #risks = h("input", { type: "checkbox" });
  #sealedRisks = h("p", { class: "quiet" }, t`Not for machines that seal what they report: the relay cannot see there what needs a second look.`);
  #hours = h("div", { class: "choices" }, h("div", { class: "quiet-hours" }, field(this.#from, t`From`), field(this.#to, t`To`), field(this.#zone, t`Time zone`)),
    choice(this.#risks, t`Ring all the same for what needs a second look`, t`Such as a command that deletes, or one that others will see.`), this.#sealedRisks);
  #projects = h("div", { class: "choices" });
  #sealedProjects = h("p", { class: "quiet foreign" });
  #projectsPart = group(t`Silent for these projects`, this.#projects, this.#sealedProjects);
  #muted = h("div", { class: "choices" });
  #mutedPart = group(t`Silent for these sessions`, this.#muted);
  #problem = h("p", { class: "problem", role: "alert" });
  #save = h("button", { type: "submit", class: "solid" }, t`Save`);
  #form = h("form", { class: "choices-form", onsubmit: (event) => this.#submit(event), onchange: () => this.#draw() },
    group(t`Rings for`, this.#kinds), group(t`Says`, this.#texts),
    group(t`Beside that`, h("div", { class: "choices" }, choice(this.#cost, t`Hide what it costs`, t`No push to this device names an amount.`), this.#allowChoice)),
    group(t`Errors, finished runs and budgets`, h("p", { class: "quiet" }, t`Approvals and questions are never gathered.`), this.#gatherings, this.#minutesField, this.#atFields, this.#rulesChoice),
    group(t`Weekly costs`, choice(this.#isWeekly, t`Tell once a week what it has cost`, t`One quiet notification: the sum, the week before, the project and model that cost most.`), this.#weeklyFields),
    group(t`Quiet hours`, choice(this.#isQuiet, t`Do not ring at night`, t`What waits then rings when they are over.`), this.#hours), this.#projectsPart, this.#mutedPart, this.#problem,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.onclosed() }, t`Back`), this.#save));

  connectedCallback() {
    if (!this.firstChild) this.append(this.#form);
  }

  /**
   * Fills the form with the current settings. Changes from other devices do not alter an open form.
   * @param {App} app @param {import("../choices.js").Device} device
   */
  open(app, device) {
    [this.#app, this.#device] = [app, device.device];
    this.#form.setAttribute("aria-label", t`What ${device.name} rings for`);
    this.#kinds.replaceChildren(...Object.entries(kinds).map(([kind, words]) =>
      choice(h("input", { type: "checkbox", value: kind, checked: device.kinds.includes(/** @type {Kind} */ (kind)) }), capital(words))));
    this.#texts.replaceChildren(...textsFor(device).map(({ text, name, meaning }) =>
      choice(h("input", { type: "radio", name: `${this.#id}-text`, value: text, checked: text === device.text }), name, meaning)));
    this.#cost.checked = device.hidesCost === true;
    this.#rules.checked = device.countsRules === true;
    this.#allow.checked = device.allowOnLockScreen === true;
    attribute(this.#allowChoice, "hidden", reachOf(device) === "app");
    const { gather } = device;
    const chosen = gather?.when ?? "";
    this.#gatherings.replaceChildren(...gatherings.map(([when, name, meaning]) =>
      choice(h("input", { type: "radio", name: `${this.#id}-gather`, value: when, checked: when === chosen }), name, meaning)));
    const minutes = gather?.minutes ?? usualInterval;
    this.#minutes.replaceChildren(...[...new Set([...intervals, minutes])].sort((a, b) => a - b).map((count) =>
      h("option", { value: String(count) }, intervalWords(count))));
    this.#minutes.value = String(minutes);
    this.#at.value = gather?.at === undefined ? usualEvening : clock(gather.at);
    fillZones(this.#atZone, gather?.timeZone);
    this.#isWeekly.checked = device.weekly !== undefined;
    this.#weekday.value = String(device.weekly?.weekday ?? 1);
    this.#weeklyAt.value = device.weekly ? clock(device.weekly.at) : usualMorning;
    fillZones(this.#weeklyZone, device.weekly?.timeZone);
    this.#isQuiet.checked = device.quiet !== undefined;
    this.#from.value = device.quiet ? clock(device.quiet.from) : usualNight.from;
    this.#to.value = device.quiet ? clock(device.quiet.to) : usualNight.to;
    fillZones(this.#zone, device.quiet?.timeZone);
    this.#risks.checked = device.quiet?.exceptRisks === true;
    this.#fillProjects(device.mutedProjects ?? []);
    this.#fillMuted(device.muted);
    write(this.#problem, "");
    this.#draw();
  }

  /** Moves the keyboard focus to the first field when the form opens. */
  land() {
    this.#form.querySelector("input")?.focus();
  }

  /** @param {import("../choices.js").HostProject[]} muted */
  #fillProjects(muted) {
    const { projects, sealed } = projectsIn(this.#app.state.sessions.values(), muted);
    this.#projects.replaceChildren(...projects.map(({ host, project, words, isMuted }) =>
      choice(h("input", { type: "checkbox", value: JSON.stringify({ host, project }), checked: isMuted }), words)));
    attribute(this.#projectsPart, "hidden", !projects.length);
    attribute(this.#sealedProjects, "hidden", !sealed.length);
    attribute(this.#sealedRisks, "hidden", !sealed.length);
    say(this.#sealedProjects, t`Not of ${sealed.join(", ")}: what is sealed there has no project for the relay. Mute single sessions instead.`, line);
  }

  /** @param {string[]} muted */
  #fillMuted(muted) {
    const { sessions } = this.#app.state;
    const latest = [...sessions.values()].sort((a, b) => b.lastActivityAt - a.lastActivityAt).slice(0, sessionsMax).map(({ session }) => session);
    const listed = [...new Set([...muted, ...latest])];
    attribute(this.#mutedPart, "hidden", !listed.length);
    this.#muted.replaceChildren(...listed.map((session) => {
      const summary = sessions.get(session);
      return choice(h("input", { type: "checkbox", value: session, checked: muted.includes(session) }), summary ? titleOf(summary) : t`Session ${session}`);
    }));
  }

  #draw() {
    attribute(this.#hours, "hidden", !this.#isQuiet.checked);
    attribute(this.#weeklyFields, "hidden", !this.#isWeekly.checked);
    attribute(this.#minutesField, "hidden", this.#gathering !== "interval");
    attribute(this.#atFields, "hidden", this.#gathering !== "daily");
    attribute(this.#rulesChoice, "hidden", this.#gathering === "");
    const isWhole = this.#text === "full";
    this.#allow.disabled = !isWhole;
    if (!isWhole) this.#allow.checked = false;
  }

  get #text() {
    return checked(this.#texts)[0] ?? "summary";
  }

  get #gathering() {
    return checked(this.#gatherings)[0] ?? "";
  }

  /** @returns {import("../choices.js").Draft["gather"]} */
  get #gather() {
    if (this.#gathering === "interval") return { minutes: Number(this.#minutes.value) };
    return this.#gathering === "daily" ? { at: this.#at.value, timeZone: this.#atZone.value } : null;
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    const said = read({
      kinds: /** @type {Kind[]} */ (checked(this.#kinds)), text: /** @type {import("../choices.js").Device["text"]} */ (this.#text), muted: checked(this.#muted),
      mutedProjects: checked(this.#projects).map((project) => JSON.parse(project)),
      weekly: this.#isWeekly.checked ? { weekday: Number(this.#weekday.value), at: this.#weeklyAt.value, timeZone: this.#weeklyZone.value } : null,
      gather: this.#gather, countsRules: this.#rules.checked, hidesCost: this.#cost.checked, allows: this.#allow.checked && !this.#allowChoice.hidden,
      quiet: this.#isQuiet.checked ? { from: this.#from.value, to: this.#to.value, timeZone: this.#zone.value, exceptRisks: this.#risks.checked } : null,
    });
    if ("problem" in said) return write(this.#problem, said.problem);
    write(this.#problem, "");
    this.#save.disabled = true;
    try {
      const { mutedUntil } = this.#app.state.devices?.get(this.#device)?.device ?? {};
      await this.#app.devices.choose(this.#device, mutedUntil ? { ...said.choices, mutedUntil } : said.choices);
      this.#app.announce(t`Saved`);
      this.onclosed();
    } catch (error) {
      write(this.#problem, t`Not saved: ${/** @type {Error} */ (error).message}`);
    }
    this.#save.disabled = false;
    return undefined;
  }
}

/**
 * The times for notifications that need no answer: the wire's value, its name and its meaning. @type {[when: string, name: string, meaning:
 * string][]}
 */
const gatherings = [
  ["", t`Each as it happens`, ""],
  ["interval", t`Gathered, now and then`, t`One quiet notification says how many there were.`],
  ["daily", t`Gathered, once a day`, t`The same, at a time that you choose.`],
];

/** @param {HTMLSelectElement} select @param {string} [chosen] */
function fillZones(select, chosen) {
  // Browsers from before 2022 cannot list time zones: the form then offers two.
  const { supportedValuesOf } = /** @type {{supportedValuesOf?: (key: "timeZone") => string[]}} */ (Intl);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = new Set([chosen ?? own, own, "UTC", ...(supportedValuesOf?.("timeZone") ?? [])]);
  select.replaceChildren(...[...zones].sort().map((zone) => h("option", { value: zone }, zone.replaceAll("_", " "))));
  select.value = chosen ?? own;
}

/** @param {HTMLElement} part @returns {string[]} */
const checked = (part) => [...part.querySelectorAll("input:checked")].map((input) => /** @type {HTMLInputElement} */ (input).value);

/** @param {string} words */
const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** @param {string} legend @param {...HTMLElement} parts */
const group = (legend, ...parts) => h("fieldset", {}, h("legend", {}, legend), ...parts);

/** @param {HTMLElement} input @param {string} label */
const field = (input, label) => h("div", { class: "field" }, h("label", { for: input.id }, label), input);

/** @param {HTMLInputElement} input @param {string} name May contain foreign text. @param {string} [meaning] */
function choice(input, name, meaning) {
  const words = span("choice-label foreign");
  say(words, name, line);
  return h("label", { class: "choice" }, input, span("", words, meaning && span("quiet", meaning)));
}

customElements.define("choices-form", ChoicesForm);
