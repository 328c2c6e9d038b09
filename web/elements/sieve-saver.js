/** `<sieve-saver>`: saves the current filter of the list under a name, renames and removes it. Part of `<sieve-bar>`'s panel. */

import { attribute, h, write } from "../dom.js";
import { t } from "../language.js";
import { nameMax, renamed, without, withSieve } from "../named-sieves.js";
import { isSame, narrows } from "../sieve.js";

/** @typedef {import("./sieve-bar.js").SieveBar} SieveBar */
/** @typedef {import("../sieve.js").SavedSieves} SavedSieves */

export class SieveSaver extends HTMLElement {
  #bar = /** @type {SieveBar} */ (/** @type {unknown} */ (undefined));
  /** The name of the saved filter that is in use; empty if it is not saved. */ #name = "";
  #open = h("button", { type: "button", class: "plain", onclick: () => this.#ask(true) });
  #remove = h("button", { type: "button", class: "plain", onclick: () => this.#takeAway() }, t`Remove`);
  #told = h("p", { class: "quiet", role: "status" });
  #field = h("input", { id: "sieve-name", type: "text", maxlength: nameMax, autocomplete: "off" });
  #problem = h("p", { class: "problem", role: "alert" });
  #form = h("form", { class: "sieve-name", hidden: true, onsubmit: (event) => this.#submit(event) },
    h("div", { class: "field" }, h("label", { for: "sieve-name" }, t`Name`), this.#field), this.#problem,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "plain", onclick: () => this.#ask(false) }, t`Back`), h("button", { type: "submit", class: "solid" }, t`Save`)));

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("div", { class: "buttons" }, this.#open, this.#remove), this.#form, this.#told);
    this.#form.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.#ask(false);
    });
    // The bar takes what is typed in it for its own fields.
    this.#form.addEventListener("input", (event) => event.stopPropagation());
    const bar = this.closest("sieve-bar");
    if (bar) this.show(/** @type {SieveBar} */ (bar));
  }

  get #saved() {
    return /** @type {SavedSieves} */ (this.#bar.saved);
  }

  /**
   * Called when the filter or the saved ones may have changed.
   * @param {SieveBar} bar
   */
  show(bar) {
    this.#bar = bar;
    const { sieve, saved } = bar;
    const name = saved?.all.find((one) => isSame(one.sieve, sieve))?.name ?? "";
    // Another filter than the one that is being named.
    if (name !== this.#name && !this.#form.hidden) this.#ask(false);
    this.#name = name;
    attribute(this, "hidden", !saved || !(narrows(sieve) || sieve.group));
    write(this.#open, name ? t`Rename …` : t`Save this filter …`);
    attribute(this.#remove, "hidden", !name);
  }

  /** @param {boolean} asks @returns {void} */
  #ask(asks) {
    attribute(this.#form, "hidden", !asks);
    attribute(/** @type {Element} */ (this.#open.parentElement), "hidden", asks);
    write(this.#problem, "");
    write(this.#told, "");
    if (!asks) return this.#open.focus();
    this.#field.value = this.#name;
    return this.#field.select();
  }

  /** @param {Event} event */
  #submit(event) {
    event.preventDefault();
    const saved = this.#saved;
    saved.read();
    const changed = this.#name ? renamed(saved.all, this.#name, this.#field.value) : withSieve(saved.all, this.#field.value, this.#bar.sieve);
    if ("problem" in changed) return write(this.#problem, changed.problem);
    const told = this.#name ? t`Renamed` : t`Saved: it stands above the list.`;
    this.#ask(false);
    saved.set(changed.all);
    this.#bar.drawSaved();
    return write(this.#told, told);
  }

  #takeAway() {
    const saved = this.#saved;
    saved.read();
    saved.set(without(saved.all, this.#name));
    this.#bar.drawSaved();
    write(this.#told, t`Removed`);
    this.#open.focus();
  }
}

customElements.define("sieve-saver", SieveSaver);
