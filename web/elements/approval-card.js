/**
 * `<approval-card>`: one approval, from the request to its outcome.
 *
 * The request is drawn once from its structured input, and never shortened. *Allow* is enabled once both ends of the text have been on screen
 * for a moment, so that neither a long command nor a finger that was already moving allows unread text. Stages come
 * from the relay alone: the card never says "allowed" before the relay does. A settled card can fold to one line.
 */

import { conflict, isWhole, modeAfter, obstacle, outcome, steps, unseenWords, waysToAllow } from "../approvals.js";
import { heldWords } from "../budget-words.js";
import { asText, attribute, h, icon, nodes, say, span, write } from "../dom.js";
import { ago, left } from "../format.js";
import { buzz } from "../haptics.js";
import { pieces, t } from "../language.js";
import { chosenIn, offersOf, verdictOf } from "../offers.js";
import { has, watchesOnly } from "../rights.js";
import { riskWords } from "../risk-words.js";
import { placeOf, titleOf } from "../session-words.js";
import { shownApproval } from "../shown.js";
import { keyOf } from "../store.js";
import { exact, line, orderWarning, said } from "../text.js";
import { folderOf, isSaid, requestOf } from "../tools.js";
import { argumentNodes, reachable } from "./blocks.js";
import { changeBlocks, EditForm } from "./edit-form.js";
import { OfferList } from "./offer-list.js";
import { QuestionForm } from "./question-form.js";
import { requestBlocks } from "./request-blocks.js";

/** @typedef {import("../wire").Approval} Approval */
/** @typedef {import("./view.js").App} App */

/** Time for which a card has to be on screen before it can be allowed: longer than the gap of a double tap. */
const settleMs = 600;

/** Remaining time from which a request's expiry is shown. */
const endToldMs = 2 * 3_600_000;

/** Characters of a hint that fit on one line of a phone; a second line would move the buttons. */
const lineCharacters = 40;

/** The share of a long text's box that one tap scrolls, so that a line or two stay visible for orientation. */
const pageShare = 0.85;

/** Error codes after which another attempt is pointless. */
const final = new Set(["alreadyDecided", "closed", "digestMismatch", "notFound"]);

export class ApprovalCard extends HTMLElement {
  /** @type {() => void} Called once the decision made here is settled, so that the focus moves to the next approval. */
  onsettled = () => undefined;
  /** A settled card folds to one line. */
  folds = false;

  // `show` sets the app and the approval before any other call.
  #app = /** @type {App} */ (/** @type {unknown} */ (undefined));
  /** The request that was drawn. If another request arrives under the same name, only the drawn one is decided here. */
  #approval = /** @type {Approval} */ (/** @type {unknown} */ (undefined));
  /** @type {import("../wire").Event|undefined} The last that was compared with the drawn one, and is like it. */ #alike;
  #seenStart = false;
  #seenEnd = false;
  #seen = false;
  /** The text is too long to be on screen at once. */
  #isLong = false;
  /** The card has just moved or replaced another card, so that a tap may have been meant for the former one. */
  #isMoving = false;
  #isOpened = false;
  #measure = "";
  #drawnEdit = "";
  #denying = false;
  /** A decision was made here and is not known to be settled yet. */ #decided = false;
  /** @type {IntersectionObserver|null} */ #observer = null;

  #tool = span("card-tool foreign");
  #heading = h("h3", { class: "card-title", tabindex: "-1" });
  #where = h("a", { class: "card-where foreign" });
  #place = span("card-place foreign");
  #when = span("card-when");
  #held = h("p", { class: "card-held" });
  #content = h("div", { class: "card-content" });
  #gateWords = h("span");
  /** A button with the words of the hint, shown if unread text keeps *Allow* disabled: a tap scrolls to that text. */
  #jump = h("button", { type: "button", class: "gate-jump", hidden: true, onclick: () => this.#jumpOn() });
  #gate = h("p", { class: "gate" }, this.#gateWords, this.#jump);
  #questions = new QuestionForm();
  #allow = h("button", { type: "button", class: "allow", "aria-keyshortcuts": "a", onclick: () => this.#give(0) }, t`Allow`);
  /** The second button that allows, which gives the agent more freedom than the first. */
  #allowMore = h("button", { type: "button", class: "allow more", hidden: true, onclick: () => this.#give(1) });
  #deny = h("button", { type: "button", class: "deny", "aria-keyshortcuts": "d", onclick: () => this.#openDenial(true) });
  #buttons = h("div", { class: "buttons" }, this.#deny, this.#allow, this.#allowMore);
  #offers = new OfferList(this.#buttons, (offer) => this.#decide(verdictOf(offer)));
  #edits = new EditForm(this.#buttons, (edit) => this.#decide({ decision: "edit", edit }));
  /** What was edited before it was allowed. */
  #edited = h("div", { class: "edit-changes", hidden: true });
  #denyNow = h("button", { type: "submit", class: "deny solid" });
  /** The reason why the request can only be denied on this device, and what to do about it. */
  #untrusted = h("p", { class: "note foreign", hidden: true });
  #message = h("textarea", { rows: "2", dir: "auto", maxlength: "4000", placeholder: t`Tell the agent what to do instead (optional)` });
  #messageLine = h("label", {}, h("span", {}, t`Message to the agent`), this.#message);
  #denial = h("form", { class: "denial", hidden: true, onsubmit: (event) => this.#denyWith(event), onkeydown: (event) => this.#escape(event) },
    this.#messageLine,
    h("div", { class: "buttons" },
      h("button", { type: "button", class: "plain", onclick: () => this.#openDenial(false) }, t`Back`),
      this.#denyNow));
  #stepList = h("ol", { class: "steps", "aria-label": t`Stages` });
  #outcomeTitle = h("strong");
  #outcomeDetail = h("span");
  #result = h("div", { class: "result", hidden: true }, this.#stepList,
    h("p", { tabindex: "0", role: "group", "aria-label": t`Outcome` }, this.#outcomeTitle, " ", this.#outcomeDetail));
  #problem = h("p", { class: "problem", role: "alert" });
  #mark = icon("check");
  #settledTitle = h("strong");
  #settledWhat = span("settled-what foreign");
  #settledDetail = span("settled-detail");
  #settled = h("button", { type: "button", class: "settled", hidden: true, onclick: () => this.#open(!this.#isOpened) },
    this.#mark, span("settled-words", this.#settledWhat, span("settled-line", this.#settledTitle, " ", this.#settledDetail)), icon("down"));

  disconnectedCallback() {
    this.#observer?.disconnect();
  }

  connectedCallback() {
    if (this.#observer && !(this.#seenStart && this.#seenEnd)) this.#watch();
  }

  /**
   * @param {App} app @param {Approval} approval
   * @param {string} [place] The screen of this card: an approval may have one in the inbox and one in its session.
   */
  show(app, approval, place = "approval") {
    const drawn = this.#approval?.request;
    const shown = shownApproval(approval);
    this.#app = app;
    this.#approval = drawn ? { ...shown, request: drawn } : shown;
    if (!drawn) {
      this.#alike = shown.request;
      this.#build(place);
    }
    this.#draw();
  }

  /**
   * True if the card shows this approval's request. After a relay lost its log, or from a lying relay, the same name may come with another request.
   * @param {Approval} approval
   */
  asks(approval) {
    const { request } = shownApproval(approval);
    if (request !== this.#alike && JSON.stringify(request) !== JSON.stringify(this.#approval.request)) return false;
    this.#alike = request;
    return true;
  }

  tick() {
    const { requestedAt, request, stage, resolvedAt } = this.#approval;
    const now = this.#app.now();
    const asked = t`Asked ${ago(now - requestedAt)}`;
    const expiresAt = this.#approval.expiresAt ?? request.head.expiresAt;
    // The host's note on the question, such as that it may already be answered at the terminal.
    const doubt = this.#app.state.sessions.get(this.#approval.session)?.statusReason;
    const ends = typeof expiresAt === "number" && expiresAt - now < endToldMs ? t` · expires in ${left(expiresAt - now)}` : "";
    if (stage === "pending") say(this.#when, `${asked}${ends}${doubt ? ` · ${doubt}` : ""}`, line);
    else write(this.#when, resolvedAt ? t`Settled ${ago(now - resolvedAt)}` : asked);
    if (stage === "delivered" || stage === "decided") this.#drawOutcome();
  }

  get isPending() {
    return this.#approval.stage === "pending";
  }

  /** Disables the buttons for a moment, because a tap just now was meant for the card that stood here before. */
  settle() {
    this.#isMoving = true;
    setTimeout(() => {
      this.#isMoving = false;
      this.#draw();
    }, settleMs);
    this.#draw();
  }

  /**
   * Decides by keyboard, under the same conditions as a tap.
   * @param {"allow"|"deny"} verb
   */
  press(verb) {
    const button = verb === "allow" ? this.#allow : this.#deny;
    if (!this.#buttons.hidden && !button.hidden) button.click();
  }

  /**
   * Opens or closes the folded card.
   * @param {boolean} opens
   */
  #open(opens) {
    this.#isOpened = opens;
    this.#draw();
  }

  /** Moves the keyboard focus to the card without scrolling. */
  land() {
    this.#heading.focus({ preventScroll: true });
  }

  /** Scrolls the card into view, for a link that names it. */
  arrive() {
    this.land();
    this.scrollIntoView({ block: "start" });
  }

  get #isQuestion() {
    return this.#approval.request.head.kind === "question";
  }

  /**
   * Builds the parts that never change: those of the request.
   * @param {string} place
   */
  #build(place) {
    const { request: { head, body } } = this.#approval;
    const name = `${place}-${keyOf(this.#approval)}`;
    attribute(this.#heading, "id", name);
    const [first, second] = waysToAllow(this.#approval);
    write(this.#allow, this.#isQuestion ? t`Answer` : first.label);
    write(this.#allowMore, second?.label ?? "");
    this.#offers.show(offersOf(this.#approval));
    const tool = asText(head.tool);
    this.#edits.show(this.#approval, tool);
    this.#buttons.append(this.#edits.opener, this.#offers.opener);
    const no = this.#isQuestion ? t`Decline` : t`Deny`;
    write(this.#deny, `${no} …`);
    write(this.#denyNow, no);
    say(this.#tool, tool, line);
    // A question's tool has a name for the agent that means nothing to a person, and the heading already names other tools.
    attribute(this.#tool, "hidden", this.#isQuestion || isSaid(tool));
    if (this.#isQuestion) {
      this.#heading.append(span("card-verb", t`A question`));
      this.#buildQuestions(body);
    } else {
      const { verb, object, place, after, isFile } = requestOf(tool, body?.input, this.#folder);
      const named = (/** @type {string} */ text, isLast = !after) => {
        // The folder of a file's path is smaller than the name.
        const cut = isFile ? text.lastIndexOf("/") + 1 : 0;
        const [folder, name] = [text.slice(0, cut), text.slice(cut)];
        const last = h("span", { class: "card-object foreign exact" }, argumentNodes(name));
        return [...(folder ? [h("span", { class: "card-folder foreign exact" }, argumentNodes(folder))] : []), isLast ? span("card-last", last, "?") : last];
      };
      this.#heading.append(verb && span("card-verb", verb), ...(object ? [" ", ...named(object, !after && !place)] : []), ...(place ? [t` of `, ...named(place)] : []),
        ...(after ? [" ", span("card-verb", after)] : []), object && !after ? "" : "?");
      this.#buildRequest(tool, head, body);
    }
    attribute(this.#where, "href", `#/session/${this.#approval.session}`);
    this.append(h("article", { class: "card", "aria-labelledby": name }, this.#settled,
      h("header", { class: "card-head" }, this.#heading, h("p", {}, this.#where), h("p", { class: "card-facts quiet" }, this.#place, " ", this.#tool, " ", this.#when), this.#held),
      this.#content, this.#edited, h("div", { class: "card-foot" }, this.#untrusted, this.#gate, this.#buttons, this.#offers.element, this.#edits.element, this.#denial, this.#result, this.#problem)));
  }

  /** @param {import("../wire").Fields|undefined} body */
  #buildQuestions(body) {
    if (!isWhole(this.#approval)) return;
    const { stage, decision } = this.#approval;
    this.#questions.ask(body?.questions);
    if (stage !== "pending") this.#questions.settle(decision?.answers ?? []);
    const [start, end] = [span("edge"), span("edge")];
    this.#content.append(start, this.#questions, end);
    this.#observe(start, end);
    this.#seen = true;
  }

  /** The folder that paths are shown relative to. */
  get #folder() {
    return folderOf(this.#app.state.sessions.get(this.#approval.session));
  }

  /** @param {string} tool @param {import("../wire").Fields} head @param {import("../wire").Fields|undefined} body */
  #buildRequest(tool, head, body) {
    const { elements, warnings, agentSays, measure } = requestBlocks(tool, body);
    // The host words the risks, so that they are the same in every client.
    const risks = Array.isArray(head.risks) ? head.risks.map(asText) : [];
    attribute(this, "data-risk", risks.length > 0);
    const [start, end] = [span("edge"), span("edge")];
    const whole = h("div", { class: "whole" }, start, ...(body?.input === undefined ? [] : elements), end);
    reachable(whole, t`What it would do, in full`);
    const below = h("button", { type: "button", class: "more-below", hidden: true, onclick: () => whole.scrollBy({ top: whole.clientHeight * pageShare }) }, t`More below ↓`);
    const look = () => attribute(below, "hidden", whole.scrollHeight - whole.scrollTop - whole.clientHeight < 2);
    whole.addEventListener("scroll", look, { passive: true });
    new ResizeObserver(look).observe(whole);
    this.#content.append(h("div", { class: "stack" },
      risks.length ? h("div", { class: "risk", role: "note", "aria-label": t`Look twice` }, h("strong", {}, t`Look twice`),
        h("ul", {}, ...risks.map((risk) => h("li", { class: "foreign" }, nodes(exact(riskWords(risk))))))) : null,
      warnings.length ? h("div", { class: "warning" }, ...pieces`Look closely. ${markWords(warnings)} below:`,
        h("ul", {}, ...warnings.map((warning) => h("li", {}, warning)))) : null,
      head.redacted && h("p", { class: "note" },
        head.cut ? t`What may be secret was replaced by ⟨redacted⟩, and it may be more than a value: look at it at the terminal.`
          : t`Values that look like secrets were replaced by ⟨redacted⟩. The decision is for the real input.`),
      head.passkey && h("p", { class: "note" }, t`To allow it, confirm it with your passkey.`),
      h("div", { class: "whole-frame" }, whole, below),
      agentSays ? h("figure", { class: "agent-says" }, h("figcaption", {}, t`The agent says`),
        h("blockquote", { class: "foreign" }, nodes(said(agentSays)))) : null));

    this.#measure = body?.input === undefined ? "" : measure;
    this.#observe(start, end);
  }

  /**
   * Observes whether both ends of the text have been on screen.
   * @param {Element} start @param {Element} end
   */
  #observe(start, end) {
    this.#observer = new IntersectionObserver((entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting && target === start) this.#seenStart = true;
        if (isIntersecting && target === end) this.#seenEnd = true;
      }
      if (this.#seenStart && this.#seenEnd) return this.#wholeSeen();
      this.#isLong = true;
      attribute(this.#gate, "data-long", this.#measure.length > lineCharacters ? "two" : "one");
      return this.#draw();
    });
    this.#edges = [start, end];
  }

  /** @type {Element[]} */ #edges = [];

  #watch() {
    this.#edges.forEach((edge) => this.#observer?.observe(edge));
  }

  /** Scrolls to the end of the text and the buttons, or first to its beginning if that has not been on screen. */
  #jumpOn() {
    const wasSeen = this.#seenStart;
    this.#edges[wasSeen ? 1 : 0]?.scrollIntoView({ block: "nearest" });
    if (wasSeen) this.#buttons.parentElement?.scrollIntoView({ block: "nearest" });
  }

  #wholeSeen() {
    this.#observer?.disconnect();
    if (this.#approval.stage === "pending" && isWhole(this.#approval)) this.#app.presence.seen(this.#approval);
    this.#draw();
    setTimeout(() => {
      this.#seen = true;
      this.#draw();
    }, settleMs);
  }

  #draw() {
    const { session, stage } = this.#approval;
    const summary = this.#app.state.sessions.get(session);
    const { agentName } = this.#approval.request.head;
    const asker = typeof agentName === "string" ? t` · subagent: ${agentName}` : "";
    say(this.#where, (summary ? titleOf(summary) : t`Session ${session}`) + asker, line);
    say(this.#place, summary ? placeOf(summary) : "", line);
    attribute(this, "data-stage", stage);
    write(this.#held, stage === "pending" ? heldWords(summary) : "");

    const attempt = this.#app.decisions.attempt(this.#approval);
    const open = stage === "pending";
    // A reply may arrive before its event; until the event arrives the card shows that the decision is being sent.
    const sending = open && attempt && !attempt.error;
    const live = this.#app.link.isLive;
    const hindrance = obstacle(this.#approval, { live, seen: this.#seen });
    const gone = this.#app.link.phase === "live" ? t`Sending …` : t`Sending … it is sent again when the connection is back.`;
    // Once both ends were seen the button is enabled in a moment, so no advice is needed.
    const advice = obstacle(this.#approval, { live, seen: this.#seen || !this.#isLong || (this.#seenStart && this.#seenEnd) });
    const mayDecide = has(this.#app.state.welcome, "decide");
    const untrusted = open && mayDecide ? this.#app.trust.approvalObstacle(this.#approval, summary?.host.name ?? t`its host`) : "";
    const isTrusted = untrusted === "";
    say(this.#untrusted, untrusted, line);
    attribute(this.#untrusted, "hidden", isTrusted);
    const words = !mayDecide ? watchesOnly : sending ? gone : !isTrusted && live ? "" : advice ?? this.#measure;
    const jumps = words !== "" && words === unseenWords(this.#approval);
    write(this.#gateWords, jumps ? "" : words);
    write(this.#jump, jumps ? words : "");
    attribute(this.#jump, "hidden", !jumps);
    attribute(this.#gate, "hidden", !isTrusted && words === "");
    const lost = Boolean(attempt?.error && final.has(attempt.error.code));
    this.#allow.disabled = Boolean(sending) || lost || hindrance !== null || !isTrusted || this.#isMoving;
    this.#allowMore.disabled = this.#allow.disabled;
    this.#deny.disabled = Boolean(sending) || lost || !live;
    this.#offers.locked = this.#allow.disabled;
    this.#edits.locked = this.#allow.disabled;
    const mayEdit = isTrusted && this.#edits.hasAny && has(this.#app.state.welcome, "steer");
    if (!open || sending || lost) this.#offers.close();
    if (!open || sending || lost || !mayEdit) this.#edits.close();
    this.#questions.locked = !open || Boolean(sending) || !isTrusted;
    attribute(this.#allow, "hidden", !isTrusted);
    attribute(this.#allowMore, "hidden", !isTrusted || this.#isQuestion || !waysToAllow(this.#approval)[1]);
    attribute(this.#offers.opener, "hidden", !isTrusted || !this.#offers.hasAny);
    attribute(this.#edits.opener, "hidden", !mayEdit);
    attribute(this.#messageLine, "hidden", !isTrusted);
    if (!isTrusted) this.#offers.close();
    attribute(this.#buttons, "hidden", !open || !mayDecide || this.#denying || this.#offers.isOpen || this.#edits.isOpen);
    attribute(this.#denial, "hidden", !open || !this.#denying);
    attribute(this.#result, "hidden", open);
    if (!open) this.#drawOutcome();
    const isLine = this.folds && !open;
    attribute(this.#settled, "hidden", !isLine);
    attribute(this.#settled, "aria-expanded", String(this.#isOpened));
    attribute(this, "data-folded", isLine && !this.#isOpened);
    if (!open && this.#decided) this.#goOn();
    write(this.#problem, attempt?.error ? this.#problemOf(attempt) : "");
    this.tick();
  }

  #drawOutcome() {
    const { session } = this.#approval;
    const { welcome, sessions } = this.#app.state;
    const told = outcome(this.#approval, { now: this.#app.now(), client: welcome?.client.id, host: sessions.get(session)?.host });
    attribute(this.#result, "data-tone", told.tone);
    attribute(this, "data-tone", told.tone);
    // A chosen rule is shown in full, not shortened to one line.
    attribute(this.#result, "data-rule", chosenIn(this.#approval) !== "");
    say(this.#outcomeTitle, told.title, line);
    const { decision } = this.#approval;
    const edit = decision?.decision === "edit" ? asText(decision.edit) : "";
    if (this.#drawnEdit !== edit) {
      this.#drawnEdit = edit;
      this.#edited.replaceChildren(...changeBlocks(this.#approval, edit));
      attribute(this.#edited, "hidden", edit === "");
    }
    const message = decision?.message ? t` Message: “${decision.message}”` : "";
    const mode = modeAfter(decision);
    say(this.#outcomeDetail, `${told.detail}${mode && ` ${mode}`}${chosenIn(this.#approval)}${message}${given(decision)}`, line);
    if (this.#mark.firstElementChild) attribute(this.#mark.firstElementChild, "href", decision && decision.decision !== "deny" ? "#i-check" : "#i-cross");
    write(this.#settledTitle, this.#outcomeTitle.textContent ?? "");
    say(this.#settledWhat, asText(this.#approval.request.head.title), line);
    write(this.#settledDetail, this.#outcomeDetail.textContent ?? "");
    const marks = steps(this.#approval);
    if (this.#stepList.children.length !== marks.length) this.#stepList.replaceChildren(...marks.map(({ label }) => h("li", {}, label)));
    marks.forEach(({ done }, index) => {
      const step = this.#stepList.children[index];
      attribute(step, "data-done", done);
      attribute(step, "aria-current", done && !marks[index + 1]?.done ? "step" : null);
    });
  }

  /** @param {import("../decisions.js").Attempt} attempt */
  #problemOf({ error }) {
    const client = this.#app.state.welcome?.client.id;
    switch (error?.code) {
      case "alreadyDecided":
        return error.winner ? conflict(error.winner, client) : t`Somebody already decided this.`;
      case "closed":
        return t`Too late: ${error.message}`;
      case "digestMismatch":
        return t`The relay's text differs from the one shown here. Reload the page.`;
      case "notSigned":
        return t`Not sent: ${error.message}.`;
      case "linkLost":
        return t`The connection broke before the relay answered. Whether it counted will show here; if not, decide again.`;
      default:
        return t`Not recorded: ${error?.message}`;
    }
  }

  /** @param {number} way */
  #give(way) {
    const { mode } = waysToAllow(this.#approval)[way];
    if (!this.#isQuestion) return this.#decide(mode ? { decision: "allow", mode } : { decision: "allow" });
    const { answers } = this.#questions;
    this.#questions.incomplete = !answers;
    if (!answers) return write(this.#gateWords, this.#questions.showOpen());
    return this.#decide({ decision: "answer", answers });
  }

  /** @param {boolean} open */
  #openDenial(open) {
    this.#denying = open;
    this.#draw();
    (!open ? this.#deny : this.#messageLine.hidden ? this.#denyNow : this.#message).focus();
    if (open) this.#denial.scrollIntoView({ block: "nearest" });
  }

  /** @param {KeyboardEvent} event */
  #escape(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    this.#openDenial(false);
  }

  /** @param {Event} event */
  #denyWith(event) {
    event.preventDefault();
    const message = this.#messageLine.hidden ? "" : this.#message.value.trim();
    this.#decide(message ? { decision: "deny", message } : { decision: "deny" });
    this.#denying = false;
    this.#draw();
  }

  /** @param {import("../decisions.js").Verdict} verdict */
  #decide(verdict) {
    if (this.#approval.stage !== "pending") return;
    // The pressed button disappears, so the keyboard focus waits on the card until the decision is settled.
    this.#decided = true;
    this.land();
    buzz(verdict.decision === "deny" ? "deny" : "allow");
    this.#app.decisions.decide(this.#approval, verdict);
  }

  /** Called once a decision made here is settled. The focus stays if it has moved elsewhere meanwhile. */
  #goOn() {
    this.#decided = false;
    this.#app.announce(`${this.#outcomeTitle.textContent}: ${this.#heading.textContent}`);
    if (this.contains(document.activeElement) || document.activeElement === document.body) this.onsettled();
    this.folds = true;
    this.#draw();
  }
}

/**
 * Words that explain the marks of the warnings.
 * @param {string[]} warnings
 */
function markWords(warnings) {
  const isOrder = warnings.includes(orderWarning);
  const token = isOrder && warnings.length === 1 ? null : span("token", "⟨…⟩");
  if (!token) return span("from-right-mark", t`Underlined`);
  return h("span", {}, ...(isOrder ? pieces`Shown as ${token} or ${span("from-right-mark", t`underlined`)}` : pieces`Shown as ${token}`));
}

/** @param {import("../wire").Decision|undefined} decision */
const given = (decision) =>
  decision?.answers?.length
    ? t` Answer: ${decision.answers.map(({ choices, text }) => [...(choices ?? []), ...(text ? [text] : [])].join(", ")).join("; ")}`
    : "";

customElements.define("approval-card", ApprovalCard);
