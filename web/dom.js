/** Helpers that build DOM elements. None of them parses markup, so that foreign text cannot become HTML. */

import { jsonText } from "./numbers.js";

/** @typedef {Node|string|null|undefined|false} Child */
/** @typedef {{[name: string]: string|number|boolean|null|undefined|((event: any) => void)}} Attributes */

/**
 * An element with its attributes, listeners (`onclick`, as functions) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else attribute(element, name, value);
  }
  element.append(...children.filter(isChild));
  return element;
}

/**
 * A `span` with a class, the most common element.
 * @param {string} name
 * @param {...Child} children
 */
export const span = (name, ...children) => h("span", { class: name }, ...children);

const vectors = "http://www.w3.org/2000/svg";

/**
 * An icon from the sprite in `index.html`, hidden from screen readers: text beside it or its button's label gives the meaning.
 * @param {string} name @param {string} [kind] A further CSS class.
 */
export function icon(name, kind = "") {
  const [picture, use] = [document.createElementNS(vectors, "svg"), document.createElementNS(vectors, "use")];
  use.setAttribute("href", `#i-${name}`);
  picture.setAttribute("class", `icon ${kind}`.trim());
  picture.setAttribute("aria-hidden", "true");
  picture.append(use);
  return picture;
}

/** @param {Child} child @returns {child is Node|string} */
const isChild = (child) => child !== null && child !== undefined && child !== false;

/**
 * Sets, empties or removes an attribute, and touches the document only if that changes something.
 * @param {Element} element @param {string} name @param {string|number|boolean|null|undefined} value
 */
export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) return element.removeAttribute(name);
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  return undefined;
}

/**
 * Sets the text unless it is the same already, so that it is neither laid out nor announced again.
 * @param {Node} node @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Nodes for pieces of foreign text: plain text, tokens for invisible characters, and boxes for right-to-left words.
 * @param {import("./text.js").Piece[]} pieces
 * @returns {DocumentFragment}
 */
export function nodes(pieces) {
  const fragment = document.createDocumentFragment();
  for (const { text, trait } of pieces) {
    if (trait === "rightToLeft") fragment.append(h("bdi", { dir: "rtl", class: "from-right" }, text));
    else fragment.append(trait ? h("span", { class: "token", "data-trait": trait }, text) : text);
  }
  return fragment;
}

/**
 * Writes foreign text into an element, unless the element already shows it.
 * @param {HTMLElement} element @param {string} text
 * @param {(text: string) => import("./text.js").Piece[]} reading The function that splits the text into pieces: `line`, `ordered`, `calm` or `exact`.
 */
export function say(element, text, reading) {
  const held = spoken.get(element);
  if (held === text) return;
  spoken.set(element, text);
  element.replaceChildren(nodes(reading(text)));
}

/** @type {WeakMap<Element, string>} */
const spoken = new WeakMap();

/**
 * Sets the parent's children in this order and moves only misplaced ones, because a moved element loses the focus.
 * @param {Element} parent @param {Element[]} wanted
 */
export function arrange(parent, wanted) {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const element of wanted) {
    if (element === at) at = at.nextElementSibling;
    else parent.insertBefore(element, at);
  }
}

/**
 * Converts any value that a host put into a body's field to text.
 * @param {unknown} value
 * @returns {string}
 */
export function asText(value) {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : jsonText(value);
}
