/** `<terminal-view>`: a session's terminal, live, with a keyboard for clients that may steer. */

import { attribute, h, icon, nodes, say, span, write } from "../dom.js";
import { ago } from "../format.js";
import { t } from "../language.js";
import { Looks } from "../looks.js";
import { HeldScreen, lookOf } from "../screen.js";
import { bytesOfKey, bytesOfText } from "../screen-keys.js";
import { awayWords, titleOf } from "../session-words.js";
import { calm, line } from "../text.js";
import { Typist } from "../typist.js";
import { noNews } from "./link-state.js";
import { View } from "./view.js";

/** Font sizes to choose from, in pixels. */
const sizes = [7, 9, 11, 13, 16, 20];
/** The window has room for larger type. */
const wide = matchMedia("(min-width: 64em)");
/** Milliseconds without a frame after which the terminal counts as not live. A host answers within ten seconds. */
const staleMs = 15_000;
/** The keys of the bar, by their DOM names. */
const bar = [
  ["Escape", t`Esc`, t`Escape`], ["Tab", t`Tab`, t`Tab`], ["ArrowLeft", "←", t`Left`], ["ArrowDown", "↓", t`Down`], ["ArrowUp", "↑", t`Up`], ["ArrowRight", "→", t`Right`],
  ["Enter", t`Enter`, t`Enter`], ["Backspace", "⌫", t`Backspace`], ["PageUp", t`PgUp`, t`Page up`], ["PageDown", t`PgDn`, t`Page down`],
];

export class TerminalView extends View {
  session = "";

  #screen = new HeldScreen();
  #looks = /** @type {Looks} */ (/** @type {unknown} */ (undefined));
  #typist = /** @type {Typist} */ (/** @type {unknown} */ (undefined));
  #heardAt = 0;
  #size = wide.matches ? 3 : 2;
  #follows = true;
  #isTyping = false;
  #holdsControl = false;
  /** Keyboard input goes to the terminal. */ #isDirect = false;
  #problem = "";
  /** The message about keys that were not typed, or perhaps were; shown until the next key. */ #missed = "";

  #back = h("a", { class: "back", "aria-label": t`The session` }, icon("back"));
  #title = h("h2", { class: "foreign", tabindex: "-1" });
  #state = h("p", { class: "screen-state quiet", role: "status" });
  #rows = h("div", { class: "screen-rows" });
  #cursor = h("span", { class: "screen-cursor", "aria-hidden": "true", hidden: true });
  #paper = h("div", {
    class: "screen-paper", tabindex: "0", role: "document", "aria-label": t`The terminal's screen`,
    onwheel: () => this.#follow(false), ontouchmove: () => this.#follow(false), onkeydown: (event) => this.#pressed(event), onpaste: (event) => this.#pasted(event),
    onblur: () => this.#direct(false),
  }, this.#rows, this.#cursor);
  #smaller = h("button", { type: "button", class: "plain", "aria-label": t`Smaller`, onclick: () => this.#resize(-1) }, "A−");
  #larger = h("button", { type: "button", class: "plain", "aria-label": t`Larger`, onclick: () => this.#resize(1) }, "A+");
  #following = h("button", { type: "button", class: "plain", "aria-pressed": "true", onclick: () => this.#follow(!this.#follows) }, t`Follow`);
  #begin = h("button", { type: "button", onclick: () => this.#open() }, t`Type here …`);
  #why = h("p", { class: "quiet foreign" });
  #warning = h("p", { class: "warning" });
  #control = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.#hold(!this.#holdsControl) }, t`Ctrl`);
  #keyboard = h("button", { type: "button", "aria-pressed": "false", onclick: () => this.#direct(!this.#isDirect) }, t`This keyboard`);
  #keys = h("div", { class: "screen-bar", role: "group", "aria-label": t`Keys` }, this.#control,
    ...bar.map(([key, words, label]) => h("button", { type: "button", "aria-label": label, onclick: () => this.#press(key) }, words)), this.#keyboard);
  #text = h("textarea", {
    rows: "1", "aria-label": t`Text to type at the terminal`, placeholder: t`Text …`, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    oninput: () => this.#written(), onkeydown: (event) => this.#writtenKey(event),
  });
  #form = h("form", { class: "screen-form", onsubmit: (event) => { event.preventDefault(); this.#typeText(false); } }, this.#text, h("button", { type: "submit", class: "solid" }, t`Type`));
  #typing = h("div", { class: "screen-typing", hidden: true }, this.#warning, this.#keys, this.#form);
  #trouble = h("p", { class: "problem foreign", role: "alert" });
  #note = h("p", { class: "quiet screen-note" },
    t`What looks like a secret is hidden where it can be read as text; a terminal's screen is not searched beyond that. Nothing of it is kept.`);

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head screen-head" }, this.#back, h("div", { class: "screen-names" }, this.#title, this.#state), this.#smaller, this.#larger, this.#following),
      this.#paper, h("div", { class: "screen-foot" }, this.#trouble, this.#begin, this.#why, this.#typing, this.#note));
    document.addEventListener("visibilitychange", () => this.#look());
    this.#resize(0);
  }

  /**
   * Called when the terminal is opened.
   * @param {string} session
   */
  arrive(session) {
    this.#looks ??= new Looks(this.app.link, {
      of: () => this.#screen.after, opened: (its, id, drawing) => this.app.trust.sealer?.screen(its, id, drawing) ?? drawing, drawn: (drawing) => this.#drawn(drawing), failed: (error) => this.#failed(error), setTimer: (run, wait) => setTimeout(run, wait),
    });
    this.#typist ??= new Typist(this.app.link, this.app.trust, (error, of) => this.#told(error, of));
    if (session !== this.session) {
      this.leave();
      this.session = session;
      this.#screen = new HeldScreen();
      [this.#heardAt, this.#problem, this.#missed] = [0, "", ""];
      this.#rows.replaceChildren();
      this.#follow(true);
    }
    this.#draw();
    this.#look();
  }

  /** Called when the terminal is closed. */
  leave() {
    this.#looks?.stop();
    this.#typist?.forget();
    this.#close();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    if (!changes.all && !changes.sessions.has(this.session)) return;
    this.#draw();
    this.#look();
  }

  /** @override */
  tick() {
    const age = this.app.now() - this.#heardAt;
    const { rows, columns } = this.#screen;
    const isLive = this.#looks?.isLooking && this.#heardAt > 0 && age < staleMs && !this.#problem;
    attribute(this.#paper, "data-stale", !isLive && this.#heardAt > 0);
    write(this.#state, isLive ? this.#screen.isCut ? t`Live, ${columns} × ${rows}, not all of it` : t`Live, ${columns} × ${rows}` : this.#heardAt ? t`Not live: as it was ${ago(age)}` : "…");
  }

  get #summary() {
    return this.app.state.sessions.get(this.session);
  }

  #look() {
    if (!this.#looks || !this.session) return;
    if (this.hidden || document.visibilityState !== "visible") return this.#looks.stop();
    const { steering, endedAt, host } = this.#summary ?? {};
    if (this.app.link.isLive && steering?.screen && !endedAt && host?.connected) this.#looks.start(this.session);
    else this.#looks.stop();
  }

  #draw() {
    const summary = this.#summary;
    attribute(this.#back, "href", `#/session/${this.session}`);
    say(this.#title, summary ? titleOf(summary) : t`Terminal`, line);
    write(this.#trouble, `${this.#missed} ${this.#obstacle()}`.trim());
    const obstacle = this.#typingObstacle();
    if (obstacle) this.#close();
    attribute(this.#begin, "hidden", this.#isTyping || obstacle !== "");
    write(this.#why, this.#isTyping ? "" : obstacle);
    attribute(this.#why, "hidden", this.#why.textContent === "");
    this.tick();
  }

  /** The reason why the shown screen is not live. */
  #obstacle() {
    const summary = this.#summary;
    if (!summary) return this.app.state.loaded ? t`This relay has no such session.` : noNews(this.app.link);
    if (summary.endedAt) return t`This session has ended, and its terminal with it.`;
    if (!summary.host.connected) return awayWords(summary, this.app.now());
    if (!summary.steering?.screen) return t`No terminal of this session can be seen. It has one if it was started with heliograph claude, or heliograph shell.`;
    return this.#problem;
  }

  #typingObstacle() {
    const summary = this.#summary;
    if (!summary?.steering?.screen || summary.endedAt || !summary.host.connected || !this.app.link.isLive) return t`Nobody can type there now.`;
    if (!this.app.state.welcome?.may?.includes("steer")) return t`This device sees the terminal and cannot type there. One that may: heliograph pair --role operator`;
    return this.app.trust.steeringObstacle(this.session, summary.host.name);
  }

  /** @param {import("../wire").Screen} drawing */
  #drawn(drawing) {
    const changed = this.#screen.take(drawing);
    if (!changed) return;
    this.#heardAt = this.app.now();
    const wasProblem = this.#problem;
    this.#problem = "";
    const { lines, cursor } = this.#screen;
    while (this.#rows.children.length > lines.length) this.#rows.lastChild?.remove();
    while (this.#rows.children.length < lines.length) this.#rows.append(h("div", { class: "screen-row" }));
    for (const row of changed) this.#rows.children[row].replaceChildren(...runsOf(lines[row]));
    attribute(this.#cursor, "hidden", !cursor);
    this.#cursor.style.setProperty("--row", String(cursor?.row ?? 0));
    this.#cursor.style.setProperty("--column", String(cursor?.column ?? 0));
    if (this.#follows) this.#showCursor();
    if (wasProblem) this.#draw();
    else this.tick();
  }

  /** @param {import("../link.js").CommandError} error */
  #failed(error) {
    this.#problem = error.code === "linkLost" ? "" : t`Not seen now: ${error.message}.`;
    this.#draw();
  }

  #showCursor() {
    const { cursor } = this.#screen;
    if (!cursor) return;
    const [paper, place] = [this.#paper, this.#cursor];
    const [left, top] = [place.offsetLeft, place.offsetTop];
    if (left < paper.scrollLeft || left + place.offsetWidth > paper.scrollLeft + paper.clientWidth) paper.scrollLeft = left - paper.clientWidth / 2;
    if (top < paper.scrollTop || top + place.offsetHeight > paper.scrollTop + paper.clientHeight) paper.scrollTop = top - paper.clientHeight / 2;
  }

  /** @param {boolean} follows */
  #follow(follows) {
    this.#follows = follows;
    attribute(this.#following, "aria-pressed", String(follows));
    if (follows) this.#showCursor();
  }

  /** @param {number} step */
  #resize(step) {
    this.#size = Math.max(0, Math.min(sizes.length - 1, this.#size + step));
    this.style.setProperty("--screen-type", `${sizes[this.#size]}px`);
    attribute(this.#smaller, "disabled", this.#size === 0);
    attribute(this.#larger, "disabled", this.#size === sizes.length - 1);
    if (this.#follows) this.#showCursor();
  }

  #open() {
    this.#isTyping = true;
    attribute(this.#typing, "hidden", false);
    this.#warning.replaceChildren(nodes(line(t`Each key is typed on ${this.#summary?.host.name ?? t`the host`} as if you sat there. Nobody asks again, and nothing takes it back.`)));
    this.#draw();
    this.#text.focus();
  }

  #close() {
    this.#isTyping = false;
    attribute(this.#typing, "hidden", true);
    this.#hold(false);
    this.#direct(false);
  }

  /**
   * `holds`: the next key is combined with Ctrl.
   * @param {boolean} holds
   */
  #hold(holds) {
    this.#holdsControl = holds;
    attribute(this.#control, "aria-pressed", String(holds));
  }

  /**
   * `isDirect`: pressed keys go to the terminal, except for the one that ends this.
   * @param {boolean} isDirect
   */
  #direct(isDirect) {
    if (isDirect === this.#isDirect) return;
    this.#isDirect = isDirect;
    attribute(this.#keyboard, "aria-pressed", String(isDirect));
    attribute(this.#paper, "data-direct", isDirect);
    if (!isDirect) return;
    this.#paper.focus();
    this.app.announce(t`This keyboard types at the terminal. Control and backslash ends that`);
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (!this.#isDirect || event.metaKey || event.isComposing) return;
    if (event.ctrlKey && event.key === "\\") {
      event.preventDefault();
      this.#keyboard.focus();
      return;
    }
    // Keys for copy and paste stay with the browser.
    if (event.ctrlKey && (event.shiftKey || event.key.toLowerCase() === "v")) return;
    const bytes = bytesOfKey(event, this.#screen.applicationKeys);
    if (!bytes) return;
    event.preventDefault();
    event.stopPropagation();
    this.#send(bytes);
  }

  /** @param {ClipboardEvent} event */
  #pasted(event) {
    const text = this.#isDirect ? event.clipboardData?.getData("text") : "";
    if (!text) return;
    event.preventDefault();
    this.#send(bytesOfText(text, this.#screen.wrapsPaste));
  }

  /** @param {string} key */
  #press(key) {
    const bytes = bytesOfKey({ key, ctrlKey: this.#holdsControl }, this.#screen.applicationKeys);
    this.#hold(false);
    if (bytes) this.#send(bytes);
  }

  #written() {
    const text = this.#text.value;
    if (!this.#holdsControl || !text) return;
    // A typed letter with the held Ctrl.
    const bytes = bytesOfKey({ key: text.slice(-1), ctrlKey: true }, false);
    if (!bytes) return;
    this.#hold(false);
    this.#text.value = text.slice(0, -1);
    this.#send(bytes);
  }

  /** @param {KeyboardEvent} event */
  #writtenKey(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#typeText(true);
  }

  /** @param {boolean} entered True to press Enter after the text. */
  #typeText(entered) {
    const text = this.#text.value;
    if (!text && !entered) return;
    const typed = text ? [...bytesOfText(text, this.#screen.wrapsPaste && text.includes("\n"))] : [];
    if (this.#send(Uint8Array.from([...typed, ...(entered ? [13] : [])]))) this.#text.value = "";
  }

  /** @param {Uint8Array} bytes */
  #send(bytes) {
    this.#follow(true);
    const isTaken = this.#typist.type(this.session, bytes, this.#screen.of);
    this.#missed = isTaken ? "" : t`That is too much at once: nothing of it was typed.`;
    this.#draw();
    return isTaken;
  }

  /** @param {import("../link.js").CommandError} error @param {string} session */
  #told(error, session) {
    if (session !== this.session) return;
    this.#missed = error.code === "linkLost" ? t`The connection broke: the last keys may have been typed or not. Look at the screen.` : t`Not typed: ${error.message}`;
    this.#draw();
  }
}

/** @param {import("../screen.js").Run[]} runs */
function runsOf(runs) {
  return runs.map(({ text, style, wide }) => {
    const drawn = document.createDocumentFragment();
    for (const piece of calm(text)) drawn.append(...(piece.trait ? [nodes([piece])] : cellsOf(piece.text, wide)));
    if (!style) return drawn;
    const { ink, paper, marks } = lookOf(style);
    const run = span(`run ${marks.map((mark) => `run-${mark}`).join(" ")}`.trim(), drawn);
    for (const [name, value] of /** @type {const} */ ([["ink", ink], ["paper", paper]])) {
      if (value) run.style.setProperty(`--run-${name}`, /^\d+$/.test(value) ? `var(--screen-${value})` : value);
    }
    return run;
  });
}

const beyondLatin = /[^\0-ÿ]/;

/**
 * Characters beyond Latin may come from another font with other widths, so each gets the width of its columns.
 * @param {string} text @param {boolean} [isWide] Each character takes two columns.
 */
function cellsOf(text, isWide) {
  if (!beyondLatin.test(text)) return [text];
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => beyondLatin.test(segment) ? span(isWide ? "cell cell-wide" : "cell", segment) : segment);
}

customElements.define("terminal-view", TerminalView);
