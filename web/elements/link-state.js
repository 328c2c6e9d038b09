/** `<link-state>`: says whether the screen is live, and if not, how old its content is. */

import { h, span, write } from "../dom.js";
import { ago } from "../format.js";
import { View } from "./view.js";
import { t } from "../language.js";

/** @type {Record<import("../link.js").Phase, string>} */
export const phases = {
  idle: t`Starting`,
  connecting: t`Connecting`,
  greeting: t`Connecting`,
  catchingUp: t`Catching up`,
  live: t`Live`,
  silent: t`No answer`,
  waiting: t`Offline`,
  stopped: t`Disconnected`,
};

/**
 * Sentences for the close codes after which the page must not reconnect.
 * @type {Record<number, string>}
 */
const stops = {
  4401: t`This device is no longer paired.`,
  4409: t`Another connection took this one's place.`,
  4426: t`The relay speaks another version. Reload the page.`,
};

/** @param {Pick<import("../link.js").Link, "stopCode"|"wasRemoved">} link */
export const stopWords = ({ stopCode, wasRemoved }) =>
  wasRemoved
    ? t`This workspace was removed from the relay: by its operator, or because nobody had used it for too long.`
    : (stops[stopCode] ?? t`The relay closed the connection for good.`);

/**
 * The text before the first snapshot, so that a page without a connection never looks as if its content were current.
 * @param {import("../link.js").Link} link
 */
export const noNews = ({ phase }) =>
  phase === "waiting" || phase === "stopped" ? t`No connection to the relay, so there is nothing to show. This page keeps trying.` : t`Waiting for the relay …`;

/**
 * Placeholder rows while the page waits for the relay; a sentence once that takes long or has failed.
 * @param {import("../link.js").Link} link @param {number} count
 */
export const skeleton = (link, count) => (["waiting", "stopped"].includes(link.phase) ? [h("p", {}, noNews(link))]
  : [h("p", { class: "unseen" }, noNews(link)), ...Array.from({ length: count }, () => h("div", { class: "skeleton", "aria-hidden": "true" }, h("i"), h("i"), h("i")))]);

export class LinkState extends View {
  #dot = h("span", { class: "dot", "aria-hidden": "true" });
  #phase = h("strong");
  #detail = span("link-detail");
  #said = "";

  connectedCallback() {
    this.append(this.#dot, span("link-words", this.#phase, this.#detail));
  }

  /** @override */
  refresh() {
    const { phase } = this.app.link;
    this.dataset.phase = phase;
    write(this.#phase, phases[phase]);
    this.tick();
    // Only lasting states are announced: an unstable link would make a screen reader talk without end.
    const say = phase === "live" || phase === "waiting" || phase === "stopped" ? phases[phase] : "";
    if (!say || say === this.#said) return;
    if (this.#said) this.app.announce(phase === "live" ? t`The connection is live again` : t`${phases[phase]}: what is shown may be old`);
    this.#said = say;
  }

  /** @override */
  tick() {
    write(this.#detail, this.#age());
    const { phase, retryAt } = this.app.link;
    if (phase === "waiting") write(this.#phase, t`Offline, retry ${Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))} s`);
  }

  #age() {
    const { phase, heardAt } = this.app.link;
    const { loaded, keptAt } = this.app.state;
    if (phase === "live") return "";
    if (keptAt) return t`as of ${ago(this.app.now() - keptAt)}`;
    return heardAt && loaded ? t`as of ${ago(Date.now() - heardAt)}` : "";
  }
}

customElements.define("link-state", LinkState);
