/** `<pair-screen>`: pairs this browser with the workspace. */

import { deviceName } from "../browser-name.js";
import { attribute, h, say, write } from "../dom.js";
import { pieces, t } from "../language.js";
import { answerMs, keepKey, refusalIn, within } from "../page-key.js";
import { alreadyWords, roleWords } from "../rights.js";
import { pairingOf } from "../route.js";
import { line } from "../text.js";
import { View } from "./view.js";

export class PairScreen extends View {
  /**
   * Called once the relay has paired this device, with the host's secret from the pairing link.
   * @type {(k: string) => void}
   */
  onpaired = () => undefined;
  /**
   * Called if a paired browser keeps its pairing.
   * @type {() => void}
   */
  onback = () => undefined;

  /** True if the relay knows this browser, so that the screen offers a way back. */
  isPaired = false;
  /** The role of this browser, until the relay has greeted it. */ #knownAs = "";
  /** The host's secret from the pairing link. */ #k = "";

  #code = h("input", {
    id: "pair-code", name: "code", autocomplete: "off", autocapitalize: "none", spellcheck: "false", required: true,
    "aria-describedby": "pair-help",
  });
  #codeField = h("div", { class: "field" }, h("label", { for: "pair-code" }, t`Code or link`), this.#code);
  #name = h("input", { id: "pair-name", name: "name", autocomplete: "off", maxlength: "64", required: true });
  #reason = h("p", { class: "note", hidden: true });
  #already = h("p", { class: "warning foreign", hidden: true });
  #back = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.onback() }, t`Back to the sessions`);
  #doneWords = h("p", { class: "foreign", tabindex: "-1" });
  #done = h("div", { class: "stack", hidden: true }, this.#doneWords,
    h("button", { type: "button", class: "solid", onclick: () => this.onpaired(this.#k) }, t`Go on`));
  #help = h("p", { id: "pair-help" });
  #paste = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.#pasteCode() }, t`Paste`);
  /** The steps load with the later part of the page, because only iPhones and iPads need them. */
  #install = h("install-steps", { class: "install", hidden: true });
  #open = h("p", { hidden: true },
    ...pieces`This relay gives everybody a workspace. On the machine with your agents, with Heliograph installed, run ${h("code", {}, `heliograph join ${location.origin}`)} and scan what it shows.`);
  #submit = h("button", { type: "submit", class: "solid" }, t`Pair this device`);
  #problem = h("p", { class: "problem", role: "alert" });
  #form = h("form", { onsubmit: (event) => this.#pair(event) },
    this.#codeField, this.#paste, h("div", { class: "field" }, h("label", { for: "pair-name" }, t`Name of this device`), this.#name),
    this.#submit, this.#problem);

  connectedCallback() {
    const title = h("h2", { tabindex: "-1" }, t`Pair this device`);
    this.append(h("div", { class: "sheet pair-sheet" }, title, this.#reason, this.#already, this.#install, this.#help, this.#open, this.#form, this.#back, this.#done));
    this.#name.value = deviceName(navigator.userAgent);
  }

  /**
   * @param {{code?: string, k?: string, reason?: string, isPaired?: boolean, knownAs?: string}} found `code` and `k`: the pairing code and the secret
   * from the opened link; `reason`: why pairing is needed; `knownAs`: the name under which this browser is paired.
   */
  arrive({ code = "", k = "", reason = "", isPaired = false, knownAs = "" }) {
    [this.isPaired, this.#knownAs, this.#k] = [isPaired, knownAs, k];
    if (knownAs) this.#name.value = knownAs;
    attribute(this.#done, "hidden", true);
    attribute(this.#back, "hidden", !isPaired);
    write(this.#submit, isPaired ? t`Pair it again` : t`Pair this device`);
    this.refresh();
    this.#code.value = code;
    attribute(this.#codeField, "hidden", code !== "");
    attribute(this.#paste, "hidden", code !== "" || !isOnHomeScreen());
    attribute(this.#reason, "hidden", reason === "");
    write(this.#reason, reason);
    this.#advise(code !== "");
    say(this.#problem, "", line);
    const goesToHomeScreen = code !== "" && isTabOfPhone();
    attribute(this.#install, "hidden", !goesToHomeScreen);
    for (const part of [this.#help, this.#form]) attribute(part, "hidden", goesToHomeScreen);
    if (goesToHomeScreen) this.#tellToInstall(k ? `${code}.${k}` : code);
    else (code ? this.#name : this.#code).focus();
    attribute(this.#open, "hidden", true);
    if (!code && !isPaired) this.#tellOfJoin();
  }

  async #tellOfJoin() {
    const answer = await fetch("/v1/register", { signal: within(answerMs) }).then((response) => response.json()).catch(() => null);
    attribute(this.#open, "hidden", answer?.registration !== "open" || this.#codeField.hidden);
  }

  /** @override Updates the shown rights if the relay has greeted this browser meanwhile. */
  refresh() {
    const { welcome } = this.app.state;
    attribute(this.#already, "hidden", !this.isPaired);
    if (this.isPaired) say(this.#already, alreadyWords(welcome?.client.name ?? this.#knownAs, welcome), line);
  }

  /** The person chose to pair this Safari tab nevertheless, which then has no notifications. */
  #showForm() {
    attribute(this.#install, "hidden", true);
    for (const part of [this.#help, this.#form]) attribute(part, "hidden", false);
    this.#name.focus();
  }

  /** @param {string} code */
  async #tellToInstall(code) {
    await this.app.loadSeldom();
    if (!("show" in this.#install)) return this.#showForm();
    this.#install.ontab = () => this.#showForm();
    return this.#install.show(code);
  }

  async #pasteCode() {
    try {
      this.#code.value = await navigator.clipboard.readText();
      this.#name.focus();
    } catch {
      this.#fail(t`The browser gives no text: hold the field and choose Paste.`);
    }
  }

  /** @param {boolean} hasCode */
  #advise(hasCode) {
    this.#help.replaceChildren(...(hasCode
      ? [t`Give it a name that you will recognise when it decides something.`]
      : [...pieces`On the relay's machine run ${h("code", {}, "heliograph pair")} and scan what it shows, or type its code here.`, " ",
        ...pieces`A device that is paired already can show one, too: ${h("em", {}, t`Connection → Pair another device`)}.`]));
  }

  /** @param {Event} event */
  async #pair(event) {
    event.preventDefault();
    const pairing = pairingOf(this.#code.value);
    if (!pairing) return this.#fail(t`This is not a pairing code or link.`);
    if (pairing.role === "host") return this.#fail(t`That link is for a machine with agents: run heliograph join with it there.`);
    if (pairing.k) this.#k = pairing.k;
    this.#submit.disabled = true;
    try {
      const body = JSON.stringify({ code: pairing.code, name: this.#name.value.trim() });
      const response = await fetch("/v1/pair", { method: "POST", headers: { "Content-Type": "application/json" }, body, signal: within(answerMs) });
      const answer = await response.json().catch(() => null);
      if (!response.ok || typeof answer?.key !== "string") return this.#fail(refusal(response.status, answer));
      const { key, role, name } = answer;
      keepKey(key);
      if (this.isPaired) this.#tell(String(name), String(role));
      else this.onpaired(this.#k);
    } catch {
      this.#fail(t`The relay cannot be reached. Try again.`);
    } finally {
      this.#submit.disabled = false;
    }
    return undefined;
  }

  /**
   * Announces the replaced role before the page continues.
   * @param {string} name @param {string} role
   */
  #tell(name, role) {
    this.isPaired = false;
    for (const part of [this.#reason, this.#already, this.#help, this.#form, this.#back]) attribute(part, "hidden", true);
    attribute(this.#done, "hidden", false);
    say(this.#doneWords, `${t`This browser is now paired as ${name}: ${roleWords(role)}`} ${t`What it was before is still under Devices, Access, until somebody revokes it there.`}`, line);
    this.#doneWords.focus();
  }

  /** @param {string} problem */
  #fail(problem) {
    say(this.#problem, problem, line);
    attribute(this.#codeField, "hidden", false);
    this.#advise(false);
  }
}

/**
 * True in a Safari tab on an iPhone or iPad. A page on the Home Screen has cookies and keys of its own, so a code used in the tab would be wasted. Over plain
 * HTTP neither has notifications.
 */
const isTabOfPhone = () => isSecureContext && /** @type {{standalone?: boolean}} */ (navigator).standalone === false;

/** True for a page on the Home Screen: a code has to be pasted there, because a scanned one opens in Safari. */
const isOnHomeScreen = () => isSecureContext && /** @type {{standalone?: boolean}} */ (navigator).standalone === true;

/** @param {number} status @param {any} answer */
function refusal(status, answer) {
  if (status === 429) return t`Too many tries. Wait a minute, then try again.`;
  if (answer?.error?.code === "badCode") return t`The relay does not take this code: it was used, is older than ten minutes, or is mistyped. Make a new one.`;
  return refusalIn(status, answer);
}

customElements.define("pair-screen", PairScreen);
