/** `<rules-view>`: each host's rules with the calls they answered, trials of other rules, and removing, adding and changing rules. */

import { arrange, attribute, h, nodes, say, span, write } from "../dom.js";
import { timeOfDay } from "../format.js";
import { plural, t } from "../language.js";
import { isToday } from "../later-times.js";
import { addObstacle, answerWords, changeObstacle, limitsOf, ranBy, ruleTemplate, standingOf, takeBackObstacle, textOfRule, trialOf, tryObstacle } from "../rule-words.js";
import { narrowestRule, ruledHosts } from "../rules.js";
import { titleOf } from "../session-words.js";
import { shownEvent } from "../shown.js";
import { outcomeOf } from "../starts.js";
import { exact, line } from "../text.js";
import { Confirmation } from "./confirmation.js";
import { noNews } from "./link-state.js";
import { RuleTrial } from "./rule-trial.js";
import { View } from "./view.js";

/** @typedef {import("../rules.js").RuledHost} RuledHost */
/** @typedef {import("../rules.js").Rule} Rule */
/** @typedef {{desk: string, text: string, replaces: string}} Draft A rule to add at a host, or to replace the rule named in `replaces`. */
/** @typedef {{desk: string, text: string, id: string, outcome: import("../rule-words.js").Trial|null, problem: string}} Attempt */

/** Maximum number of answered calls that are listed for a rule: more than a person reads before deciding. */
const ranShownMax = 50;

export class RulesView extends View {
  #empty = h("p", { class: "quiet" });
  #list = h("ol", { class: "budgets", "aria-label": t`Rules` });
  #problem = h("p", { class: "problem foreign", role: "alert" });
  #draftText = h("pre", { class: "foreign exact rule-patterns", tabindex: "0", role: "group", "aria-label": t`The rule` });
  #draftWhy = h("p", { class: "quiet foreign" });
  #draftWords = h("p", { class: "foreign" });
  #draftField = h("textarea", { rows: "8", dir: "auto", spellcheck: "false", autocapitalize: "off", maxlength: "4000", "aria-label": t`The rule as it is to stand in the file` });
  #draftTitle = h("h3", { id: "rule-draft-title", tabindex: "-1" });
  #add = h("button", { type: "button", class: "solid", onclick: () => this.#addRule() });
  #edit = h("button", { type: "button", class: "plain", onclick: () => this.#write() }, t`Write it otherwise`);
  #look = h("button", { type: "button", class: "solid", onclick: () => this.#readDraft() }, t`Look at it`);
  #draftTrial = new RuleTrial({ changed: () => this.#draw(), take: () => undefined });
  #draft = h("section", { class: "budget rule-draft", "aria-labelledby": "rule-draft-title", hidden: true }, this.#draftTitle, this.#draftWords,
    this.#draftText, this.#draftField, this.#draftTrial.element, this.#draftWhy,
    h("div", { class: "buttons" }, h("a", { href: "#/rules", onclick: () => this.#close() }, t`Leave it`), this.#edit, this.#look, this.#add));
  /** @type {Map<string, RuleRow>} Rows by host and rule name. */ #rows = new Map();
  /** @type {Map<string, HostRow>} */ #hostRows = new Map();
  /** The request that the new rule is derived from. */ #from = { session: "", approval: "" };
  /** @type {Draft|undefined} The rule text that the person was shown: only this text is signed, whatever the relay sends later. */ #read;
  /** The text of a rule is being edited. */ #isWriting = false;
  /** @type {Attempt|null} The last rules that a host was asked to try, and their outcome. */ #trial = null;
  /** @type {{id: string, host: RuledHost, done: string, failed: string, adds: boolean}|null} */ #sent = null;
  /** @type {Set<string>} Subscribed sessions of hosts, whose events carry the outcome of a command. */ #followed = new Set();
  /** The rule in the address, until it has been scrolled into view. */ #wanted = { session: "", name: "" };

  connectedCallback() {
    this.append(
      h("div", { class: "pane-head" }, h("h2", { tabindex: "-1" }, t`Rules`), h("nav", { class: "switch", "aria-label": t`Approvals` },
        h("a", { href: "#/approvals" }, t`Waiting`), h("a", { href: "#/approvals/recent" }, t`Recent`), h("a", { href: "#/rules", "aria-current": "page" }, t`Rules`))),
      h("div", { class: "sheet" }, this.#draft, this.#problem, this.#empty, this.#list));
  }

  /**
   * Called when the view is opened.
   * @param {{session?: string, name?: string, approval?: string}} route An agent's session with the rule that answered in it, or with the request to derive
   * a rule from.
   */
  arrive({ session = "", name = "", approval = "" }) {
    this.#wanted = { session, name };
    this.#close();
    this.#from = { session, approval };
    this.#draw();
  }

  /** Discards the draft of a rule. */
  #close() {
    this.#from = { session: "", approval: "" };
    this.#read = undefined;
    this.#isWriting = false;
    this.#trial = null;
    write(this.#problem, "");
    this.#draw();
  }

  /** Called when the view is closed. */
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
    const hasRules = hosts.some(({ rules, more }) => rules.length + more > 0);
    write(this.#empty, hasRules ? "" : state.loaded ? t`No host shows rules. A rule answers for you at the host, before anybody is asked: heliograph rules --help` : noNews(link));
    attribute(this.#empty, "hidden", hasRules);
    this.#settle();
    this.#settleTrial();
    const keys = new Set();
    const may = state.welcome?.may ?? [];
    arrange(this.#list, hosts.flatMap((host) => [
      ...(host.tries || host.takesNew ? [this.#hostRow(host).element] : []),
      ...host.rules.map((rule) => {
        const key = `${host.session}/${rule.name}`;
        keys.add(key);
        const row = this.#rows.get(key) ?? new RuleRow((ruled, its) => this.#takeBack(ruled, its), (ruled, its) => this.#open(ruled, textOfRule(its), its.name, true));
        this.#rows.set(key, row);
        const ran = ranBy(state.logs, state.sessions, host.hostID, rule.name);
        const why = takeBackObstacle(may, host, rule, link.isLive) || this.app.trust.obstacle(host.consent, host.host);
        row.show(host, rule, {
          ran, why, changes: !this.#obstacle({ desk: host.session, text: "", replaces: rule.name }, host), isSending: this.#sent !== null, now: this.app.now(),
          titleOf: (session) => this.#titleOf(session),
        });
        return row.element;
      }),
      ...(host.more ? [h("li", { class: "quiet" }, t`${plural(host.more, "more rule")} on ${host.host}: heliograph rules list there.`)] : []),
    ]));
    for (const key of [...this.#rows.keys()]) if (!keys.has(key)) this.#rows.delete(key);
    this.#reveal(hosts);
    this.#drawDraft(hosts);
  }

  /** @param {string} session */
  #titleOf(session) {
    const summary = this.app.state.sessions.get(session);
    return summary ? titleOf(summary) : t`Session ${session}`;
  }

  /** @param {RuledHost} host */
  #hostRow(host) {
    const row = this.#hostRows.get(host.session) ?? new HostRow({
      tryRules: (ruled) => this.#try(ruled, ""), write: (ruled) => this.#open(ruled, ruleTemplate, "", true),
      take: (ruled, toml) => this.#open(ruled, toml, "", false),
    });
    this.#hostRows.set(host.session, row);
    const may = this.app.state.welcome?.may ?? [];
    const trial = this.#trial?.desk === host.session && this.#trial.text === "" ? this.#trial : null;
    row.show(host, {
      trial, why: tryObstacle(may, host, this.app.link.isLive), isTrying: this.#isTrying, titleOf: (session) => this.#titleOf(session),
      writes: !this.#obstacle({ desk: host.session, text: "", replaces: "" }, host),
    });
    return row;
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

  /** @param {RuledHost} host @param {string} text @param {string} replaces @param {boolean} isWriting */
  #open(host, text, replaces, isWriting) {
    this.#close();
    this.#read = { desk: host.session, text, replaces };
    this.#isWriting = isWriting;
    this.#draftField.value = text;
    this.#draw();
    this.#draft.scrollIntoView({ block: "nearest" });
    (isWriting ? this.#draftField : this.#draftTitle).focus();
  }

  #write() {
    if (!this.#read) return;
    this.#from = { session: "", approval: "" };
    this.#isWriting = true;
    this.#draftField.value = this.#read.text;
    this.#draw();
    this.#draftField.focus();
  }

  #readDraft() {
    if (!this.#read) return;
    this.#read = { ...this.#read, text: this.#draftField.value.trim() };
    this.#isWriting = false;
    this.#draw();
    this.#draftTitle.focus();
  }

  /** @param {RuledHost[]} hosts @returns {Draft|undefined} */
  #drafted(hosts) {
    const { state } = this.app;
    const { session, approval } = this.#from;
    const summary = state.sessions.get(session);
    const host = hosts.find(({ hostID }) => hostID === summary?.host.id);
    const event = state.logs.get(session)?.events.find(({ kind, head }) => kind === "approval.requested" && head.approval === approval);
    if (!summary || !host || !event) return undefined;
    const text = narrowestRule(shownEvent(event, session, approval), summary, host.rules.map(({ name }) => name));
    return text ? { desk: host.session, text, replaces: "" } : undefined;
  }

  /** @param {RuledHost[]} hosts */
  #drawDraft(hosts) {
    if (this.#from.approval) this.#read ??= this.#drafted(hosts);
    const draft = this.#read;
    attribute(this.#draft, "hidden", !draft && !this.#from.approval);
    if (!draft && !this.#from.approval) return;
    const host = hosts.find(({ session }) => session === draft?.desk);
    const isRead = draft !== undefined && !this.#isWriting;
    const why = this.#obstacle(draft, host);
    const trial = isRead && this.#trial?.desk === draft.desk && this.#trial.text === draft.text ? this.#trial : null;
    say(this.#draftTitle, draft?.replaces ? t`In the place of the rule ${draft.replaces}` : t`A new rule`, line);
    say(this.#draftWords, host ? this.#wordsOf(host, isRead) : "", line);
    say(this.#draftText, draft?.text ?? "", exact);
    attribute(this.#draftText, "hidden", !isRead);
    attribute(this.#draftField, "hidden", !this.#isWriting);
    say(this.#draftWhy, why, line);
    attribute(this.#draftWhy, "hidden", !why);
    this.#draftTrial.show(trial, true, (session) => this.#titleOf(session));
    write(this.#add, draft?.replaces ? t`Sign and change the rule` : t`Sign and add this rule`);
    attribute(this.#add, "hidden", this.#isWriting);
    attribute(this.#look, "hidden", !this.#isWriting);
    attribute(this.#edit, "hidden", !isRead || why !== "");
    // A rule has to be tried before it can be accepted.
    const isTried = !trial || !this.#isTrying;
    attribute(this.#add, "disabled", why !== "" || this.#sent !== null || !isTried || !this.#draftTrial.isRead);
    if (isRead && host && !why && !trial && !this.#isTrying && !tryObstacle(this.app.state.welcome?.may ?? [], host, this.app.link.isLive)) this.#try(host, draft.text);
  }

  /**
   * The reason why the draft cannot be accepted at the host; empty if it can.
   * @param {Draft|undefined} draft @param {RuledHost|undefined} host
   */
  #obstacle(draft, host) {
    if (!draft || !host) return t`No rule that narrow can be made from this request.`;
    const may = this.app.state.welcome?.may ?? [];
    const replaced = host.rules.find(({ name }) => name === draft.replaces);
    if (draft.replaces && !replaced) return t`${host.host} has no rule ${draft.replaces} any more.`;
    return (replaced ? changeObstacle(may, host, replaced, this.app.link.isLive) : addObstacle(may, host, this.app.link.isLive)) || this.app.trust.obstacle(host.consent, host.host);
  }

  /** @param {RuledHost} host @param {boolean} isRead */
  #wordsOf({ host }, isRead) {
    if (!isRead) return t`As it is to stand in the file at ${host}. You see it once more before you sign it.`;
    return this.#from.approval ? t`${host} then allows exactly this, and asks nobody, until the rule is taken back:` : t`${host} then answers by this, and asks nobody, until the rule is taken back:`;
  }

  #addRule() {
    const host = ruledHosts(this.app.state.hosts).find(({ session }) => session === this.#read?.desk);
    if (!host || !this.#read) return;
    const { text, replaces } = this.#read;
    if (replaces) this.#send(host, { type: "ruleChange", session: host.session, rule: replaces, toml: text }, { done: t`The rule is changed`, failed: t`Not changed`, adds: true });
    else this.#send(host, { type: "ruleAdd", session: host.session, toml: text }, { done: t`The rule is added`, failed: t`Not added`, adds: true });
  }

  get #isTrying() {
    return this.#trial !== null && this.#trial.outcome === null && this.#trial.problem === "";
  }

  /** @param {RuledHost} host @param {string} text Rules to try; if empty, the host tries its own. */
  async #try(host, text) {
    const id = this.app.link.freshID();
    const trial = this.#trial = /** @type {Attempt} */ ({ desk: host.session, text, id, outcome: null, problem: "" });
    this.#follow(host);
    this.#draw();
    try {
      const command = /** @type {import("../wire").Command} */ ({ type: "ruleTry", session: host.session, toml: text });
      await this.app.link.command(await this.app.trust.signed(command, id), { id });
    } catch (error) {
      trial.problem = t`Not tried: ${/** @type {Error} */ (error).message}`;
      this.#draw();
    }
  }

  #settleTrial() {
    const trial = this.#trial;
    if (!trial || !this.#isTrying) return;
    const outcome = outcomeOf(this.app.state.logs.get(trial.desk)?.events ?? [], trial.id);
    if (!outcome) return;
    trial.outcome = outcome.stage === "taken" ? trialOf(outcome.tried) : null;
    if (!trial.outcome) trial.problem = t`Not tried: ${outcome.reason || t`its host has not said why`}.`;
  }

  /** @param {RuledHost} host */
  #follow(host) {
    if (!this.#followed.has(host.session)) this.app.link.watch(host.session);
    this.#followed.add(host.session);
  }

  /** Shows the outcome of the last command. */
  #settle() {
    const sent = this.#sent;
    const outcome = sent && outcomeOf(this.app.state.logs.get(sent.host.session)?.events ?? [], sent.id);
    if (!sent || !outcome) return;
    this.#sent = null;
    if (outcome.stage !== "taken") {
      return say(this.#problem, outcome.stage === "unknown" ? t`Nobody knows yet whether it was done: look at the rules.` : `${sent.failed}: ${outcome.reason || t`its host refused it`}.`, line);
    }
    this.app.announce(sent.done);
    if (sent.adds) {
      this.#close();
      location.hash = "#/rules";
    }
    return undefined;
  }

  /** @param {RuledHost} host @param {Rule} rule */
  #takeBack(host, rule) {
    this.#send(host, { type: "ruleOff", session: host.session, rule: rule.name }, { done: t`The rule ${rule.name} is taken back`, failed: t`Not taken back`, adds: false });
  }

  /** @param {RuledHost} host @param {import("../wire").Command} command @param {{done: string, failed: string, adds: boolean}} words */
  async #send(host, command, words) {
    if (this.#sent) return;
    write(this.#problem, "");
    this.#follow(host);
    const id = this.app.link.freshID();
    this.#sent = { id, host, ...words };
    this.#draw();
    try {
      await this.app.link.command(await this.app.trust.signed(command, id), { id });
    } catch (error) {
      const { code, message } = /** @type {import("../link.js").CommandError} */ (error);
      this.#sent = null;
      say(this.#problem, code === "linkLost" ? t`The connection broke: look at the rules once it is back.` : `${words.failed}: ${message}`, line);
      this.#draw();
    }
  }
}

/** One host: a trial of its rules, and a draft of a new one. */
class HostRow {
  #name = h("h3", { class: "foreign" });
  #try;
  #write;
  #why = h("p", { class: "quiet foreign" });
  #trial;
  element = h("li", { class: "rule-host" });
  /** @type {RuledHost|null} */ #shown = null;

  /** @param {{tryRules: (host: RuledHost) => void, write: (host: RuledHost) => void, take: (host: RuledHost, toml: string) => void}} calls */
  constructor({ tryRules, write: begin, take }) {
    /** @param {(host: RuledHost) => void} call */
    const forHost = (call) => () => { if (this.#shown) call(this.#shown); };
    this.#try = h("button", { type: "button", class: "plain", onclick: forHost(tryRules) }, t`Try on what was asked`);
    this.#write = h("button", { type: "button", class: "plain", onclick: forHost(begin) }, t`Write a rule …`);
    this.#trial = new RuleTrial({ changed: () => undefined, take: (toml) => { if (this.#shown) take(this.#shown, toml); } });
    this.element.append(this.#name, this.#why, h("div", { class: "buttons" }, this.#try, this.#write), this.#trial.element);
  }

  /** @param {RuledHost} host @param {{trial: Attempt|null, why: string, isTrying: boolean, writes: boolean, titleOf: (session: string) => string}} more */
  show(host, { trial, why, isTrying, writes, titleOf: its }) {
    this.#shown = host;
    say(this.#name, host.host, line);
    say(this.#why, why, line);
    attribute(this.#why, "hidden", !why);
    attribute(this.#try, "disabled", why !== "" || isTrying);
    attribute(this.#try, "aria-label", t`Try the rules of ${host.host} on what was asked`);
    attribute(this.#write, "hidden", !writes);
    this.#trial.show(trial, false, its);
  }
}

/** One rule of a host. */
class RuleRow {
  #name = span("budget-name foreign");
  #answer = span("budget-spent foreign");
  #patterns = h("p", { class: "foreign exact rule-patterns" });
  #limits = h("p", { class: "quiet foreign" });
  #standing = h("p", { class: "warning", hidden: true });
  #count = h("summary", {});
  #ran = h("ol", { class: "rule-ran" });
  #fold = h("details", { hidden: true }, this.#count, this.#ran);
  #back = h("button", { type: "button", class: "deny" }, t`Take back …`);
  #change = h("button", { type: "button", class: "plain" }, t`Change …`);
  #buttons = h("div", { class: "buttons" }, this.#change, this.#back);
  #why = h("p", { class: "quiet foreign" });
  #confirmation;
  element = h("li", { class: "budget" }, h("p", { class: "budget-line" }, this.#name, this.#answer), this.#patterns, this.#limits, this.#standing,
    this.#fold, this.#why, this.#buttons);
  /** @type {[RuledHost, Rule]|null} */ #shown = null;
  #drawn = "";

  /** @param {(host: RuledHost, rule: Rule) => void} takeBack @param {(host: RuledHost, rule: Rule) => void} change */
  constructor(takeBack, change) {
    this.#change.addEventListener("click", () => { if (this.#shown) change(...this.#shown); });
    this.#confirmation = new Confirmation({ opener: this.#back, buttons: this.#buttons, verb: t`Take it back`, deed: () => {
      this.#confirmation.close();
      if (this.#shown) takeBack(...this.#shown);
    } });
    this.element.append(this.#confirmation.element);
  }

  /**
   * @param {RuledHost} host @param {Rule} rule
   * @param {{ran: import("../rule-words.js").Ran[], why: string, changes: boolean, isSending: boolean, now: number, titleOf: (session: string) => string}} more
   */
  show(host, rule, { ran, why, changes, isSending, now, titleOf }) {
    this.#shown = [host, rule];
    const today = ran.filter(({ at }) => isToday(at, now)).length;
    say(this.#name, rule.name, line);
    say(this.#answer, `${answerWords[rule.answer] ?? rule.answer} · ${host.host}`, line);
    say(this.#patterns, rule.for.join("\n"), exact);
    const words = [limitsOf(rule), rule.words && t`The model reads: “${rule.words}”`].filter(Boolean).join(". ");
    say(this.#limits, words, line);
    attribute(this.#limits, "hidden", !words);
    const standing = standingOf(host, rule);
    write(this.#standing, standing);
    attribute(this.#standing, "hidden", !standing);
    attribute(this.element, "data-off", rule.off === true);
    // The page knows the events of opened sessions only.
    const counted = t`${plural(ran.length, "call")} ran by it in the sessions that are open here, ${today} of them today`;
    attribute(this.#fold, "hidden", rule.answer !== "allow");
    const key = JSON.stringify([counted, ran[0]?.at]);
    if (key !== this.#drawn) {
      this.#drawn = key;
      write(this.#count, counted);
      this.#ran.replaceChildren(...ran.slice(0, ranShownMax).map(({ session, at, title }) => h("li", {}, span("quiet", `${timeOfDay(at)} `),
        h("a", { href: `#/session/${session}`, class: "foreign" }, nodes(line(`${title} · ${titleOf(session)}`))))),
      ...(ran.length > ranShownMax ? [h("li", { class: "quiet" }, t`and ${ran.length - ranShownMax} before these`)] : []));
    }
    attribute(this.#change, "hidden", !changes);
    attribute(this.#change, "aria-label", t`Change the rule ${rule.name} of ${host.host}`);
    attribute(this.#back, "disabled", why !== "" || isSending);
    attribute(this.#back, "aria-label", t`Take back the rule ${rule.name} of ${host.host}`);
    attribute(this.#back, "hidden", rule.answer !== "allow" || rule.off === true);
    say(this.#why, rule.answer === "allow" && !rule.off ? why : "", line);
    attribute(this.#why, "hidden", !this.#why.textContent);
    if (rule.off) this.#confirmation.close();
    this.#confirmation.disabled = why !== "" || isSending;
    this.#confirmation.question = t`Take back the rule ${rule.name}? ${host.host} asks a person again for what it allowed; what has run stays as it is. Only its owner can let it allow again, at that machine.`;
  }

  /** Opens the row and scrolls to it, because the address names its rule. */
  reveal() {
    this.#fold.open = true;
    this.element.scrollIntoView({ block: "nearest" });
  }
}

customElements.define("rules-view", RulesView);
