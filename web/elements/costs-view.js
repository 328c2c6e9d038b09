/** `<costs-view>`: usage and its cost, as bars with a table behind them, and the most expensive sessions. */

import { attribute, h, say, span, write } from "../dom.js";
import { barsOf, budgetDayEnd, cacheShare, forecast, measureOf, monthBudget, placesMax, ranges, sumOf } from "../costs.js";
import { costOf, money, timeOfDay } from "../format.js";
import { language, plural, t } from "../language.js";
import { titleOf } from "../session-words.js";
import { line } from "../text.js";
import { noNews } from "./link-state.js";
import { View } from "./view.js";

/** @typedef {import("../costs.js").Sum} Sum */
/** @typedef {import("../costs.js").Bar} Bar */

/** Interval in seconds at which the view asks for the usage. */
const askEvery = 30;
/** Maximum number of entries of a list that is not expanded. */
const dearestMax = 10;

const counted = new Intl.NumberFormat(language.tag);

/**
 * The cost in words. Usage without a known price is named in tokens, because it is not free.
 * @param {Sum} sum
 */
function costWords(sum) {
  const unpriced = sum.unpricedTokens ? t`${counted.format(sum.unpricedTokens)} tokens without a price` : "";
  return [costOf(sum), unpriced].filter(Boolean).join(" + ") || t`price unknown`;
}

export class CostsView extends View {
  #range = h("select", { id: "cost-range", onchange: () => this.#ask() },
    ...Object.entries(ranges).map(([range, words]) => h("option", { value: range }, words)));
  #nothing = h("p", { class: "quiet" });
  /** Today's cost. */
  #today = h("p", { class: "cost-today", hidden: true });
  #total = h("strong", { class: "cost-total" });
  #aside = h("p", { class: "quiet" });
  #forecast = h("p", { class: "note", hidden: true });
  #chart = h("div", { class: "cost-bars", role: "img" });
  #begin = span("");
  #end = span("");
  #legend = h("ul", { class: "cost-legend" });
  #table = h("tbody");
  #lists = h("div", { class: "stack" });
  #body = h("div", { class: "stack", hidden: true },
    h("p", { class: "cost-sum" }, this.#total), this.#aside, this.#forecast,
    h("figure", { class: "cost-figure" }, this.#chart, h("p", { class: "cost-axis quiet", "aria-hidden": "true" }, this.#begin, this.#end), this.#legend),
    h("details", { class: "fold" }, h("summary", {}, t`As a table`), h("div", { class: "cost-scroll", tabindex: "0", role: "group", "aria-label": t`Costs as a table` },
      h("table", { class: "cost-table" }, h("thead", {}, h("tr", {},
        ...[t`When`, t`Cost`, t`Input`, t`Output`, t`Cache read`, t`Cache written`, t`Models`].map((words) => h("th", { scope: "col" }, words)))), this.#table))),
    this.#lists);
  /** @type {unknown} The last report that was drawn, so that a report is drawn once. */ #drawn = null;
  #ticks = 0;

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, t`Cost`), h("a", { class: "head-link", href: "#/budgets" }, t`Budgets`)),
      h("div", { class: "sheet" }, this.#today, h("div", { class: "field" }, h("label", { for: "cost-range" }, t`Show`), this.#range), this.#nothing, this.#body));
  }

  /** Called when the view is opened. */
  arrive() {
    this.#ticks = 0;
    this.#ask();
    this.#draw();
  }

  /** @override */
  refresh() {
    this.#draw();
  }

  /** @override */
  tick() {
    this.#ticks += 1;
    if (this.#ticks % askEvery === 0) this.#ask();
  }

  #ask() {
    this.app.budgets.load();
    this.app.costs.load(this.#range.value);
  }

  #draw() {
    const { report, span: shown, problem } = this.app.costs;
    const isEmpty = report && !report.days.length;
    write(this.#nothing, problem || (!report ? noNews(this.app.link) : isEmpty ? t`Nothing was used in this time.` : ""));
    attribute(this.#nothing, "class", problem ? "problem" : "quiet");
    attribute(this.#nothing, "hidden", !this.#nothing.textContent);
    attribute(this.#body, "hidden", !report || isEmpty);
    attribute(this.#today, "hidden", !report);
    if (report && shown) write(this.#today, t`Today ${costWords(sumOf(report, shown.days.length - 1))}`);
    if (!report || !shown || isEmpty) return;
    this.#drawForecast(report, shown);
    if (this.#drawn === report) return;
    this.#drawn = report;
    write(this.#total, costWords(report.total));
    const cached = cacheShare(report.total);
    const since = report.since && report.since > shown.days[0] ? t`Counted since ${new Intl.DateTimeFormat(language.tag, { dateStyle: "medium" }).format(report.since)}.` : "";
    const count = plural(report.sessionCount, "session");
    write(this.#aside, [cached === null ? `${count}.` : t`${count}, ${Math.round(cached * 100)} % of the input from a cache.`, since].filter(Boolean).join(" "));
    this.#drawBars(barsOf(report, shown), report);
    this.#drawLists(report);
  }

  /** @param {import("../costs.js").CostReport} report @param {import("../costs.js").Span} shown */
  #drawForecast(report, shown) {
    const [budgets, now] = [this.app.state.budgets ?? [], this.app.now()];
    const spent = forecast(budgets, report.lastHourMicroUSD, now);
    const day = budgets.find(({ scope }) => scope === "day");
    const today = day ? t`Day's budget: ${money(day.spentMicroUSD)} of ${money(day.microUSD)}, anew at ${timeOfDay(budgetDayEnd(now))}.` : "";
    const pace = spent ? t`At the pace of the last hour it is spent at ${timeOfDay(spent)}.` : "";
    const whole = monthBudget(budgets, shown, now);
    const month = whole === null ? "" : t`This month so far: ${costWords(report.total)} of ${money(whole)}, that budget for each of its days.`;
    write(this.#forecast, [today, pace, month].filter(Boolean).join(" "));
    attribute(this.#forecast, "hidden", !today);
  }

  /** @param {Bar[]} bars @param {import("../costs.js").CostReport} report */
  #drawBars(bars, report) {
    const most = Math.max(...bars.map(({ size }) => size), 1);
    const dearest = bars.reduce((a, b) => (b.size > a.size ? b : a));
    attribute(this.#chart, "aria-label", t`${bars.length} bars from ${bars[0].label} to ${bars[bars.length - 1].label}; the highest is ${dearest.label} with ${costWords(dearest.sum)}. The numbers are in the table below.`);
    this.#chart.replaceChildren(...bars.map(({ label, sum, parts }) => {
      const bar = h("div", { class: "cost-bar", title: `${label}: ${parts.length ? costWords(sum) : money(0)}` });
      for (const part of parts) {
        const piece = h("i", { "data-place": part.place });
        piece.style.blockSize = `${(part.size / most) * 100}%`;
        bar.prepend(piece);
      }
      return bar;
    }));
    write(this.#begin, bars[0].label);
    write(this.#end, bars[bars.length - 1].label);
    const named = report.models.slice(0, placesMax).map((model, place) => ({ words: model.name ?? t`no model named`, place, sum: /** @type {Sum} */ (model) }));
    if (report.models.length > placesMax) named.push({ words: t`others`, place: placesMax, sum: {} });
    this.#legend.replaceChildren(...named.map(({ words, place, sum }) => {
      const name = span("foreign");
      say(name, words, line);
      return h("li", {}, h("i", { "data-place": place, "aria-hidden": "true" }), name, span("quiet", place < placesMax ? costWords(sum) : ""));
    }));
    this.#table.replaceChildren(...bars.filter(({ parts }) => parts.length).map(({ label, sum, parts }) => h("tr", {}, h("th", { scope: "row" }, label),
      h("td", {}, costWords(sum)), ...["input", "output", "cacheRead", "cacheWrite"].map((kind) => h("td", {}, counted.format(/** @type {Record<string, number>} */ (sum.tokens ?? {})[kind] ?? 0))), modelsOf(parts, named))));
  }

  /** @param {import("../costs.js").CostReport} report */
  #drawLists(report) {
    const { sessions } = this.app.state;
    const measure = measureOf(report.total);
    const known = report.sessions.map((session) => {
      const summary = sessions.get(session.session);
      const words = summary ? titleOf(summary) : [session.project, session.agent].filter(Boolean).join(" · ");
      return { words, detail: session.host, sum: /** @type {Sum} */ (session), ...(summary && { href: `#/session/${session.session}` }) };
    });
    /** @param {{name?: string}[]} shares */
    const named = (shares) => shares.slice(0, dearestMax).map((share) => ({ words: share.name ?? t`none`, detail: "", sum: /** @type {Sum} */ (share) }));
    this.#lists.replaceChildren(
      listOf(t`Dearest sessions`, known, measure), listOf(t`By project`, named(report.projects), measure),
      ...(report.hosts.length > 1 ? [listOf(t`By host`, named(report.hosts), measure)] : []),
      ...(report.agents.length > 1 ? [listOf(t`By agent`, named(report.agents), measure)] : []));
  }
}

/**
 * The table's cell with each model's cost.
 * @param {Bar["parts"]} parts @param {{words: string}[]} named
 */
function modelsOf(parts, named) {
  const cell = h("td", { class: "foreign" });
  say(cell, parts.map(({ place, sum }) => `${named[place]?.words}: ${costWords(sum)}`).join(", "), line);
  return cell;
}

/**
 * @param {string} title
 * @param {{words: string, detail: string, sum: Sum, href?: string}[]} entries
 * @param {(sum: Sum) => number} measure
 */
function listOf(title, entries, measure) {
  const most = Math.max(...entries.map(({ sum }) => measure(sum)), 1);
  return h("section", {}, h("h3", {}, title), h("ol", { class: "cost-list" }, ...entries.map(({ words, detail, sum, href }) => {
    const name = href ? h("a", { class: "foreign", href }) : span("foreign");
    say(name, words, line);
    const place = span("quiet foreign");
    say(place, detail, line);
    const bar = h("i", { "aria-hidden": "true" });
    bar.style.inlineSize = `${(measure(sum) / most) * 100}%`;
    return h("li", {}, h("span", { class: "cost-name" }, name, detail ? " · " : "", place), h("span", { class: "cost-of" }, costWords(sum)), bar);
  })));
}

customElements.define("costs-view", CostsView);
