/** Draws Markdown as elements. All of its text is foreign: invisible characters become visible, nothing becomes HTML, and nothing is fetched. */

import { h, nodes, span } from "../dom.js";
import { t } from "../language.js";
import { markdown } from "../markdown.js";
import { calm, exact, plainly, said } from "../text.js";
import { codeNodes, copyButton } from "./blocks.js";

/** @typedef {import("../markdown.js").Block} Block */
/** @typedef {import("../markdown.js").Inline} Inline */
/**
 * @typedef {{reading: typeof said, code: typeof exact, heading: number, addressMax: number, dir: "auto"|null}} Manner `dir`: the direction of blocks
 * that have a side, such as lists.
 */

/** Characters of a link's path that are shown after its host in text that is not decided on. */
const addressCharactersShown = 40;

/**
 * Nodes for a text that no decision depends on.
 * @param {string} text @param {number} heading The level of its first heading on the page.
 */
export const markdownToRead = (text, heading = 3) => drawn(plainly(text), { reading: calm, code: calm, heading, addressMax: addressCharactersShown, dir: "auto" });

/**
 * Nodes for a text that a person decides on: invisible characters become tokens, and addresses are shown in full.
 * @param {string} text @param {number} heading
 */
export const markdownToDecide = (text, heading = 4) => drawn(text, { reading: said, code: exact, heading, addressMax: Number.POSITIVE_INFINITY, dir: null });

/** @param {string} text @param {Manner} manner */
function drawn(text, manner) {
  return h("div", { class: "markdown foreign" }, ...new Writer(manner).blocks(markdown(text)));
}

class Writer {
  #manner;
  /** @type {number[]} Levels of the enclosing headings in the text; their count gives the level on the page, which skips none. */ #levels = [];

  /** @param {Manner} manner */
  constructor(manner) {
    this.#manner = manner;
  }

  /** @param {Block[]} blocks @returns {HTMLElement[]} */
  blocks(blocks) {
    return blocks.map((block) => this.#block(block));
  }

  /** @param {Block} block @returns {HTMLElement} */
  #block(block) {
    switch (block.type) {
      case "heading":
        return h(this.#headingTag(block.level), {}, ...this.#inlines(block.inlines));
      case "code":
        return h("figure", { class: "markdown-code copied" }, block.language ? h("figcaption", { class: "quiet" }, this.#text(block.language)) : null,
          h("pre", { class: "block foreign" }, this.#manner.code === calm ? codeNodes(block.text, block.language) : this.#code(block.text)),
          this.#manner.code === calm ? copyButton(block.text) : null);
      case "quote":
        return h("blockquote", { dir: this.#manner.dir }, ...this.blocks(block.blocks));
      case "list":
        return h(block.first === null ? "ul" : "ol", { dir: this.#manner.dir, start: block.first }, ...block.items.map(({ isDone, blocks }) =>
          h("li", isDone === null ? {} : { class: "task" },
            isDone === null ? null : span("task-mark", isDone ? "☑" : "☐", span("unseen", isDone ? t` done: ` : t` to do: `)), ...this.blocks(blocks))));
      case "table":
        return h("div", { class: "markdown-table", tabindex: "0", role: "group", "aria-label": t`Table, scrolls` }, h("table", {},
          h("thead", {}, h("tr", {}, ...block.head.map((cell) => h("th", { scope: "col" }, ...this.#inlines(cell))))),
          h("tbody", {}, ...block.rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, ...this.#inlines(cell))))))));
      case "rule":
        return h("hr");
      default:
        return h("p", {}, ...this.#inlines(block.inlines));
    }
  }

  /** @param {number} level */
  #headingTag(level) {
    while (this.#levels.length && this.#levels[this.#levels.length - 1] >= level) this.#levels.pop();
    this.#levels.push(level);
    const tags = /** @type {const} */ (["h3", "h4", "h5", "h6"]);
    return tags[Math.min(this.#manner.heading - 3 + this.#levels.length - 1, tags.length - 1)];
  }

  /** @param {string} text */
  #text(text) {
    return nodes(this.#manner.reading(text));
  }

  /** @param {string} text */
  #code(text) {
    const { code } = this.#manner;
    return code === exact ? h("span", { class: "exact" }, nodes(code(text))) : nodes(code(text));
  }

  /** @param {Inline[]} inlines @returns {Node[]} */
  #inlines(inlines) {
    return inlines.flatMap((inline) => this.#inline(inline));
  }

  /** @param {Inline} inline @returns {Node[]} */
  #inline(inline) {
    if (typeof inline === "string") return [this.#text(inline)];
    switch (inline.type) {
      case "code":
        return [h("code", {}, this.#code(inline.text))];
      case "link":
        return this.#link(inline);
      default:
        return [h(/** @type {const} */ ({ strong: "strong", emphasis: "em", struck: "s" })[inline.type], {}, ...this.#inlines(inline.inlines))];
    }
  }

  /**
   * Shows the words of a link followed by its address; images are drawn as links, too.
   * @param {import("../markdown.js").Link} link
   */
  #link({ href, host, rest, isImage, inlines }) {
    const words = this.#inlines(inlines);
    const link = h("a", { href, rel: "noopener noreferrer", target: "_blank", title: href }, isImage ? t`Image: ` : null, ...words);
    if (!host) return [link];
    const shown = rest.length > this.#manner.addressMax ? `${rest.slice(0, this.#manner.addressMax)}…` : rest;
    return [link, h("span", { class: "link-target" }, " (", h("span", { class: "link-host exact" }, nodes(exact(host))), h("span", { class: "exact" }, nodes(exact(shown))), ")")];
  }
}
