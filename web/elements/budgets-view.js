/** `<budgets-view>`: the budgets with what is spent of them, and a form to set one. */

import { arrange, attribute, h, say, span, write } from "../dom.js";
import { strain } from "../budget-words.js";
import { nameOf, parse, pickable, scopes } from "../budgets.js";
import { money } from "../format.js";
import { language, t } from "../language.js";
import { titleOf } from "../session-words.js";
import { line } from "../text.js";
import { Confirmation } from "./confirmation.js";
import { noNews } from "./link-state.js";
import { View } from "./view.js";

/** @typedef {import("../wire").BudgetReport} KnownBudget */

/** Above this number of sessions the form has a search field. */
const sessionsAtOnceMax = 12;
/** Interval in seconds at which the view asks for what is spent. */
const askEvery = 10;

export class BudgetsView extends View {
  #list = h("ol", { class: "budgets", "aria-label": t`Budgets` });
  #empty = h("p", { class: "quiet" });
  #scope = h("select", { id: "budget-scope", onchange: () => this.#draw() },
    ...Object.entries(scopes).map(([scope, words]) => h("option", { value: scope }, words)));
  #session = h("select", { id: "budget-session" });
  #find = h("input", { id: "budget-find", type: "search", autocomplete: "off", oninput: () => this.#fillSessions(this.#session.value) });
  #findField = h("div", { class: "field" }, h("label", { for: "budget-find" }, t`Find a session`), this.#find);
  #sessionField = h("div", { class: "stack" }, this.#findField, h("div", { class: "field" }, h("label", { for: "budget-session" }, t`Session`), this.#session));
  #dollars = h("input", { id: "budget-dollars", type: "text", inputmode: "decimal", autocomplete: "off", placeholder: (5).toLocaleString(language.tag, { minimumFractionDigits: 2 }) });
  #levels = h("input", { id: "budget-levels", type: "text", autocomplete: "off", value: "50, 80, 100" });
  #hold = h("input", { id: "budget-hold", type: "checkbox" });
  #save = h("button", { type: "submit", class: "solid" }, t`Set this budget`);
  #problem = h("p", { class: "problem", role: "alert" });
  /** @type {Map<string, BudgetRow>} */ #rows = new Map();
  #ticks = 0;

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, t`Budgets`)),
      h("div", { class: "sheet" }, this.#empty, this.#list,
        h("form", { class: "budget-form", "aria-labelledby": "budget-form-title", onsubmit: (event) => this.#submit(event) },
          h("h3", { id: "budget-form-title" }, t`Set a budget`),
          h("div", { class: "field" }, h("label", { for: "budget-scope" }, t`For`), this.#scope), this.#sessionField,
          h("div", { class: "field" }, h("label", { for: "budget-dollars" }, t`Dollars`), this.#dollars),
          h("div", { class: "field" }, h("label", { for: "budget-levels" }, t`Tell me at, in percent`), this.#levels),
          h("label", { class: "choice", for: "budget-hold" }, this.#hold, span("", span("choice-label", t`Hold at 100 %`),
            span("quiet", t`From then on every tool needs approval. Codex asks about all but what its own rules trust; agents of ACP ask as before, and take no prompts if they do not ask.`))),
          this.#save, this.#problem)));
  }

  /**
   * Called when the view is opened.
   * @param {string|undefined} session The session to set a budget for.
   */
  arrive(session) {
    this.#ticks = 0;
    this.#fillSessions(session);
    if (session) this.#scope.value = "session";
    this.app.budgets.load();
    this.#draw();
  }

  /** @override @param {import("./view.js").Changes} changes */
  refresh(changes) {
    if (changes.all || changes.sessions.size) this.#fillSessions(this.#session.value);
    this.#draw();
  }

  /** @override */
  tick() {
    this.#ticks += 1;
    if (this.#ticks % askEvery === 0) this.app.budgets.load();
  }

  #draw() {
    const { state, budgets: { problem } } = this.app;
    attribute(this.#sessionField, "hidden", this.#scope.value !== "session");
    this.#save.disabled = !this.app.link.isLive;
    const budgets = state.budgets ?? [];
    write(this.#empty, problem || (!state.budgets ? noNews(this.app.link) : budgets.length ? "" : t`No budget is set: nothing is held, and nobody is told what is spent.`));
    attribute(this.#empty, "hidden", !this.#empty.textContent);
    attribute(this.#empty, "class", problem ? "problem" : "quiet");
    const names = new Set(budgets.map(nameOf));
    for (const name of [...this.#rows.keys()]) if (!names.has(name)) this.#rows.delete(name);
    arrange(this.#list, budgets.map((budget) => {
      const name = nameOf(budget);
      const row = this.#rows.get(name) ?? new BudgetRow((known) => this.#change(known), (known) => this.#removeBudget(known));
      this.#rows.set(name, row);
      row.show(budget, this.#titleOf(budget));
      return row.element;
    }));
  }

  /** @param {KnownBudget} budget */
  #titleOf({ scope, session }) {
    if (scope !== "session") return scopes[scope] ?? scope;
    const summary = this.app.state.sessions.get(session ?? "");
    return summary ? titleOf(summary) : t`Session ${session}`;
  }

  /** @param {string|undefined} chosen */
  #fillSessions(chosen) {
    const sessions = [...this.app.state.sessions.values()].sort((a, b) => b.lastActivityAt - a.lastActivityAt);
    attribute(this.#findField, "hidden", sessions.length <= sessionsAtOnceMax);
    const found = pickable(sessions, this.#findField.hidden ? "" : this.#find.value, chosen);
    const wanted = JSON.stringify(found);
    if (this.#session.dataset.sessions !== wanted) {
      this.#session.dataset.sessions = wanted;
      this.#session.replaceChildren(...found.map(([session, words]) => {
        const option = h("option", { value: session });
        say(option, words, line);
        return option;
      }));
    }
    if (chosen && this.app.state.sessions.has(chosen)) this.#session.value = chosen;
  }

  /**
   * Fills the form with a budget.
   * @param {KnownBudget} budget
   */
  #change({ scope, session, microUSD, levels, hold }) {
    this.#scope.value = scope;
    if (session) this.#session.value = session;
    this.#dollars.value = (microUSD / 1_000_000).toFixed(2);
    this.#levels.value = levels.join(", ");
    this.#hold.checked = hold === true;
    this.#draw();
    this.#dollars.focus();
  }

  /** @param {Event} event */
  async #submit(event) {
    event.preventDefault();
    const read = parse({
      scope: this.#scope.value, session: this.#session.value, dollars: this.#dollars.value, levels: this.#levels.value, hold: this.#hold.checked,
    });
    if ("problem" in read) return write(this.#problem, read.problem);
    if (!(await this.#run(() => this.app.budgets.set(read.budget), t`The budget is set`, t`Not set`))) return undefined;
    this.#dollars.value = "";
    this.#draw();
    // On a phone the list above the form may be out of sight.
    this.#rows.get(nameOf(read.budget))?.element.scrollIntoView({ block: "nearest" });
    return undefined;
  }

  /**
   * Removes a budget, and moves the focus to the row that takes its place.
   * @param {KnownBudget} budget
   */
  async #removeBudget(budget) {
    const names = (this.app.state.budgets ?? []).map(nameOf);
    const at = names.indexOf(nameOf(budget));
    if (!(await this.#run(() => this.app.budgets.remove(budget), t`The budget is removed`, t`Not removed`))) return;
    const next = this.#rows.get(names[at + 1] ?? names[at - 1] ?? "");
    (next?.change ?? this.querySelector("h2"))?.focus();
  }

  /**
   * Runs a change and shows its outcome. Resolves to true if it was done.
   * @param {() => Promise<void>} deed @param {string} done @param {string} failed @returns {Promise<boolean>}
   */
  async #run(deed, done, failed) {
    write(this.#problem, "");
    try {
      await deed();
      this.app.announce(done);
      return true;
    } catch (error) {
      write(this.#problem, `${failed}: ${/** @type {Error} */ (error).message}`);
      return false;
    }
  }
}

/** One row of the list: a budget with what is spent of it. */
class BudgetRow {
  #name = span("budget-name foreign");
  #bar = h("progress", { max: "1", value: "0" });
  #spent = span("budget-spent");
  #terms = h("p", { class: "quiet" });
  #powerless = h("p", { class: "warning foreign", hidden: true });
  change = h("button", { type: "button", class: "plain" }, t`Change`);
  #remove = h("button", { type: "button", class: "deny" }, t`Remove …`);
  #buttons = h("div", { class: "buttons" }, this.change, this.#remove);
  #confirmation;
  element = h("li", { class: "budget" }, h("p", { class: "budget-line" }, this.#name, this.#spent), this.#bar, this.#terms, this.#powerless,
    this.#buttons);
  /** @type {KnownBudget|null} */ #budget = null;

  /** @param {(budget: KnownBudget) => void} change @param {(budget: KnownBudget) => void} remove */
  constructor(change, remove) {
    this.change.addEventListener("click", () => this.#budget && change(this.#budget));
    this.#confirmation = new Confirmation({
      opener: this.#remove, buttons: this.#buttons, verb: t`Remove`, deed: () => this.#budget && remove(this.#budget),
    });
    this.element.append(this.#confirmation.element);
  }

  /** @param {KnownBudget} budget @param {string} title */
  show(budget, title) {
    this.#budget = budget;
    const { scope, microUSD, spentMicroUSD, crossed, levels, hold, cannotHold = [] } = budget;
    say(this.#name, title, line);
    write(this.#spent, scope === "everySession" ? t`up to ${money(spentMicroUSD)} of ${money(microUSD)}` : t`${money(spentMicroUSD)} of ${money(microUSD)}`);
    attribute(this.#bar, "max", microUSD);
    attribute(this.#bar, "value", Math.min(spentMicroUSD, microUSD));
    attribute(this.#bar, "aria-label", t`Spent: ${title}`);
    attribute(this.#powerless, "hidden", !cannotHold.length);
    say(this.#powerless, t`Too old to hold an agent: ${cannotHold.join(", ")}. Its agents go on as before.`, line);
    attribute(this.element, "data-budget", strain({ level: crossed ?? 0 }));
    this.#confirmation.question = `${t`Remove this budget (${title})?`} ${hold ? t`What it held needs no approval any more.` : t`Nobody is told what is spent any more.`}`;
    const told = levels.map((level) => `${level} %`).join(", ");
    write(this.#terms, [crossed ? t`You are told at ${told}; ${crossed} % is crossed.` : t`You are told at ${told}.`,
      hold && t`From 100 % on every tool needs approval, as far as the agent can be held.`].filter(Boolean).join(" "));
    attribute(this.change, "aria-label", t`Change the budget: ${title}`);
    attribute(this.#remove, "aria-label", t`Remove the budget: ${title}`);
  }
}

customElements.define("budgets-view", BudgetsView);
