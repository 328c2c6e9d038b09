/** `<pair-screen>`: makes this browser one of the workspace's devices. */

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
   * Called when the relay has taken this device, with the host's secret that came with the code.
   * @type {(k: string) => void}
   */
  onpaired = () => undefined;
  /**
   * Called when a browser that is paired already stays as it is.
   * @type {() => void}
   */
  onback = () => undefined;

  /** Whether the relay knows this browser, so that there is something to go back to. */
  isPaired = false;
  /** As what, before the relay greeted it. */ #knownAs = "";
  /** A host's secret. */ #k = "";

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
  /** Comes with the part, as only a phone of one kind asks for it. */
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
   * @param {{code?: string, k?: string, reason?: string, isPaired?: boolean, knownAs?: string}} found The code and the secret from the link that was
   *   opened, why pairing is needed, and whether this browser is paired as it is, under which name.
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

  /** @override The relay may have greeted it meanwhile, and said what it may. */
  refresh() {
    const { welcome } = this.app.state;
    attribute(this.#already, "hidden", !this.isPaired);
    if (this.isPaired) say(this.#already, alreadyWords(welcome?.client.name ?? this.#knownAs, welcome), line);
  }

  /** A tab is paired all the same: without notifications it is as good as any other. */
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
   * Announces the replaced rights before it goes on.
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
 * A tab of Safari on an iPhone or iPad: a page on the Home Screen has cookies and keys of its own, so that a code is not to be spent here. Over plain
 * HTTP there are no notifications for either.
 */
const isTabOfPhone = () => isSecureContext && /** @type {{standalone?: boolean}} */ (navigator).standalone === false;

/** There a code can only be pasted: what is scanned opens in Safari. */
const isOnHomeScreen = () => isSecureContext && /** @type {{standalone?: boolean}} */ (navigator).standalone === true;

/** @param {number} status @param {any} answer */
function refusal(status, answer) {
  if (status === 429) return t`Too many tries. Wait a minute, then try again.`;
  if (answer?.error?.code === "badCode") return t`The relay does not take this code: it was used, is older than ten minutes, or is mistyped. Make a new one.`;
  return refusalIn(status, answer);
}

customElements.define("pair-screen", PairScreen);
