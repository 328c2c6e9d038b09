/** Foreign content as blocks: commands, diffs, fields. What is in them is text and nothing else. */

import { asText, attribute, h, nodes, span } from "../dom.js";
import { counts, difference, parsed } from "../diff.js";
import { plural } from "../format.js";
import { calm, exact, suspicions } from "../text.js";

/** @typedef {import("../wire").Fields} Fields */
/** @typedef {{elements: HTMLElement[], warnings: string[], agentSays: string, measure: string}} Request */

/**
 * Text in its own monospaced box.
 * @param {string} text
 * @param {{name: string, reading?: typeof exact, scrolls?: boolean}} options `scrolls`: the box has its own scroll area.
 */
export function textBlock(text, { name, reading = calm, scrolls = true }) {
  const kind = reading === exact ? "block foreign exact" : "block foreign";
  const block = h("pre", { class: kind, role: "group", "aria-label": name }, nodes(reading(text)));
  if (scrolls) reachable(block, name);
  return block;
}

/**
 * A scroll area that the keyboard can reach.
 * @param {HTMLElement} block @param {string} name
 */
export function reachable(block, name) {
  attribute(block, "tabindex", "0");
  attribute(block, "role", "group");
  attribute(block, "aria-label", name);
  return block;
}

/**
 * A diff, each line with its sign.
 * @param {import("../diff.js").Line[]} lines
 * @param {{name: string, scrolls?: boolean}} options
 */
export function diffBlock(lines, { name, scrolls = true }) {
  const rows = lines.map(({ sign, text }) => h("span", { class: "diff-line", "data-sign": sign },
    span("sign", sign === "@" ? "·" : sign), h("span", {}, nodes(exact(text)), "\n")));
  const block = h("pre", { class: "block diff foreign exact", role: "group", "aria-label": name }, ...rows);
  if (scrolls) reachable(block, name);
  return block;
}

/** @param {[string, unknown][]} entries */
function fieldsBlock(entries) {
  return h("dl", { class: "fields" }, ...entries.flatMap(([name, value]) => [
    h("dt", { class: "foreign" }, nodes(exact(name))),
    h("dd", { class: "foreign exact" }, nodes(exact(typeof value === "string" ? value : JSON.stringify(value)))),
  ]));
}

/**
 * The whole of what an agent asks to do, drawn from the structured input and never from what the agent says about it.
 * @param {Fields|undefined} body
 * @returns {Request}
 */
export function requestBlocks(body) {
  const input = body?.input;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return plain(input);
  const { description, ...rest } = input;
  const says = typeof description === "string" && typeof input.command === "string" ? description : "";
  if (!says && description !== undefined) rest.description = description;

  const shape = shapeOf(rest, body?.diff);
  const elements = [];
  if (shape.fieldsFirst && Object.keys(shape.rest).length) elements.push(fieldsBlock(Object.entries(shape.rest)));
  elements.push(...shape.elements);
  if (!shape.fieldsFirst && Object.keys(shape.rest).length) elements.push(fieldsBlock(Object.entries(shape.rest)));
  const everything = [...shape.texts, ...Object.entries(shape.rest).map(([name, value]) => `${name} ${asText(value)}`)];
  return {
    elements, agentSays: says, measure: shape.measure,
    warnings: suspicions(everything.flatMap(exact)),
  };
}

/** @param {unknown} input @returns {Request} */
function plain(input) {
  const text = asText(input);
  return { elements: [inner(text, "Input")], agentSays: "", measure: measureOf(text), warnings: suspicions(exact(text)) };
}

/** @param {string} text @param {string} name */
const inner = (text, name) => textBlock(text, { name, reading: exact, scrolls: false });

/** @param {string} text */
const measureOf = (text) => `${plural(text === "" ? 0 : text.split("\n").length, "line")}, ${plural([...text].length, "character")}`;

/**
 * Knows an input by its fields rather than by the tool's name, so that every agent's tools are read alike.
 * @param {Fields} input @param {unknown} given A diff that the host made.
 * @returns {{elements: HTMLElement[], texts: string[], rest: Fields, measure: string, fieldsFirst?: boolean}}
 */
function shapeOf(input, given) {
  if (typeof input.command === "string") {
    const { command, ...rest } = input;
    return { elements: [inner(command, "Command, whole")], texts: [command], rest, measure: measureOf(command) };
  }
  const lines = [];
  let rest = input;
  if (typeof given === "string" && given) {
    lines.push(...parsed(given));
    const { old_string, new_string, content, edits, new_source, ...others } = input;
    rest = others;
  } else if (typeof input.old_string === "string" && typeof input.new_string === "string") {
    const { old_string, new_string, ...others } = input;
    lines.push(...difference(old_string, new_string));
    rest = others;
  } else if (Array.isArray(input.edits) && input.edits.every(isEdit)) {
    const { edits, ...others } = input;
    edits.forEach((edit, index) => {
      const { old_string, new_string, ...options } = edit;
      const marks = Object.keys(options).length ? ` ${JSON.stringify(options)}` : "";
      const title = { sign: /** @type {const} */ ("@"), text: `edit ${index + 1} of ${edits.length}${marks}` };
      lines.push(title, ...difference(old_string, new_string));
    });
    rest = others;
  } else if (typeof input.content === "string" && typeof input.file_path === "string") {
    const { content, ...others } = input;
    lines.push(...difference("", content));
    rest = others;
  } else {
    return proseOrJSON(input);
  }
  const { added, removed } = counts(lines);
  return {
    elements: [diffBlock(lines, { name: "Change, whole", scrolls: false })], texts: lines.map(({ text }) => text), rest,
    measure: `${plural(added, "line")} added, ${removed} removed`, fieldsFirst: true,
  };
}

/** @param {any} edit */
const isEdit = (edit) => typeof edit?.old_string === "string" && typeof edit?.new_string === "string";

/**
 * Texts of several lines are easier to judge as text than inside JSON.
 * @param {Fields} input
 */
function proseOrJSON(input) {
  const long = Object.entries(input).filter(([, value]) => typeof value === "string" && value.includes("\n"));
  const rest = Object.fromEntries(Object.entries(input).filter((entry) => !long.some(([name]) => name === entry[0])));
  const json = Object.keys(rest).length || !long.length ? [JSON.stringify(rest, null, 2)] : [];
  const texts = [...json, ...long.map(([, value]) => /** @type {string} */ (value))];
  return {
    elements: [
      ...json.map((text) => inner(text, "Input, whole")),
      ...long.flatMap(([name, value]) => [h("p", { class: "block-name foreign" }, nodes(exact(name))), inner(String(value), name)]),
    ],
    texts: [...texts, ...long.map(([name]) => name)], rest: {}, measure: measureOf(texts.join("\n")),
  };
}
