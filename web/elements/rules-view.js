/** `<rules-view>`: what hosts answer by their owners' rules, what has run by each, and taking one back. */

import { arrange, attribute, h, nodes, say, span, write } from "../dom.js";
import { plural, timeOfDay } from "../format.js";
import { addObstacle, isToday, limitsOf, narrowestRule, ranBy, ruledHosts, standingOf, takeBackObstacle } from "../rules.js";
import { titleOf } from "../session-words.js";
import { shownEvent } from "../shown.js";
import { outcomeOf } from "../starts.js";
import { exact, line } from "../text.js";
import { Confirmation } from "./confirmation.js";
import { noNews } from "./link-state.js";
import { View } from "./view.js";

/** @typedef {import("../rules.js").RuledHost} RuledHost */
/** @typedef {import("../rules.js").Rule} Rule */

/** More than a person reads before they decide. */
const ranShownMax = 50;

export class RulesView extends View {
  #empty = h("p", { class: "quiet" });
  #list = h("ol", { class: "budgets", "aria-label": "Rules" });
  #problem = h("p", { class: "problem foreign", role: "alert" });
  #draftText = h("pre", { class: "foreign exact rule-patterns", tabindex: "0", role: "group", "aria-label": "The rule" });
  #draftWhy = h("p", { class: "quiet foreign" });
  #draftWords = h("p", { class: "foreign" });
  #add = h("button", { type: "button", class: "solid", onclick: () => this.#addRule() }, "Sign and add this rule");
  #draft = h("section", { class: "budget rule-draft", "aria-labelledby": "rule-draft-title", hidden: true }, h("h3", { id: "rule-draft-title" }, "A new rule"), this.#draftWords,
    this.#draftText, this.#draftWhy, h("div", { class: "buttons" }, h("a", { href: "#/rules" }, "Leave it"), this.#add));
  /** @type {Map<string, RuleRow>} By host and name. */ #rows = new Map();
  /** The request that a rule is made from. */ #from = { session: "", approval: "" };
  /** @type {{desk: string, text: string}|undefined} The rule as a person reads it: whatever the relay says later, nothing else is signed. */ #read;
  /** @type {{id: string, host: RuledHost, done: string, failed: string, adds: boolean}|null} */ #sent = null;
  /** @type {Set<string>} Sessions of hosts that are followed: there the outcome is told. */ #followed = new Set();
  /** The rule that the address names, until it has been shown. */ #wanted = { session: "", name: "" };

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, "Rules")),
      h("div", { class: "sheet" }, this.#draft, this.#problem, this.#empty, this.#list));
  }

  /**
   * It comes to the screen.
   * @param {{session?: string, name?: string, approval?: string}} route An agent's session, and the rule that answered for it, or the request that one is to be
   * made from.
   */
  arrive({ session = "", name = "", approval = "" }) {
    this.#wanted = { session, name };
    this.#from = { session, approval };
    this.#read = undefined;
    write(this.#problem, "");
    this.#draw();
  }

  /** It leaves the screen. */
  leave() {
    for (const session of this.#followed) this.app.link.unwatch(session);
    this.#followed.clear();
  }

  /** @override @param {import("./view.js").Changes} _changes */
  refresh(_changes) {
    this.#draw();
  }

  #draw() {
    const { state, link } = this.app;
    const hosts = ruledHosts(state.hosts);
    this.#drawDraft(hosts);
    const hasRules = hosts.some(({ rules, more }) => rules.length + more > 0);
    write(this.#empty, hasRules ? "" : state.loaded ? "No host shows rules. A rule answers for you at the host, before anybody is asked: heliograph rules --help" : noNews(link));
    attribute(this.#empty, "hidden", hasRules);
    this.#settle();
    const keys = new Set();
    arrange(this.#list, hosts.flatMap((host) => [
      ...host.rules.map((rule) => {
        const key = `${host.session}/${rule.name}`;
        keys.add(key);
        const row = this.#rows.get(key) ?? new RuleRow((ruled, its) => this.#takeBack(ruled, its));
        this.#rows.set(key, row);
        const ran = ranBy(state.logs, state.sessions, host.hostID, rule.name);
        const why = takeBackObstacle(state.welcome?.may ?? [], host, rule, link.isLive) || this.app.trust.obstacle(host.consent, host.host);
        row.show(host, rule, {
          ran, why, isSending: this.#sent !== null, now: this.app.now(),
          titleOf: (session) => titleOf(/** @type {import("../wire").Summary} */ (state.sessions.get(session))),
        });
        return row.element;
      }),
      ...(host.more ? [h("li", { class: "quiet" }, `${plural(host.more, "more rule")} on ${host.host}: heliograph rules list there.`)] : []),
    ]));
    for (const key of [...this.#rows.keys()]) if (!keys.has(key)) this.#rows.delete(key);
    this.#reveal(hosts);
  }

  /** @param {RuledHost[]} hosts */
  #reveal(hosts) {
    const { session, name } = this.#wanted;
    const host = hosts.find(({ hostID }) => hostID === this.app.state.sessions.get(session)?.host.id);
    const row = host && this.#rows.get(`${host.session}/${name}`);
    if (!row) return;
    this.#wanted = { session: "", name: "" };
    row.reveal();
  }

  /** @param {RuledHost[]} hosts @returns {{desk: string, text: string}|undefined} */
  #drafted(hosts) {
    const { state } = this.app;
    const { session, approval } = this.#from;
    const summary = state.sessions.get(session);
    const host = hosts.find(({ hostID }) => hostID === summary?.host.id);
    const event = state.logs.get(session)?.events.find(({ kind, head }) => kind === "approval.requested" && head.approval === approval);
    if (!summary || !host || !event) return undefined;
    const text = narrowestRule(shownEvent(event, session, approval), summary, host.rules.map(({ name }) => name));
    return text ? { desk: host.session, text } : undefined;
  }

  /** @param {RuledHost[]} hosts */
  #drawDraft(hosts) {
    attribute(this.#draft, "hidden", !this.#from.approval);
    if (!this.#from.approval) return;
    const draft = (this.#read ??= this.#drafted(hosts));
    const host = hosts.find(({ session }) => session === draft?.desk);
    const why = !draft || !host ? "No rule that narrow can be made from this request."
      : addObstacle(this.app.state.welcome?.may ?? [], host, this.app.link.isLive) || this.app.trust.obstacle(host.consent, host.host);
    say(this.#draftWords, host ? `${host.host} then allows exactly this, and asks nobody, until the rule is taken back:` : "", line);
    say(this.#draftText, draft?.text ?? "", exact);
    attribute(this.#draftText, "hidden", !draft);
    say(this.#draftWhy, why, line);
    attribute(this.#draftWhy, "hidden", !why);
    attribute(this.#add, "disabled", why !== "" || this.#sent !== null);
  }

  #addRule() {
    const host = ruledHosts(this.app.state.hosts).find(({ session }) => session === this.#read?.desk);
    if (!host || !this.#read) return;
    this.#send(host, { type: "ruleAdd", session: host.session, toml: this.#read.text }, { done: "The rule is added", failed: "Not added", adds: true });
  }

  /** What has become of what was sent. */
  #settle() {
    const sent = this.#sent;
    const outcome = sent && outcomeOf(this.app.state.logs.get(sent.host.session)?.events ?? [], sent.id);
    if (!sent || !outcome) return;
    this.#sent = null;
    if (outcome.stage !== "taken") {
      return say(this.#problem, outcome.stage === "unknown" ? "Nobody knows yet whether it was done: look at the rules." : `${sent.failed}: ${outcome.reason || "its host refused it"}.`, line);
    }
    this.app.announce(sent.done);
    if (sent.adds) location.hash = "#/rules";
    return undefined;
  }

  /** @param {RuledHost} host @param {Rule} rule */
  #takeBack(host, rule) {
    this.#send(host, { type: "ruleOff", session: host.session, rule: rule.name }, { done: `The rule ${rule.name} is taken back`, failed: "Not taken back", adds: false });
  }

  /** @param {RuledHost} host @param {import("../wire").Command} command @param {{done: string, failed: string, adds: boolean}} words */
  async #send(host, command, words) {
    if (this.#sent) return;
    write(this.#problem, "");
    if (!this.#followed.has(host.session)) this.app.link.watch(host.session);
    this.#followed.add(host.session);
    const id = this.app.link.freshID();
    this.#sent = { id, host, ...words };
    this.#draw();
    try {
      await this.app.link.command(await this.app.trust.signed(command, id), { id });
    } catch (error) {
      const { code, message } = /** @type {import("../link.js").CommandError} */ (error);
      this.#sent = null;
      say(this.#problem, code === "linkLost" ? "The connection broke: look at the rules once it is back." : `${words.failed}: ${message}`, line);
      this.#draw();
    }
  }
}

/** One rule of one host. */
class RuleRow {
  #name = span("budget-name foreign");
  #answer = span("budget-spent foreign");
  #patterns = h("p", { class: "foreign exact rule-patterns" });
  #limits = h("p", { class: "quiet foreign" });
  #standing = h("p", { class: "warning", hidden: true });
  #count = h("summary", {});
  #ran = h("ol", { class: "rule-ran" });
  #fold = h("details", { hidden: true }, this.#count, this.#ran);
  #back = h("button", { type: "button", class: "deny" }, "Take back …");
  #buttons = h("div", { class: "buttons" }, this.#back);
  #why = h("p", { class: "quiet foreign" });
  #confirmation;
  element = h("li", { class: "budget" }, h("p", { class: "budget-line" }, this.#name, this.#answer), this.#patterns, this.#limits, this.#standing,
    this.#fold, this.#why, this.#buttons);
  /** @type {[RuledHost, Rule]|null} */ #shown = null;
  #drawn = "";

  /** @param {(host: RuledHost, rule: Rule) => void} takeBack */
  constructor(takeBack) {
    this.#confirmation = new Confirmation({ opener: this.#back, buttons: this.#buttons, verb: "Take it back", deed: () => {
      this.#confirmation.close();
      if (this.#shown) takeBack(...this.#shown);
    } });
    this.element.append(this.#confirmation.element);
  }

  /**
   * @param {RuledHost} host @param {Rule} rule
   * @param {{ran: import("../rules.js").Ran[], why: string, isSending: boolean, now: number, titleOf: (session: string) => string}} more
   */
  show(host, rule, { ran, why, isSending, now, titleOf }) {
    this.#shown = [host, rule];
    const today = ran.filter(({ at }) => isToday(at, now)).length;
    say(this.#name, rule.name, line);
    say(this.#answer, `${rule.answer} · ${host.host}`, line);
    say(this.#patterns, rule.for.join("\n"), exact);
    const words = [limitsOf(rule), rule.words && `The model reads: “${rule.words}”`].filter(Boolean).join(". ");
    say(this.#limits, words, line);
    attribute(this.#limits, "hidden", !words);
    const standing = standingOf(host, rule);
    write(this.#standing, standing);
    attribute(this.#standing, "hidden", !standing);
    attribute(this.element, "data-off", rule.off === true);
    // Only sessions that were opened here are known to their events.
    const counted = `${plural(ran.length, "call")} ran by it in the sessions that are open here, ${today} of them today`;
    attribute(this.#fold, "hidden", rule.answer !== "allow");
    const key = JSON.stringify([counted, ran[0]?.at]);
    if (key !== this.#drawn) {
      this.#drawn = key;
      write(this.#count, counted);
      this.#ran.replaceChildren(...ran.slice(0, ranShownMax).map(({ session, at, title }) => h("li", {}, span("quiet", `${timeOfDay(at)} `),
        h("a", { href: `#/session/${session}`, class: "foreign" }, nodes(line(`${title} · ${titleOf(session)}`))))),
      ...(ran.length > ranShownMax ? [h("li", { class: "quiet" }, `and ${ran.length - ranShownMax} before these`)] : []));
    }
    attribute(this.#back, "disabled", why !== "" || isSending);
    attribute(this.#back, "aria-label", `Take back the rule ${rule.name} of ${host.host}`);
    attribute(this.#back, "hidden", rule.answer !== "allow" || rule.off === true);
    say(this.#why, rule.answer === "allow" && !rule.off ? why : "", line);
    attribute(this.#why, "hidden", !this.#why.textContent);
    if (rule.off) this.#confirmation.close();
    this.#confirmation.disabled = why !== "" || isSending;
    this.#confirmation.question = `Take back the rule ${rule.name}? ${host.host} asks a person again for what it allowed; what has run stays as it is. Only its owner can let it allow again, at that machine.`;
  }

  /** Somebody came for this one. */
  reveal() {
    this.#fold.open = true;
    this.element.scrollIntoView({ block: "nearest" });
  }
}

customElements.define("rules-view", RulesView);
