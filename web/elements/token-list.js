/** `<token-list>`: every token that the relay accepts, its last use, and its revocation. */

import { arrange, attribute, h, say, span, write } from "../dom.js";
import { t } from "../language.js";
import { has } from "../rights.js";
import { line } from "../text.js";
import { inOrder, kindOf, lastUse, mayOf, originOf, revocationQuestion, revokedWords } from "../tokens.js";
import { Confirmation } from "./confirmation.js";

/** @typedef {import("../wire").Token} Token */
/** @typedef {import("./view.js").App} App */

export class TokenList extends HTMLElement {
  /** @type {Map<string, TokenRow>} */ #rows = new Map();
  #title = h("h3", { id: "tokens-title", tabindex: "-1" }, t`Access`);
  #problem = h("p", { class: "problem", role: "alert" });
  #list = h("ol", { class: "tokens", "aria-labelledby": "tokens-title" });

  connectedCallback() {
    if (!this.firstChild) {
      this.append(this.#title, h("p", { class: "quiet" }, t`Every browser, terminal, app and host that may reach this workspace.`), this.#problem, this.#list);
    }
  }

  /** @param {App} app */
  show(app) {
    const { all, problem, isKnown } = app.tokens;
    attribute(this, "hidden", !isKnown || (!all && !problem) || !has(app.state.welcome, "administer"));
    write(this.#problem, problem && t`The list cannot be had: ${problem}`);
    const tokens = inOrder(all ?? []);
    const ids = new Set(tokens.map(({ id }) => id));
    for (const id of [...this.#rows.keys()]) if (!ids.has(id)) this.#rows.delete(id);
    arrange(this.#list, tokens.map((token) => {
      const row = this.#rows.get(token.id) ?? new TokenRow(app, () => this.#title.focus({ preventScroll: true }));
      this.#rows.set(token.id, row);
      row.show(token);
      return row.element;
    }));
  }

  tick() {
    this.#rows.forEach((row) => row.tick());
  }
}

class TokenRow {
  #name = h("h4", { class: "foreign" });
  #own = span("presence", t`This browser`);
  #use = span("");
  #origin = span("");
  #revoke = h("button", { type: "button", class: "deny" }, t`Revoke …`);
  #rename = h("button", { type: "button", class: "plain", onclick: () => this.#showNaming(true) }, t`Rename …`);
  #buttons = h("div", { class: "buttons" }, this.#rename, this.#revoke);
  #newName = h("input", { type: "text", autocomplete: "off", maxlength: "64", required: true });
  #naming = h("form", { class: "naming", hidden: true, onsubmit: (event) => this.#giveName(event) }, this.#newName,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.#showNaming(false) }, t`Back`),
      h("button", { type: "submit", class: "solid" }, t`Rename`)));
  #keeps = h("input", { type: "checkbox" });
  #keepsWords = span("choice-label");
  #keepsChoice = h("label", { class: "choice", hidden: true }, this.#keeps, this.#keepsWords);
  #problem = h("p", { class: "problem", role: "alert" });
  #confirmation = new Confirmation({ opener: this.#revoke, buttons: this.#buttons, verb: t`Revoke`, deed: () => this.#end() });
  element = h("li", { class: "token-row" },
    h("div", { class: "token-words" }, h("p", { class: "token-head" }, this.#name, this.#own), h("p", { class: "quiet foreign" }, this.#use), h("p", { class: "quiet foreign" }, this.#origin)),
    this.#buttons, this.#naming, this.#confirmation.element, this.#problem);

  /** @type {App} */ #app;
  /** @type {() => void} */ #gone;
  #token = /** @type {Token} */ (/** @type {unknown} */ (undefined));

  /** @param {App} app @param {() => void} gone Called to remove the row, which has the keyboard focus. */
  constructor(app, gone) {
    this.#app = app;
    this.#gone = gone;
    this.#confirmation.element.lastElementChild?.before(this.#keepsChoice);
  }

  /** @param {Token} token */
  show(token) {
    this.#token = token;
    const { name, own, connections, children, moreChildren = 0 } = token;
    say(this.#name, name, line);
    attribute(this.#own, "hidden", !own);
    attribute(this.#own, "data-present", true);
    attribute(this.#revoke, "aria-label", t`Revoke ${name} …`);
    attribute(this.#rename, "aria-label", t`Rename ${name} …`);
    attribute(this.#newName, "aria-label", t`New name of ${name}`);
    attribute(this.element, "data-present", connections > 0);
    this.#confirmation.question = revocationQuestion(token);
    attribute(this.#keepsChoice, "hidden", !children.length);
    write(this.#keepsWords, t`Keep what it added (${children.length + moreChildren})`);
    this.tick();
  }

  tick() {
    const now = this.#app.now();
    say(this.#use, `${kindOf(this.#token)}${mayOf(this.#token)} · ${lastUse(this.#token, now)}`, line);
    say(this.#origin, originOf(this.#token, now), line);
  }

  /** @param {boolean} isNaming @returns {void} */
  #showNaming(isNaming) {
    attribute(this.#naming, "hidden", !isNaming);
    attribute(this.#buttons, "hidden", isNaming);
    write(this.#problem, "");
    if (isNaming) this.#newName.value = this.#token.name;
    (isNaming ? this.#newName : this.#rename).focus();
    if (isNaming) this.#newName.select();
  }

  /** @param {Event} event */
  async #giveName(event) {
    event.preventDefault();
    const name = this.#newName.value.trim();
    try {
      await this.#app.tokens.rename(this.#token.id, name);
      this.#app.announce(t`It is called ${name} now`);
      this.#showNaming(false);
    } catch (error) {
      write(this.#problem, t`Not renamed: ${/** @type {Error} */ (error).message}`);
    }
  }

  async #end() {
    const { id, name } = this.#token;
    write(this.#problem, "");
    this.#confirmation.disabled = true;
    try {
      const others = await this.#app.tokens.revoke(id, this.#keeps.checked);
      this.#app.announce(revokedWords(name, others));
      this.#gone();
    } catch (error) {
      write(this.#problem, t`Not revoked: ${/** @type {Error} */ (error).message}`);
    }
    this.#confirmation.disabled = false;
  }
}

customElements.define("token-list", TokenList);
