/** `<session-view>`: one session, live: its activity and cost in a line, the timeline, and the text field. */

import { asText, attribute, h, icon, say, span, write } from "../dom.js";
import { strain } from "../budget-words.js";
import { ago, costOf } from "../format.js";
import { plural, t } from "../language.js";
import { askOfDevice, mute, ownDevice } from "../muting.js";
import { awayWords, sayingOf, statusOf, titleOf } from "../session-words.js";
import { keyOf, pageEvents, pending, takeHistory } from "../store.js";
import { isBusy } from "../steering.js";
import { line, ordered } from "../text.js";
import { lineCounts } from "./blocks.js";
import { noNews } from "./link-state.js";
import { SessionComposer } from "./session-composer.js";
import { SessionTimeline } from "./session-timeline.js";
import { View } from "./view.js";

/** The window is wide enough to show the facts beside the timeline. */
const beside = matchMedia("(min-width: 75em)");

export class SessionView extends View {
  session = "";

  #title = h("h2", { class: "foreign", tabindex: "-1" });
  #cost = span("session-cost");
  #lines = h("a", { class: "session-lines" });
  #terminal = h("a", { class: "session-lines" }, t`Screen`);
  #todo = span("session-todo");
  #progress = h("progress", { max: "1", value: "0", "aria-label": t`Tasks done` });
  #more = h("button", {
    type: "button", class: "facts-button", "aria-expanded": "false", "aria-controls": "session-facts",
    onclick: () => this.#openFacts(!this.#open),
  },
    this.#todo, this.#cost, span("unseen", t`Show the to-do list and the numbers`), icon("down"));
  /** The session's facts, changes and search load with the later part of the page, and are empty until then. */
  #facts = h("session-facts", { id: "session-facts" });
  #timeline = new SessionTimeline();
  #changes = document.createElement("session-changes");
  #find = h("session-find", { hidden: true });
  #showsChanges = false;
  #nowDot = h("span", { class: "dot", "aria-hidden": "true" });
  #nowStatus = h("strong");
  #nowOperation = span("now-operation foreign");
  #review = h("a", { class: "to-review", href: "#/approvals", hidden: true, onclick: (event) => this.#reveal(event) });
  #elsewhere = span("back-count");
  #firstWaiting = "";
  #composer = new SessionComposer();
  #now = h("p", { class: "now" }, this.#nowDot, this.#nowStatus, this.#nowOperation);
  #missing = h("p");
  #nowhere = h("div", { class: "empty" }, this.#missing, h("p", {}, h("a", { href: "#/" }, t`All sessions`)));
  #open = false;

  connectedCallback() {
    this.#timeline.onearlier = () => this.#load(({ first }) => ({ before: first }));
    this.#timeline.onnewer = () => this.#load(({ last }) => ({ before: last + pageEvents + 1 }));
    this.#timeline.onbeginning = () => this.#load(({ first }) => {
      const oldest = this.app.state.sessions.get(this.session)?.first ?? 1;
      return { before: Math.min(first, oldest + pageEvents), jump: true };
    });
    this.#timeline.ontakeback = (row) => this.#composer.takeBack(row);
    this.#composer.onsent = () => this.#timeline.toNewest();
    this.#timeline.onsendagain = (row) => this.#composer.sendAgain(row);
    this.#timeline.onlatest = () => this.app.link.rewatch(this.session);
    this.#timeline.onsettled = () => this.#title.focus({ preventScroll: true });
    this.#timeline.cards.onseen = () => this.#drawReview();
    this.append(
      h("div", { class: "session-head" },
        h("a", { class: "back", href: "#/", "aria-label": t`All sessions` }, icon("back"), this.#elsewhere),
        h("div", { class: "session-names" }, this.#title, this.#now),
        h("div", { class: "session-bar" }, this.#terminal, this.#lines, this.#more), this.#progress),
      h("div", { class: "session-body" }, this.#timeline, this.#changes, this.#find, this.#facts), this.#review, this.#composer, this.#nowhere);
    // Beside the timeline the facts need no button that opens them.
    const adapt = () => {
      attribute(this.#more, "disabled", beside.matches);
      if (beside.matches && this.session) this.#askForFacts();
    };
    beside.addEventListener("change", adapt);
    adapt();
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      if (this.#open) this.#openFacts(false);
      else if (this.#showsChanges) location.hash = `#/session/${this.session}`;
    });
  }

  /**
   * Called when the session is opened.
   * @param {string} session @param {boolean} changes True to show the file changes instead of the timeline.
   */
  arrive(session, changes) {
    const isSame = this.session === session;
    if (!isSame || changes) {
      if (!this.#find.hidden) this.#find.close();
      this.#openFacts(false);
    }
    if (beside.matches) this.#askForFacts();
    const wasThere = isSame && this.#showsChanges;
    this.session = session;
    this.#showsChanges = changes;
    attribute(this, "data-changes", changes);
    // Under the changes the timeline keeps its position.
    if (!changes && !wasThere) this.#timeline.arrive();
    this.#draw();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    if (changes.all || changes.approvals.size || changes.sessions.has(this.session) || changes.logs.has(this.session)) this.#draw();
  }

  /** @override */
  tick() {
    const summary = this.app.state.sessions.get(this.session);
    if (!summary || this.hidden) return;
    this.#composer.tick();
    this.#timeline.tick(isBusy(summary) ? this.app.now() : null);
    const rests = ["idle", "completed", "failed", "stale"].includes(summary.status);
    const since = rests ? `, ${ago(this.app.now() - summary.lastActivityAt)}` : "";
    write(this.#nowStatus, `${statusOf(summary)}${since}`);
  }

  #draw() {
    const { sessions, logs, loaded } = this.app.state;
    const summary = sessions.get(this.session);
    attribute(this, "data-missing", !summary);
    write(this.#missing, summary ? "" : loaded ? t`This relay has no such session.` : noNews(this.app.link));
    if (!summary) return;
    const { todo, status } = summary;
    say(this.#title, titleOf(summary), line);
    write(this.#cost, costOf(summary));
    attribute(this.#cost, "data-budget", strain(summary.budget));
    this.#drawLines(summary);
    attribute(this.#terminal, "hidden", !summary.steering?.screen);
    attribute(this.#terminal, "href", `#/session/${this.session}/screen`);
    write(this.#todo, todo?.total ? `${todo.completed}/${todo.total}` : this.#cost.textContent ? "" : t`Details`);
    attribute(this.#progress, "data-empty", !todo?.total);
    attribute(this.#progress, "max", Math.max(1, todo?.total ?? 1));
    attribute(this.#progress, "value", todo?.completed ?? 0);

    const log = logs.get(this.session);
    this.#drawFacts(summary, log);
    this.#composer.show(this.app, this.session, summary, log?.timeline ?? null);
    this.#timeline.show(log, this.session, this.app, this.#composer.queued);
    if (this.#showsChanges && "show" in this.#changes) this.#changes.show(this.app, this.session, log);

    const all = pending(this.app.state);
    const waiting = all.filter(({ session }) => session === this.session);
    attribute(this.#now, "data-status", waiting.length ? "waitingApproval" : status);
    const saying = waiting.length ? asText(waiting[0].request.head.title) : status === "completed" ? "" : sayingOf(summary);
    say(this.#nowOperation, summary.host.connected || summary.endedAt ? saying : awayWords(summary, this.app.now()), ordered);
    attribute(this.#review, "href", waiting.length ? `#/approvals/${keyOf(waiting[0])}` : "#/approvals");
    this.#firstWaiting = waiting[0]?.approval ?? "";
    write(this.#review, waiting.length > 1 ? t`Review ${plural(waiting.length, "request")}` : t`Review`);
    this.#drawReview();
    const elsewhere = all.filter(({ session }) => session !== this.session && !this.app.isLater(session)).length;
    write(this.#elsewhere, elsewhere ? String(elsewhere) : "");
    attribute(this.#elsewhere, "aria-label", elsewhere ? t`${elsewhere} waiting in others` : null);
    this.tick();
  }

  /** Opens the search in the conversation. */
  async search() {
    const { session } = this;
    const text = await this.app.loadTyping();
    if (!("open" in this.#find) || session !== this.session) return;
    this.#find.onread = (changes) => this.refresh(changes);
    this.#find.onfound = (key) => this.#timeline.showRow(key);
    this.#openFacts(false);
    if (this.#showsChanges) location.hash = `#/session/${this.session}`;
    this.#find.open(this.app, session, text);
  }

  /**
   * Decides by keyboard on the focused card; without one, only moves the focus to the first that waits.
   * @param {"allow"|"deny"} verb
   */
  decide(verb) {
    const { pending: waits } = this.#timeline.cards;
    const card = waits.find((one) => one.contains(document.activeElement));
    if (card) card.press(verb);
    else waits[0]?.arrive();
  }

  /** @param {import("../wire").Summary} summary @param {import("../store.js").Log|undefined} log */
  #drawFacts(summary, log) {
    if (!("show" in this.#facts)) return;
    this.#facts.onarchive = () => this.#archive();
    this.#facts.onpin = () => this.#pin();
    this.#facts.onmute = () => this.#mute();
    this.#facts.onfind = () => this.search();
    this.#facts.show(summary, log?.timeline.todo ?? null, {
      isArchived: this.app.archive.has(this.session), isPinned: this.app.pins.has(this.session), isMuted: ownDevice(this.app)?.muted.includes(this.session),
    });
  }

  /** Draws the button that leads to a waiting approval off screen. */
  #drawReview() {
    attribute(this.#review, "hidden", !this.#firstWaiting || (!this.#showsChanges && this.#timeline.cards.isSeen(this.#firstWaiting)));
  }

  /**
   * Draws the button between the timeline and the file changes.
   * @param {import("../wire").Summary} summary
   */
  #drawLines({ linesAdded, linesRemoved }) {
    const hasChanges = linesAdded > 0 || linesRemoved > 0 || Boolean(this.app.state.logs.get(this.session)?.edits.all.length);
    attribute(this.#lines, "hidden", !hasChanges && !this.#showsChanges);
    attribute(this.#lines, "href", `#/session/${this.session}${this.#showsChanges ? "" : "/changes"}`);
    const shown = this.#showsChanges ? [t`Conversation`] : linesAdded || linesRemoved ? [span("word", t`Changes `), lineCounts(linesAdded, linesRemoved)] : [t`Changes`];
    const drawn = h("span", {}, ...shown);
    if (this.#lines.textContent !== drawn.textContent) this.#lines.replaceChildren(...drawn.childNodes);
  }

  /** Pins the session on this device, or unpins it. */
  #pin() {
    const pins = !this.app.pins.has(this.session);
    this.app.pins.set([this.session], pins);
    this.app.announce(pins ? t`Pinned to the top of the list on this device` : t`No longer pinned`);
    this.app.listChanged();
    this.#draw();
  }

  async #mute() {
    const mutes = !ownDevice(this.app)?.muted.includes(this.session);
    if (await mute(this.app, this.session, mutes)) this.app.announce(mutes ? t`Muted on this device` : t`It rings on this device again`);
  }

  /** Archives the session on this device, or restores it. */
  #archive() {
    const archives = !this.app.archive.has(this.session);
    this.app.archive.set([this.session], archives);
    this.app.announce(archives ? t`Archived on this device; in the list again when it needs you` : t`In the list again`);
    this.app.listChanged();
    this.#draw();
  }

  /**
   * Shows a waiting approval in the timeline, or in the inbox if its row is not loaded or covered by the changes.
   * @param {Event} event
   */
  #reveal(event) {
    this.#openFacts(false);
    if (!this.#showsChanges && this.#timeline.reveal(this.#firstWaiting)) event.preventDefault();
  }

  #askForFacts() {
    askOfDevice(this.app);
    this.app.loadSeldom();
  }

  /** @param {boolean} open */
  #openFacts(open) {
    this.#open = open;
    if (open) this.#askForFacts();
    attribute(this.#facts, "data-open", open);
    attribute(this.#more, "aria-expanded", String(open));
  }

  /** @param {(log: import("../store.js").Log) => {before: number, jump?: boolean}} wanted */
  async #load(wanted) {
    const { state, link } = this.app;
    const { session } = this;
    const log = state.logs.get(session);
    if (!log) return this.#timeline.loaded({});
    const { before, jump } = wanted(log);
    try {
      const reply = await link.command({ type: "history", session, before, limit: pageEvents });
      this.refresh(takeHistory(state, session, { first: Number(reply.first), events: reply.events ?? [] }, { jump }));
      if (this.session === session) this.#timeline.loaded({ jump });
    } catch {
      this.#timeline.loadFailed();
    }
    return undefined;
  }
}

customElements.define("session-view", SessionView);
