/** `<lock-screen>`: a drawn phone with the pushes that were sent to it: Live Activities, stacked notifications, and the Dynamic Island. */

import { attribute, h, say, span, write } from "../dom.js";
import { elapsed, faceOf } from "../faces.js";
import { age, timeOfDay } from "../format.js";
import { language, t } from "../language.js";
import { lockScreen } from "../lockscreen.js";
import { line } from "../text.js";

/** @typedef {import("../faces.js").Face} Face */
/** @typedef {import("../lockscreen.js").Card} Card */
/** @typedef {import("../lockscreen.js").Screen} Screen */
/** @typedef {{pushes: import("../wire").Push[], profile: string, titleOf: (session: string|undefined) => string}} Shown */

const svg = "http://www.w3.org/2000/svg";

/** @type {Record<import("../faces.js").Symbol, string>} SVG paths of the symbols, on a grid of 24 by 24. */
const paths = {
  wait: "M7 4h10M7 20h10M8 4c0 4 4 5.5 4 8s-4 4-4 8M16 4c0 4-4 5.5-4 8s4 4 4 8",
  work: "M3 12h4l2.5-6 5 12 2.5-6h4",
  approval: "M12 3l7 3v5.5c0 4.5-3 7.5-7 9.5-4-2-7-5-7-9.5V6zM12 8.5v4.5M12 16v.4",
  question: "M8.5 9a3.5 3.5 0 1 1 5.2 3c-1.1.7-1.7 1.3-1.7 2.8M12 18.6v.4",
  money: "M15.5 8c-.8-1.3-2-1.8-3.5-1.8-2 0-3.5 1-3.5 2.8 0 4 7 2 7 6 0 1.8-1.5 2.8-3.5 2.8-1.7 0-3-.6-3.8-2M12 3.5v17",
  done: "M5 12.5l4.5 4.5L19 7.5",
  failed: "M7 7l10 10M17 7L7 17",
  idle: "M9 6v12M15 6v12",
  offline: "M4 4l16 16M4.5 11a11 11 0 0 1 4-2.5M8 14.5a6 6 0 0 1 5-1.5M12 9a11 11 0 0 1 7.5 2.5M12 18.5v.3",
  card: "M4 7h16v10H4zM8 11h8M8 14h4",
};

const day = new Intl.DateTimeFormat(language.tag, { weekday: "long", day: "numeric", month: "long" });

export class LockScreen extends HTMLElement {
  #island = h("button", { type: "button", class: "island", "aria-expanded": "false", onclick: () => this.#hold() });
  #clock = h("p", { class: "phone-clock" });
  #day = h("p", { class: "phone-day" });
  #list = h("ol", { class: "phone-list", "aria-label": t`On the Lock Screen` });
  #nothing = h("p", { class: "phone-nothing" }, t`Nothing on the Lock Screen`);
  #forms = h("figure", { class: "island-forms", "aria-hidden": "true" });
  /** @type {Shown|null} */ #shown = null;
  #drawn = "";
  /** A person holds the Dynamic Island, which expands it as on the phone. */
  #held = false;
  /** @type {(() => void)[]} Functions that update the shown times every second. */ #clocks = [];
  #now = 0;

  connectedCallback() {
    if (this.firstChild) return;
    const list = h("div", { class: "phone-scroller", tabindex: "0", role: "group", "aria-label": t`Cards and notifications` }, this.#list, this.#nothing);
    this.append(h("div", { class: "phone" }, this.#island, this.#clock, this.#day, list), this.#forms);
  }

  /** @param {Shown} shown @param {number} now */
  show(shown, now) {
    this.#shown = shown;
    this.tick(now);
  }

  /** @param {number} now */
  tick(now) {
    if (!this.#shown) return;
    this.#now = now;
    write(this.#clock, timeOfDay(now));
    write(this.#day, day.format(now));
    const screen = lockScreen(this.#shown.pushes, now);
    const signature = JSON.stringify([screen.cards, screen.stacks, screen.island, this.#held, this.#titles(screen)]);
    if (signature !== this.#drawn) this.#draw(screen);
    this.#drawn = signature;
    this.#clocks.forEach((update) => update());
  }

  #hold() {
    this.#held = !this.#held;
    this.tick(this.#now);
  }

  /** @param {Screen} screen */
  #titles({ cards }) {
    return cards.map(({ session }) => this.#shown?.titleOf(session));
  }

  /** @param {Card} card */
  #face(card) {
    const { profile, titleOf } = /** @type {Shown} */ (this.#shown);
    return faceOf(card, profile, titleOf(card.session));
  }

  /** @param {Screen} screen */
  #draw({ cards, stacks, island }) {
    this.#clocks = [];
    this.#list.replaceChildren(
      ...cards.map((card) => this.#card(card)),
      ...stacks.map(({ top, count }) => this.#notification(top, count)));
    attribute(this.#nothing, "hidden", cards.length + stacks.length > 0);
    const alone = island.form === "empty" ? null : island.card;
    if (!alone) this.#held = false;
    const form = !alone ? "empty" : this.#held ? "expanded" : island.form;
    attribute(this.#island, "data-form", form);
    attribute(this.#island, "disabled", !alone);
    attribute(this.#island, "aria-expanded", String(form === "expanded"));
    this.#island.replaceChildren(span("unseen", alone ? t`Dynamic Island: ` : t`Dynamic Island, empty`), ...(alone ? this.#islandFace(alone, form) : []));
    this.#drawForms(alone);
  }

  /** @param {Card|null} card */
  #drawForms(card) {
    attribute(this.#forms, "hidden", !card);
    if (!card) return this.#forms.replaceChildren();
    return this.#forms.replaceChildren(
      h("figcaption", { class: "quiet" }, t`The same card in each form of the island`),
      ...Object.entries({ compact: t`compact`, minimal: t`minimal`, expanded: t`expanded` }).map(([form, words]) => h("div", { class: "island-specimen" },
        h("div", { class: "island", "data-form": form }, ...this.#islandFace(card, form)), h("p", { class: "quiet" }, words))));
  }

  /** @param {Card} card @param {string} form */
  #islandFace(card, form) {
    const face = this.#face(card);
    const mark = span("face-mark", icon(face.symbol));
    attribute(mark, "data-tint", face.tint);
    if (form === "expanded") return this.#content(card, face, "span");
    const short = face.short ? said("island-short", face.short) : this.#timer(face);
    // The meaning of the mark in words, for screen readers.
    const meaning = span("unseen");
    say(meaning, `${face.title}, ${face.status} `, line);
    return form === "minimal" ? [mark, meaning] : [mark, meaning, short];
  }

  /** @param {Card} card */
  #card(card) {
    const face = this.#face(card);
    const item = h("li", { class: "live-card" }, ...this.#content(card, face, "div"));
    attribute(item, "data-stale", card.isStale);
    attribute(item, "data-ended", card.isEnded);
    attribute(item, "data-person", face.needsPerson);
    return item;
  }

  /**
   * @param {Card} card @param {Face} face
   * @param {"div"|"span"} tag `span` inside a button, which must not contain blocks.
   * @returns {Node[]}
   */
  #content(card, face, tag) {
    const mark = span("face-mark", icon(face.symbol));
    attribute(mark, "data-tint", face.tint);
    const cost = face.cost ? span("face-cost", face.cost) : null;
    if (cost) attribute(cost, "data-budget", face.budget);
    const condition = card.isEnded ? t`Ended` : card.isStale ? t`Not up to date since ${timeOfDay(card.staleAt ?? card.updatedAt)}` : "";
    /** @type {(import("../dom.js").Child)[]} */
    const rows = [
      h(tag, { class: "face-head" }, mark, said("face-title", face.title), this.#timer(face)),
      h(tag, { class: "face-status" }, said("face-words", face.status), cost),
      face.detail ? said("face-detail", face.detail) : null,
      face.progress ? h(tag, { class: "face-progress" },
        h("progress", { max: face.progress.total, value: face.progress.completed, "aria-label": t`Progress` }), said("", face.progress.text)) : null,
      ...face.facts.slice(0, 6).map(([name, value]) => h(tag, { class: "face-fact" }, said("face-name", name), " ", said("", value))),
      face.place || condition ? h(tag, { class: "face-foot" }, said("face-place", face.place), condition ? span("face-condition", condition) : null) : null,
    ];
    return /** @type {Node[]} */ (rows.filter(Boolean));
  }

  /** @param {Face} face */
  #timer(face) {
    const timer = span("face-timer");
    const update = () => write(timer, elapsed(face, this.#now));
    if (face.since !== undefined) this.#clocks.push(update);
    update();
    return timer;
  }

  /** @param {import("../lockscreen.js").Notification} top @param {number} count */
  #notification(top, count) {
    const when = span("notice-age");
    const update = () => write(when, age(this.#now - top.at));
    this.#clocks.push(update);
    update();
    const item = h("li", { class: "notice" },
      h("div", { class: "notice-head" }, said("notice-title", top.title || top.body), when),
      top.subtitle ? said("notice-subtitle", top.subtitle) : null,
      top.title ? said("notice-body", top.body) : null,
      h("div", { class: "notice-foot" }, top.isTimeSensitive ? span("", t`Time sensitive`) : null,
        count > 1 ? span("notice-count", t`and ${count - 1} more`) : null));
    attribute(item, "data-stacked", count > 1);
    return item;
  }
}

/**
 * An element with foreign text on one line.
 * @param {string} name @param {string} text
 */
function said(name, text) {
  const element = span(`${name} foreign`.trim());
  say(element, text, line);
  return element;
}

/** @param {import("../faces.js").Symbol} symbol */
function icon(symbol) {
  const picture = document.createElementNS(svg, "svg");
  const path = document.createElementNS(svg, "path");
  path.setAttribute("d", paths[symbol]);
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  picture.append(path);
  return picture;
}

customElements.define("lock-screen", LockScreen);
