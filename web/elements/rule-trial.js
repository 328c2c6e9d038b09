/** The outcome of trying rules on earlier requests: how many they would have answered, which ones, and first those that a person denied. */

import { attribute, h, nodes, say, span, write } from "../dom.js";
import { timeOfDay } from "../format.js";
import { language, plural, t } from "../language.js";
import { callWords, countWords } from "../rule-words.js";
import { exact, line } from "../text.js";

/** @typedef {import("../rule-words.js").Trial} Trial */
/** @typedef {import("../rule-words.js").Tried} Tried */

/** Maximum number of requests that are listed: more than a person reads. */
const callsShownMax = 200;

export class RuleTrial {
  #words = h("p", { class: "quiet foreign", role: "status" });
  #warning = h("p", { class: "warning", hidden: true });
  #denied = h("ol", { class: "rule-ran", "aria-label": t`What these rules would have allowed, and a person denied` });
  #sure = h("input", { type: "checkbox", onchange: () => this.#changed() });
  #sureLine = h("label", { class: "choice", hidden: true }, this.#sure, span("choice-label", t`I have read what was denied`));
  #counts = h("ul", { class: "rule-ran" });
  #all = h("ol", { class: "rule-ran" });
  #allCount = h("summary", {});
  #fold = h("details", { hidden: true }, this.#allCount, this.#all);
  #suggestions = h("ol", { class: "budgets", "aria-label": t`Suggested rules` });
  element = h("section", { class: "rule-trial", hidden: true, "aria-label": t`Tried on what was asked` }, this.#words, this.#warning, this.#denied, this.#sureLine, this.#counts,
    this.#fold, this.#suggestions);
  /** @type {Trial|null} */ #shown = null;
  /** @type {() => void} */ #changed;
  /** @type {(toml: string) => void} */ #take;

  /**
   * `take` is called when a person chooses the suggested rule.
   * @param {{changed: () => void, take: (toml: string) => void}} calls
   */
  constructor({ changed, take }) {
    [this.#changed, this.#take] = [changed, take];
  }

  /** True once everything has been on screen that must be read before the rules are accepted. */
  get isRead() {
    return !this.#shown?.denied.length || this.#sure.checked;
  }

  /**
   * @param {{outcome: Trial|null, problem: string}|null} trial Null if no trial was requested. @param {boolean} asks True if a person is about to accept these rules.
   * @param {(session: string) => string} titleOf
   */
  show(trial, asks, titleOf) {
    attribute(this.element, "hidden", trial === null);
    const outcome = trial?.outcome ?? null;
    say(this.#words, !trial ? "" : trial.problem || (outcome ? summaryOf(outcome) : t`Trying it on what was asked …`), line);
    attribute(this.#sureLine, "hidden", !asks || !outcome?.denied.length);
    if (outcome === this.#shown) return;
    this.#shown = outcome;
    this.#sure.checked = false;
    const denied = outcome?.denied ?? [];
    write(this.#warning, !denied.length ? "" : denied.length === 1 ? t`What this would have allowed, a person denied once:` : t`What this would have allowed, a person denied ${denied.length} times:`);
    attribute(this.#warning, "hidden", !denied.length);
    /** @param {Tried} call */
    const row = (call) => h("li", {}, span("quiet", `${new Date(call.at).toLocaleDateString(language.tag, { dateStyle: "medium" })} ${timeOfDay(call.at)} `),
      h("a", { href: `#/session/${call.session}`, class: "foreign" }, nodes(line(`${call.title} · ${titleOf(call.session)}`))), span("quiet foreign", nodes(line(` ${callWords(call)}`))));
    this.#denied.replaceChildren(...denied.map(row));
    this.#counts.replaceChildren(...(outcome?.rules ?? []).map((rule) => h("li", { class: "foreign" }, nodes(line(`${rule.name}: ${countWords(rule)}`)))));
    const tried = outcome?.tried ?? [];
    const left = (outcome?.more ?? 0) + Math.max(0, tried.length - callsShownMax);
    write(this.#allCount, t`Each of ${plural(tried.length, "request")}`);
    attribute(this.#fold, "hidden", !tried.length);
    this.#all.replaceChildren(...tried.slice(0, callsShownMax).map(row), ...(left ? [h("li", { class: "quiet" }, t`and ${left} before these`)] : []));
    this.#suggestions.replaceChildren(...(outcome?.suggestions ?? []).map(({ toml, times }) => h("li", { class: "suggested" },
      h("p", { class: "quiet" }, t`You answered so ${times} times, and never otherwise:`), h("pre", { class: "foreign exact rule-patterns" }, nodes(exact(toml))),
      h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.#take(toml) }, t`Look at this rule …`)))));
  }
}

/** @param {Trial} outcome */
function summaryOf({ requests, since, asked, suggestions }) {
  if (!requests) return t`Nothing is kept that this host has asked.`;
  const open = t`Of ${plural(requests, "request")} since ${new Date(since).toLocaleDateString(language.tag, { dateStyle: "medium" })} a person would still be asked about ${asked}.`;
  return suggestions?.length === 0 ? `${open} ${t`Nothing else was answered the same way five times, and never otherwise.`}` : open;
}
