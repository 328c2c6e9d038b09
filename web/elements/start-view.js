/** `<start-view>`: starts a session in a project of a host, or resumes a past one. */

import { arrange, attribute, h, icon, say, span, write } from "../dom.js";
import { ago } from "../format.js";
import { t } from "../language.js";
import { likeliest, outcomeOf, placesOf, startAdvice, startObstacle } from "../starts.js";
import { measure } from "../steering.js";
import { line } from "../text.js";
import { pictureButton } from "./picture-button.js";
import { PictureChoice } from "./picture-choice.js";
import { View } from "./view.js";

/** @typedef {import("../starts.js").Place} Place */
/** @typedef {{id: string, session: string, verb: "start"|"resume"|"past"}} Sent */

export class StartView extends View {
  #project = h("select", { id: "start-project", onchange: () => this.#choose() });
  #agent = h("select", { id: "start-agent", onchange: () => this.#choose() });
  #mode = h("select", { id: "start-mode" });
  #model = h("input", { id: "start-model", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: "256", placeholder: t`its own` });
  #prompt = h("textarea", { id: "start-prompt", rows: "3", dir: "auto", placeholder: t`What is to be done?` });
  #adviceWords = h("p");
  #command = h("code");
  #advice = h("div", { class: "empty", hidden: true }, icon("plus", "drawing"), this.#adviceWords, h("p", {}, this.#command));
  #pictures = new PictureChoice();
  #adding = pictureButton((file) => this.#pictures.take(this.#place?.session ?? "", file));
  #start = h("button", { type: "submit", class: "solid" }, t`Start`);
  #list = h("button", { type: "button", class: "plain", onclick: () => this.#send("past") }, t`Past sessions`);
  #state = h("p", { class: "quiet foreign", role: "status" });
  #problem = h("p", { class: "problem foreign", role: "alert" });
  #past = h("ol", { class: "rows past-sessions", "aria-label": t`Past sessions`, tabindex: "-1" });
  #form = h("form", { class: "budget-form", onsubmit: (event) => { event.preventDefault(); this.#send("start"); } });
  #shown = "";
  /** The subscribed session that represents the host. */ #followed = "";
  /** @type {Sent|null} */ #sent = null;
  #isBringing = false;

  connectedCallback() {
    this.#pictures.onchanged = () => this.#draw(this.#place);
    const field = (/** @type {string} */ words, /** @type {HTMLElement} */ input) => h("div", { class: "field" }, h("label", { for: input.id }, words), input);
    this.#form.append(field(t`First prompt`, this.#prompt), this.#pictures, this.#adding.files, field(t`Project`, this.#project),
      h("div", { class: "start-how" }, field(t`Agent`, this.#agent), field(t`Mode`, this.#mode), field(t`Model`, this.#model)),
      h("div", { class: "buttons" }, this.#adding.button, this.#list, this.#start), this.#state, this.#problem);
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, t`New session`)), this.#advice, h("div", { class: "sheet" }, this.#form, this.#past));
  }

  /** Called when the view is opened. */
  arrive() {
    this.#choose();
  }

  /** Called when the view is closed; outcomes of sent commands are read when it opens again. */
  leave() {
    if (this.#followed) this.app.link.unwatch(this.#followed);
    this.#followed = "";
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    if (changes.all || changes.logs.has(this.#followed) || [...this.app.state.hosts.keys()].some((id) => changes.sessions.has(id))) this.#choose();
  }

  get #place() {
    const places = placesOf(this.app.state.hosts);
    return places.find(({ key }) => key === this.#project.value) ?? places[0];
  }

  #choose() {
    const places = placesOf(this.app.state.hosts);
    const likely = this.#project.options.length ? undefined : likeliest(places, this.app.state.sessions.values());
    fill(this.#project, places.map(({ key, project, host, folder }) => [key, `${project} · ${host} · ${folder}`]));
    if (likely?.place) this.#project.value = likely.place.key;
    const place = this.#place;
    fill(this.#agent, (place?.agents ?? []).map(({ name, title }) => [name, title]));
    if (likely?.agent) this.#agent.value = likely.agent;
    const agent = place?.agents.find(({ name }) => name === this.#agent.value);
    fill(this.#mode, [["", t`the one that asks most`], ...(agent?.modes ?? []).map((mode) => /** @type {[string, string]} */ ([mode, mode]))]);
    if (place && place.session !== this.#followed) {
      this.leave();
      this.#followed = place.session;
      this.app.link.watch(place.session);
    }
    const shown = `${place?.key} ${agent?.name}`;
    if (shown !== this.#shown) this.#past.replaceChildren();
    this.#shown = shown;
    this.#draw(place);
  }

  /** @param {Place|undefined} place @param {Sent["verb"]} [verb] The command to send; asking for past sessions needs no signature. */
  #obstacle(place, verb = "start") {
    const why = startObstacle(this.app.state.welcome?.may ?? [], place, this.app.link.isLive);
    return why || verb === "past" ? why : this.app.trust.obstacle(place?.consent, place?.host ?? "");
  }

  /** @param {Place|undefined} place */
  #draw(place) {
    const why = this.#obstacle(place);
    const advice = this.app.state.loaded ? startAdvice(this.app.state.welcome?.may ?? [], place) : null;
    attribute(this.#advice, "hidden", !advice);
    attribute(this.#form, "hidden", Boolean(advice));
    write(this.#adviceWords, advice?.words ?? "");
    write(this.#command, advice?.command ?? "");
    const isBusy = this.#sent !== null || this.#isBringing;
    attribute(this.#start, "disabled", why !== "" || isBusy || this.#pictures.isReading);
    attribute(this.#list, "disabled", this.#obstacle(place, "past") !== "" || isBusy || this.#pictures.isReading);
    const takesPictures = place?.agents.find(({ name }) => name === this.#agent.value)?.pictures === true;
    this.#pictures.show(place?.session ?? "", takesPictures);
    attribute(this.#adding.button, "hidden", !takesPictures);
    attribute(this.#adding.button, "disabled", isBusy || this.#pictures.isFull);
    if (this.#pictures.problem) write(this.#problem, this.#pictures.problem);
    if (why || !this.#sent) say(this.#state, why, line);
    else write(this.#state, t`On its way to the host …`);
    const sent = this.#sent;
    const outcome = sent && outcomeOf(this.app.state.logs.get(sent.session)?.events ?? [], sent.id);
    if (!sent || !outcome) return;
    this.#sent = null;
    this.#draw(place);
    write(this.#state, this.#obstacle(place));
    if (outcome.past) return this.#showPast(outcome.past);
    if (outcome.stage === "taken" && outcome.started) {
      this.#prompt.value = "";
      this.#pictures.forget(sent.session);
      location.hash = `#/session/${outcome.started}`;
    } else {
      say(this.#problem, outcome.words, line);
      this.#problem.scrollIntoView({ block: "nearest" });
      if (outcome.started) this.#problem.append(" ", h("a", { href: `#/session/${outcome.started}` }, t`Look at it`));
    }
    return undefined;
  }

  /** @param {import("../starts.js").Past[]} past */
  #showPast(past) {
    const now = this.app.now();
    arrange(this.#past, past.length ? past.map(({ id, title, at, open }) => {
      const name = span("foreign past-title");
      say(name, title || id, line);
      const resume = h("button", { type: "button", class: "plain small", disabled: open === true, onclick: () => this.#send("resume", id) }, open ? t`Open elsewhere` : t`Resume`);
      attribute(resume, "aria-label", `${open ? t`Open elsewhere` : t`Resume`}: ${name.textContent}`);
      return h("li", { class: "past-session" }, name, span("quiet", ago(now - at)), resume);
    }) : [h("li", { class: "quiet" }, t`No past sessions in this project.`)]);
    this.app.announce(t`${past.length} past sessions`);
    this.#past.focus({ preventScroll: true });
    this.#past.scrollIntoView({ block: "start" });
  }

  /** @param {Sent["verb"]} verb @param {string} [past] */
  async #send(verb, past) {
    const place = this.#place;
    const text = verb === "past" ? "" : this.#prompt.value.trim();
    write(this.#problem, "");
    if (!place || this.#sent || this.#isBringing || this.#obstacle(place, verb)) return;
    if (measure(text, this.app.state.hosts.get(place.session)?.steering?.seals).isTooLong) return write(this.#problem, t`The prompt is too long: name a file instead.`);
    const target = { session: place.session, project: place.project, agent: this.#agent.value };
    const [mode, model] = [this.#mode.value, this.#model.value.trim()];
    /** @type {{pictures?: import("../wire").Picture[]}} */ let shown = {};
    if (verb !== "past" && !this.#pictures.hidden) {
      if (!text) return write(this.#problem, t`Write a prompt that goes with the picture.`);
      this.#isBringing = true;
      this.#draw(place);
      const pictures = await this.#pictures.brought(place.session);
      this.#isBringing = false;
      if (!pictures) return this.#draw(place);
      shown = { pictures };
    }
    const rest = { ...(mode ? { mode } : {}), ...(model ? { model } : {}), ...(text ? { text } : {}), ...shown };
    const id = this.app.link.freshID();
    this.#sent = { id, session: place.session, verb };
    this.#draw(place);
    try {
      const command = verb === "past" ? { type: verb, ...target } : verb === "resume" ? { type: verb, past: past ?? "", ...target, ...rest } : { type: verb, ...target, ...rest };
      await this.app.link.command(await this.app.trust.signed(command, id), { id });
    } catch (error) {
      const { code, message } = /** @type {import("../link.js").CommandError} */ (error);
      this.#sent = null;
      say(this.#problem, code === "linkLost" ? t`The connection broke: look among the sessions whether it has begun.` : t`Not started: ${message}`, line);
      this.#draw(place);
    }
    return undefined;
  }
}

/**
 * Updates the options of a menu; existing options and the chosen one are kept.
 * @param {HTMLSelectElement} select @param {[value: string, words: string][]} choices
 */
function fill(select, choices) {
  const key = JSON.stringify(choices);
  if (select.dataset.choices === key) return;
  select.dataset.choices = key;
  const chosen = select.value;
  select.replaceChildren(...choices.map(([value, words]) => {
    const option = h("option", { value });
    say(option, words, line);
    return option;
  }));
  if (choices.some(([value]) => value === chosen)) select.value = chosen;
}

customElements.define("start-view", StartView);
