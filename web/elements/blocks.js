/** Foreign content as blocks: commands, diffs, fields. What is in them is text and nothing else. */

import { asText, attribute, h, nodes, span } from "../dom.js";
import { counts, difference } from "../diff.js";
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
  const block = h("pre", { class: "block diff foreign exact", role: "group", "aria-label": name });
  // One by one: a call takes only so many arguments.
  for (const { sign, text } of lines) {
    block.append(h("span", { class: "diff-line", "data-sign": sign },
      span("sign", sign === "@" ? "·" : sign), h("span", { class: "exact" }, nodes(exact(text)), "\n")));
  }
  if (scrolls) reachable(block, name);
  return block;
}

/**
 * Fields by name. Strings stand as they are, all else as JSON.
 * @param {Fields} fields @returns {HTMLElement[]} Nothing for no fields.
 */
function fieldsBlock(fields) {
  const entries = Object.entries(fields);
  if (!entries.length) return [];
  return [h("dl", { class: "fields" }, ...entries.flatMap(([name, value]) => [
    h("dt", { class: "foreign exact" }, nodes(exact(name))),
    h("dd", { class: "foreign exact" }, nodes(exact(typeof value === "string" ? value : JSON.stringify(value)))),
  ]))];
}

/**
 * The whole of what an agent asks to do, drawn from the structured input alone: never from what the agent says about it, and
 * never from a diff that a host made, which may be cut or lie. All that is in the input is in `elements` or in `agentSays`.
 * @param {Fields|undefined} body
 * @returns {Request}
 */
export function requestBlocks(body) {
  const input = body?.input;
  if (typeof input !== "object" || input === null || Array.isArray(input)) return plain(input);
  const { description, ...rest } = input;
  const says = typeof description === "string" && typeof input.command === "string" ? description : "";
  if (!says && description !== undefined) rest.description = description;
  return { ...shapeOf(rest), agentSays: says, warnings: suspicions(strings(rest).flatMap(exact)) };
}

/** @param {unknown} input @returns {Request} */
function plain(input) {
  const text = input === null ? "null" : asText(input);
  return { elements: [inner(text, "Input")], agentSays: "", measure: measureOf(text), warnings: suspicions(strings(input).flatMap(exact)) };
}

/**
 * Every string in a value, names of fields among them.
 * @param {unknown} value @returns {string[]}
 */
function strings(value) {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...strings(part)]);
}

/** @param {string} text @param {string} name */
const inner = (text, name) => textBlock(text, { name, reading: exact, scrolls: false });

/** @param {string} text */
const measureOf = (text) => `${plural(text === "" ? 0 : text.split("\n").length, "line")}, ${plural([...text].length, "character")}`;

/**
 * Knows an input by its fields rather than by the tool's name, so that every agent's tools are read alike. A field that becomes
 * a diff is shown there, every other one by its name.
 * @param {Fields} input
 * @returns {{elements: HTMLElement[], measure: string}}
 */
function shapeOf(input) {
  if (typeof input.command === "string") {
    const { command, ...rest } = input;
    return { elements: [inner(command, "Command, whole"), ...fieldsBlock(rest)], measure: measureOf(command) };
  }
  if (isEdit(input)) {
    const { old_string, new_string, ...rest } = input;
    return changes(rest, [difference(old_string, new_string)]);
  }
  if (Array.isArray(input.edits) && input.edits.length && input.edits.every(isEdit)) {
    const { edits, ...rest } = input;
    return changes(rest, edits.map((edit) => difference(edit.old_string, edit.new_string)), edits.map(optionsOf));
  }
  if (typeof input.content === "string" && typeof input.file_path === "string") {
    const { content, ...rest } = input;
    return changes(rest, [difference("", content)]);
  }
  if (typeof input.new_source === "string" && typeof input.notebook_path === "string") {
    const { new_source, ...rest } = input;
    return changes(rest, [difference("", new_source)]);
  }
  return proseOrJSON(input);
}

/**
 * The other fields, then each change as a diff of its own.
 * @param {Fields} rest @param {import("../diff.js").Line[][]} diffs
 * @param {Fields[]} [options] What else is in each of several edits.
 */
function changes(rest, diffs, options) {
  const sums = diffs.map(counts);
  const [added, removed] = [sums.reduce((sum, one) => sum + one.added, 0), sums.reduce((sum, one) => sum + one.removed, 0)];
  const blocks = diffs.flatMap((lines, index) => {
    if (!options) return [diffBlock(lines, { name: "Change, whole", scrolls: false })];
    const title = `Edit ${index + 1} of ${diffs.length}`;
    return [h("p", { class: "block-name" }, title), ...fieldsBlock(options[index]), diffBlock(lines, { name: title, scrolls: false })];
  });
  return { elements: [...fieldsBlock(rest), ...blocks], measure: `${plural(added, "line")} added, ${removed} removed` };
}

/** @param {Fields} edit @returns {Fields} */
const optionsOf = ({ old_string, new_string, ...options }) => options;

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
      ...long.flatMap(([name, value]) => [h("p", { class: "block-name foreign exact" }, nodes(exact(name))), inner(String(value), name)]),
    ],
    measure: measureOf(texts.join("\n")),
  };
}
