/**
 * `<session-composer>`: the text field of a session. A written prompt stays in it until the relay has stored the prompt; the outcome comes from
 * the session's events.
 */

import { asText, attribute, h, icon, say, span, write } from "../dom.js";
import { heldWords } from "../budget-words.js";
import { Drafts } from "../drafts.js";
import { t } from "../language.js";
import { namedIn } from "../picture-names.js";
import { Sender } from "../sender.js";
import { actionWords, can, failureWords, firstWord, isAsking, isBusy, isOver, measure, outcomeWords, promptsOf, readingOf, standing } from "../steering.js";
import { line } from "../text.js";
import { pictureButton } from "./picture-button.js";
import { WaitingPrompts } from "./waiting-prompts.js";

/** @typedef {import("../wire").Summary} Summary */
/** @typedef {import("../timeline.js").Row} Row */

/** With a hardware keyboard Enter sends; on a phone Enter starts a new line and only the button sends. */
const hasKeyboard = matchMedia("(hover: hover) and (pointer: fine)");
/** An agent's longer reason is folded, because it would take room from the text that has to be read. */
const reasonCharactersMax = 90;
const asksAllWords = t`Every tool asks first: somebody has turned this on.`;
let made = 0;

export class SessionComposer extends HTMLElement {
  session = "";
  /** @type {() => void} Called when the relay has stored the prompt, so that the timeline shows it. */ onsent = () => undefined;
  /** Interrupts the agent. Hidden while an approval waits, which is decided instead; the panel can still interrupt. */
  #stopNow = h("button", { type: "button", class: "interrupt", "aria-label": t`Interrupt`, title: t`Interrupt`, hidden: true, onclick: () => this.#interrupt() }, icon("stop"));
  /** @type {Set<string>} Keys of the waiting prompts that are listed here instead of in the timeline. */ queued = new Set();

  #id = `composer-${(made += 1)}`;
  #app = /** @type {import("./view.js").App} */ (/** @type {unknown} */ (undefined));
  #sender = /** @type {Sender} */ (/** @type {unknown} */ (undefined));
  #drafts = new Drafts(() => localStorage);
  #summary = /** @type {Summary|undefined} */ (undefined);
  /** @type {import("../timeline.js").Timeline|null} */ #timeline = null;
  /** @type {Map<string, string>} The last announced outcome of this device's commands, by row key. */ #told = new Map();

  #reason = span("foreign");
  #command = h("code");
  #why = h("p", { class: "composer-why" }, this.#reason, " ", this.#command);
  #longReason = h("p", { class: "foreign" });
  #whyFold = h("details", { class: "fold composer-why", hidden: true }, h("summary", {}, t`No prompts from here. Why?`), this.#longReason);
  #waiting = new WaitingPrompts();
  /** Held prompts, the choice of pictures and the panel load with the later part of the page, and are empty until then. */
  #held = h("held-prompts", { hidden: true });
  #problem = h("p", { class: "problem", role: "alert" });
  #note = h("p", { class: "composer-note quiet", id: `${this.#id}-note` });
  /** Commands and files that fit what is typed; it loads when they are first asked for. */ #offers = h("composer-offers", { hidden: true });
  #asCommand = h("input", { type: "checkbox", onchange: () => this.#kept() });
  #asCommandWords = span("foreign");
  #asCommandLine = h("label", { class: "choice composer-command" }, this.#asCommand, this.#asCommandWords);
  #queue = h("input", { type: "radio", name: `${this.#id}-busy`, value: "queue", checked: true });
  #steer = h("input", { type: "radio", name: `${this.#id}-busy`, value: "steer" });
  #busy = h("fieldset", { class: "composer-busy" }, h("legend", { class: "unseen" }, t`The agent is working`),
    h("label", {}, this.#queue, t`When it is free`), h("label", {}, this.#steer, t`Tell it now`));
  #text = h("textarea", {
    id: `${this.#id}-text`, rows: "1", "aria-label": t`Tell the agent`, placeholder: t`Tell the agent …`, "aria-describedby": `${this.#id}-note`, autocomplete: "off", dir: "auto",
    oninput: () => this.#written(), onkeydown: (event) => this.#key(event),
  });
  #send = h("button", { type: "submit", class: "solid", "aria-label": t`Send` }, icon("send"));
  #more = h("button", {
    type: "button", class: "composer-more", "aria-expanded": "false", "aria-controls": `${this.#id}-panel`, "aria-label": t`Mode, model and commands`,
    onclick: () => this.#open(this.#panel.hidden),
  }, icon("more"));
  #adding = pictureButton((file) => this.#withPictures((pictures) => pictures.take(this.session, file)));
  #pictures = h("picture-choice", { hidden: true });
  #isBringing = false;
  /** The part that handles pictures is loading; nothing is sent before the chosen picture has been added. */ #isAdding = false;
  #form = h("form", { class: "composer-form", onsubmit: (event) => { event.preventDefault(); this.#submit(); } }, this.#more, this.#adding.button, this.#text, h("speech-button", { hidden: true }), this.#stopNow, this.#send);
  #asksAll = h("p", { class: "composer-asks", hidden: true });
  #panel = h("composer-panel", { class: "composer-panel", id: `${this.#id}-panel`, role: "group", "aria-label": t`Mode, model and commands`, hidden: true });
  #box = h("div", { class: "composer-box" }, this.#held, this.#waiting, this.#panel, this.#problem, this.#asCommandLine, this.#busy, this.#pictures, this.#adding.files, this.#note, this.#offers, this.#form);

  connectedCallback() {
    if (this.firstChild) return;
    this.#waiting.hands = {
      me: "", maySteer: true, queued: this.queued, openThreads: new Set(), takeBack: (row) => this.takeBack(row), sendAgain: (row) => this.sendAgain(row),
    };
    this.append(this.#asksAll, this.#why, this.#whyFold, this.#box);
    // The field shrinks when it loses the focus, and would move the elements above it away from the finger.
    for (const above of [this.#held, this.#waiting]) above.addEventListener("mousedown", (event) => event.target instanceof Element && event.target.closest("button") && event.preventDefault());
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.#panel.hidden) return;
      event.stopPropagation();
      this.#open(false);
      this.#more.focus();
    });
  }

  /**
   * @param {import("./view.js").App} app @param {string} session @param {Summary} summary
   * @param {import("../timeline.js").Timeline|null} timeline
   */
  show(app, session, summary, timeline) {
    this.#app = app;
    this.#sender ??= new Sender(app.link, () => this.#draw(), app.trust);
    const isOther = session !== this.session;
    this.session = session;
    this.#summary = summary;
    this.#timeline = timeline;
    if (isOther) {
      this.#told.clear();
      this.#open(false);
      this.#queue.checked = true;
      this.#fill();
    }
    this.#tellOutcomes(isOther);
    this.#draw();
  }

  /**
   * Takes back a waiting prompt of any client.
   * @param {Row} row
   */
  takeBack({ event: { head } }) {
    this.#do({ type: "withdraw", session: this.session, client: String(head.by?.id), command: String(head.command) }, `withdraw ${head.command}`);
  }

  /**
   * Puts the text of a failed prompt back into the field; only the person sends it.
   * @param {Row} row
   */
  sendAgain({ event: { body } }) {
    this.#insert(String(body?.text ?? ""));
    if (namedIn(body?.pictures).length) this.#withPictures((pictures) => pictures.again(this.session, body?.pictures));
    this.#written();
    this.#text.focus();
  }

  /**
   * Inserts text below the text in the field.
   * @param {string} text
   */
  #insert(text) {
    const written = this.#text.value;
    this.#text.value = written.trim() && written !== text ? `${written}\n\n${text}` : text;
  }

  /**
   * Puts a template or a prompt that was taken back into the field.
   * @param {string} text
   */
  #take(text) {
    this.#insert(text);
    this.#open(false);
    this.#written();
    this.#text.focus();
  }

  /**
   * Holds the written text in this browser until a time, or until the agent is idle.
   * @param {number|undefined} at
   */
  #hold(at) {
    const { session } = this;
    const text = this.#text.value;
    if (this.#holdObstacle) return;
    this.#app.held.hold({ session, text, ...(this.#asCommand.checked ? { command: true } : {}), ...(at === undefined ? {} : { at }) });
    this.#drafts.keep(session, { text: "" });
    this.#fill();
    this.#open(false);
    this.#draw();
    this.#app.announce(t`It waits in this browser, and is sent while this page is open`);
    this.#text.focus();
  }

  /** The reason why the written text cannot be held; empty if it can. */
  get #holdObstacle() {
    const text = this.#text.value;
    if (!text.trim()) return t`Write it first.`;
    if (this.#takesPictures && this.#chosen && this.#chosen.count) return t`Pictures cannot wait here: send it now, or take them away.`;
    return this.#app.held.obstacle(text);
  }

  #fill() {
    const { text, command } = this.#drafts.of(this.session);
    this.#text.value = text;
    this.#asCommand.checked = command !== undefined && command === firstWord(text);
    this.#grow();
  }

  #written() {
    const command = firstWord(this.#text.value);
    if (this.#asCommand.checked && this.#drafts.of(this.session).command !== command) this.#asCommand.checked = false;
    this.#keep();
    this.#sender.forgetFailures();
    this.#grow();
    this.#draw();
  }

  /** A changed text is another prompt and gets an id of its own. */
  #keep() {
    const text = this.#text.value;
    this.#drafts.keep(this.session, this.#asCommand.checked ? { text, command: firstWord(text) } : { text });
  }

  /** A draft that becomes a command, or gets other pictures, is another prompt. */
  #kept() {
    this.#keep();
    this.#draw();
  }

  /**
   * Turns the draft into one of the agent's own commands.
   * @param {string} command
   */
  #takeCommand(command) {
    this.#text.value = `${command} `;
    this.#asCommand.checked = true;
    this.#keep();
    this.#grow();
    this.#draw();
    this.#text.focus();
  }

  get #choices() {
    return "takes" in this.#offers ? this.#offers : undefined;
  }

  /** @param {boolean} isHere A prompt can be written. @param {Summary} summary */
  #offer(isHere, { steering, agent }) {
    const text = this.#text.value;
    const commands = isHere && text.startsWith("/") ? steering?.commands ?? [] : [];
    const edits = isHere && text.includes("@") ? this.#app.state.logs.get(this.session)?.edits.all ?? [] : [];
    const files = [...new Set(edits.map(({ head }) => asText(head.path)).reverse())];
    const choices = this.#choices;
    if (!choices) {
      if (commands.length || files.length) this.#app.loadSeldom();
      return;
    }
    choices.oncommand = (command) => this.#takeCommand(command);
    choices.onfile = (path, from, to) => {
      this.#text.setRangeText(`@${path} `, from, to, "end");
      this.#written();
    };
    choices.show(this.#text, { commands, files, agent: agent.name });
  }

  /** Grows the field with its text, up to the style sheet's limit. */
  #grow() {
    this.#text.style.height = "auto";
    if (this.#text.value) this.#text.style.height = `${this.#text.scrollHeight + 2}px`;
  }

  /**
   * The arrow keys recall earlier prompts of this session, as in a shell. In newly written text, and away from its end, they move the cursor.
   * @param {KeyboardEvent} event
   * @returns {boolean} True if the key was handled.
   */
  #recall({ key, shiftKey, altKey, ctrlKey, metaKey }) {
    const way = { ArrowUp: 1, ArrowDown: -1 }[key];
    if (!way || this.#text.readOnly || this.#text.selectionStart !== this.#text.value.length || shiftKey || altKey || ctrlKey || metaKey) return false;
    const said = promptsOf(this.#timeline?.rows ?? []);
    const at = this.#text.value === "" ? -1 : said.indexOf(this.#text.value);
    if (this.#text.value !== "" && at < 0) return false;
    const next = at + way;
    if (next < -1 || next >= said.length) return false;
    this.#text.value = said[next] ?? "";
    this.#written();
    return true;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (isComposed(event)) return;
    if (this.#choices?.takes(event)) {
      event.preventDefault();
      event.stopPropagation();
      return this.#draw();
    }
    if (this.#recall(event)) event.preventDefault();
    if (event.key !== "Enter" || event.shiftKey || event.altKey) return;
    if (!(event.ctrlKey || event.metaKey || hasKeyboard.matches)) return;
    event.preventDefault();
    this.#submit();
  }

  async #submit() {
    const { session } = this;
    const text = this.#text.value;
    if (this.#send.disabled || !this.#summary) return;
    const isCommand = this.#asCommand.checked;
    this.#isBringing = true;
    this.#draw();
    const pictures = this.#takesPictures && this.#chosen ? await this.#chosen.brought(session) : [];
    this.#isBringing = false;
    if (!pictures || session !== this.session) return this.#draw();
    const draft = this.#drafts.of(session);
    const id = draft.id ?? this.#sender.freshID();
    this.#drafts.keep(session, { ...draft, text, id });
    const busy = this.#isSteered ? "steer" : "queue";
    const error = await this.#sender.send(session, "prompt", { type: "prompt", session, text, busy, ...(isCommand ? { command: true } : {}), ...(pictures.length ? { pictures } : {}) }, id);
    if (error === undefined) return;
    if (error === null) return this.#sent(session, id);
    // A refused id stays refused, so the text gets a new one; after a lost link the outcome is unknown, so it keeps its id.
    if (error.code !== "linkLost" && this.#drafts.of(session).id === id) this.#drafts.keep(session, { ...this.#drafts.of(session), id: undefined });
  }

  /** The element that handles pictures, once it has loaded. */
  get #chosen() {
    return "brought" in this.#pictures ? this.#pictures : undefined;
  }

  /** @param {(pictures: import("./picture-choice.js").PictureChoice) => unknown} deed */
  async #withPictures(deed) {
    const { session } = this;
    this.#isAdding = true;
    this.#draw();
    await this.#app.loadSeldom();
    this.#isAdding = false;
    if (this.#chosen) this.#chosen.onchanged = () => this.#kept();
    this.#draw();
    if (this.#chosen && session === this.session) deed(this.#chosen);
  }

  get #takesPictures() {
    return this.#summary?.steering?.pictures === true && !this.#asCommand.checked;
  }

  get #isSteered() {
    return this.#summary !== undefined && isBusy(this.#summary) && this.#summary.steering?.whileBusy === true && this.#steer.checked;
  }

  /**
   * Clears the draft, because the relay has stored the prompt.
   * @param {string} session @param {string} id
   */
  #sent(session, id) {
    if (this.#drafts.of(session).id !== id) return;
    this.#drafts.keep(session, { text: "" });
    this.#chosen?.forget(session);
    this.#sender.forgetFailures();
    if (session !== this.session) return;
    this.#queue.checked = true;
    this.#fill();
    this.#draw();
    this.onsent();
  }

  #interrupt() {
    this.#do({ type: "interrupt", session: this.session });
  }

  /** @param {import("../wire").Command} command @param {string} [deed] */
  async #do(command, deed = command.type) {
    const error = await this.#sender.send(this.session, deed, command);
    if (error === null) this.#open(false);
  }

  /**
   * Announces each outcome of this device's commands once. A prompt in the log has been sent, whatever the state of the link.
   * @param {boolean} isFirst True for the first drawing, whose outcomes are not announced.
   */
  #tellOutcomes(isFirst) {
    const me = this.#app.state.welcome?.client.id ?? "";
    const { id } = this.#drafts.of(this.session);
    if (id && this.#timeline?.row(`s:${me}.${id}`)) this.#sent(this.session, id);
    for (const row of this.#timeline?.steered ?? []) {
      if (row.event.head.by?.id !== me) continue;
      const words = `${row.event.head.action === "prompt" ? t`Prompt` : actionWords(row)}: ${outcomeWords(row)}`;
      if (this.#told.get(row.key) === words) continue;
      this.#told.set(row.key, words);
      if (!isFirst && isOver(row)) this.#app.announce(words);
    }
  }

  /** @param {boolean} opens */
  #open(opens) {
    attribute(this.#panel, "hidden", !opens);
    if (opens) this.#app.loadSeldom();
    attribute(this.#more, "aria-expanded", String(opens));
  }

  #draw() {
    const summary = this.#summary;
    const { welcome } = this.#app.state;
    if (!summary || !welcome) return;
    const { may } = welcome;
    const { isLive } = this.#app.link;
    const { composes, reason, command } = this.#standing(may, summary, isLive);
    // A field with text or focus stays, even if the host stops offering prompts meanwhile.
    const isHere = composes || (may.includes("steer") && !summary.endedAt && (this.#text.value !== "" || this.#form.contains(document.activeElement)));
    const others = /** @type {const} */ (["mode", "model", "askAll", "stop"]).filter((action) => summary.steering?.actions.includes(action));
    const stops = isBusy(summary) && !isAsking(summary) && can(may, summary, true, "interrupt");
    const held = this.#app.held?.of(this.session) ?? [];
    attribute(this.#box, "hidden", !isHere && !stops && !held.length && !(others.length && may.includes("steer") && !summary.endedAt));
    attribute(this.#text, "hidden", !isHere);
    attribute(this.#send, "hidden", !isHere);
    const isLong = !isHere && reason.length > reasonCharactersMax;
    attribute(this.#why, "hidden", reason === "" || isLong);
    attribute(this.#whyFold, "hidden", !isLong);
    say(this.#longReason, isLong ? reason : "", line);
    write(this.#asksAll, heldWords(summary) || asksAllWords);
    attribute(this.#asksAll, "hidden", !(summary.steering?.asksAll || heldWords(summary)) || Boolean(summary.endedAt));
    attribute(this, "hidden", [this.#asksAll, this.#why, this.#whyFold, this.#box].every((part) => part.hidden));
    say(this.#reason, isLong ? "" : reason, line);
    write(this.#command, command ?? "");
    attribute(this.#command, "hidden", !command);
    this.#waiting.hands.me = welcome.client.id;
    this.#waiting.show(this.#box.hidden ? [] : this.#timeline?.prompts ?? []);
    this.#drawHeld(held);
    this.#drawPanel(summary, may, isLive, others, isHere);
    this.#drawForm(summary, isHere, reason !== "");
    attribute(this.#stopNow, "hidden", !stops);
    attribute(this.#stopNow, "disabled", !can(may, summary, isLive, "interrupt") || this.#sender.attempt(this.session, "interrupt")?.sending === true);
  }

  /**
   * @param {string[]} may @param {Summary} summary @param {boolean} isLive
   * @returns {import("../steering.js").Standing}
   */
  #standing(may, summary, isLive) {
    const all = standing(may, summary, isLive);
    const untrusted = all.composes ? this.#untrusted : "";
    return untrusted ? { composes: false, reason: untrusted } : all;
  }

  /** The reason why the host refuses commands of this browser that give its agent more freedom; empty if it accepts them. */
  get #untrusted() {
    return this.#app.trust.steeringObstacle(this.session, this.#summary?.host.name ?? "");
  }

  /** @param {Summary} summary @param {boolean} isHere @param {boolean} isBlocked */
  #drawForm(summary, isHere, isBlocked) {
    const { steering } = summary;
    const text = this.#text.value;
    const { words, isTooLong } = measure(text, steering?.seals);
    const sending = this.#isBringing || this.#sender.attempt(this.session, "prompt")?.sending === true;
    this.#chosen?.show(this.session, isHere && this.#takesPictures);
    attribute(this.#adding.button, "hidden", !isHere || !this.#takesPictures);
    attribute(this.#adding.button, "disabled", sending || this.#isAdding || this.#chosen?.isFull);
    const named = firstWord(text);
    const isOffered = steering?.commands?.includes(named) === true;
    attribute(this.#asCommandLine, "hidden", !isHere || !isOffered);
    if (!isOffered) this.#asCommand.checked = false;
    say(this.#asCommandWords, t`Run it as the agent's command ${named}`, line);
    const busy = isBusy(summary);
    attribute(this.#busy, "hidden", !isHere || !busy || !steering?.whileBusy || text.trim() === "");
    const waits = busy && text.trim() !== "" && !steering?.whileBusy ? t`The agent is working: it waits until that is done.` : "";
    this.#offer(isHere, summary);
    const reading = this.#choices?.isOpen && !isOffered ? "" : readingOf(text, this.#asCommand.checked);
    say(this.#note, [words, reading, waits].filter(Boolean).join(" "), line);
    attribute(this.#note, "data-strain", isTooLong);
    this.#text.readOnly = sending;
    attribute(this.#send, "disabled", sending || this.#isAdding || this.#chosen?.isReading || isBlocked || isTooLong || text.trim() === "");
    attribute(this.#send, "aria-label", sending ? t`Sending …` : t`Send`);
    const failed = this.#failure();
    write(this.#problem, this.#chosen?.problem || (failed ? failureWords(failed) : ""));
  }

  /** The last command of this device that the relay refused. */
  #failure() {
    const withdrawals = (this.#timeline?.prompts ?? []).map(({ event }) => `withdraw ${event.head.command}`);
    return ["prompt", "interrupt", "mode", "model", "askAll", "stop", ...withdrawals].map((deed) => this.#sender.attempt(this.session, deed)?.error).find((error) => error);
  }

  /** @param {import("../held.js").HeldPrompt[]} held */
  #drawHeld(held) {
    attribute(this.#held, "hidden", !held.length);
    if (!held.length) return;
    if (!("show" in this.#held)) return;
    this.#held.ontakeback = (text) => this.#take(text);
    const summary = /** @type {Summary} */ (this.#summary);
    this.#held.show(this.#app, held, this.#standing(this.#app.state.welcome?.may ?? [], summary, this.#app.link.isLive).reason);
  }

  /** Called every second. */
  tick() {
    if (!this.#held.hidden) this.#drawHeld(this.#app.held.of(this.session));
  }

  /** @param {Summary} summary @param {string[]} may @param {boolean} isLive @param {string[]} others @param {boolean} isHere */
  #drawPanel(summary, may, isLive, others, isHere) {
    const takesPrompts = summary.steering?.actions.includes("prompt") === true;
    // An agent that takes no prompts is interrupted at its next tool call; while it asks, only a denial stops it.
    const isInstead = isAsking(summary) && takesPrompts && can(may, summary, true, "interrupt");
    attribute(this.#more, "hidden", !others.length && !(takesPrompts && summary.steering?.commands?.length) && !isInstead && !isHere);
    if (this.#more.hidden) this.#open(false);
    if (!("show" in this.#panel)) return;
    this.#panel.ondeed = (command) => this.#do(command);
    this.#panel.oncommands = () => this.#take("/");
    this.#panel.onhold = (at) => this.#hold(at);
    this.#panel.ontemplate = (text) => this.#take(text);
    this.#panel.show(summary, {
      written: isHere ? this.#text.value : null, holdObstacle: isHere ? this.#holdObstacle : "",
      may, isLive, isInstead, isUntrusted: this.#untrusted !== "", isSending: (deed) => this.#sender.attempt(this.session, deed)?.sending === true,
    });
  }
}

/**
 * True for a key of an input method, such as the Enter that accepts a word. Safari sends that key after the composition has ended, marked only by key code 229.
 * @param {KeyboardEvent} event
 */
const isComposed = (event) => event.isComposing || event.keyCode === 229;

customElements.define("session-composer", SessionComposer);
