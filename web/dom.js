/** The few helpers that building a document by hand needs. There is no way here to turn a string into markup. */

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
 * A `span` of that class, the most common of all.
 * @param {string} name
 * @param {...Child} children
 */
export const span = (name, ...children) => h("span", { class: name }, ...children);

const vectors = "http://www.w3.org/2000/svg";

/**
 * A picture out of the page's sprite (`index.html`); what it means is said by words beside it, or by its button's label.
 * @param {string} name @param {string} [kind] Of what it looks.
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
 * Sets, empties or removes an attribute, and only touches the document when that changes something.
 * @param {Element} element @param {string} name @param {string|number|boolean|null|undefined} value
 */
export function attribute(element, name, value) {
  if (value === null || value === undefined || value === false) return element.removeAttribute(name);
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  return undefined;
}

/**
 * Writes the text, unless it is there already: an untouched node is neither laid out nor read out again.
 * @param {Node} node @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Pieces of foreign text as nodes: plain text, tokens for what could not be seen, and boxes for words written from the right.
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
 * Writes foreign text into an element, unless the same text is there already.
 * @param {HTMLElement} element @param {string} text
 * @param {(text: string) => import("./text.js").Piece[]} reading How it is read: `line`, `ordered`, `calm` or `exact`.
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
 * Makes the parent's children these, in this order, touching only those that are not in their place: what is moved loses the focus.
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
 * A field of a body as text, whatever the host put there.
 * @param {unknown} value
 * @returns {string}
 */
export function asText(value) {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : jsonText(value);
}
