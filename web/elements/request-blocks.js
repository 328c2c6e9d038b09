/** Draws the complete input of an agent's tool call for a person's decision: every field, exact commands and texts, and changes as diffs. */

import { asText, h, nodes, span } from "../dom.js";
import { changeOf, changeWords } from "../changes.js";
import { counts, difference, parsed } from "../diff.js";
import { plural, t } from "../language.js";
import { SourceNumber } from "../numbers.js";
import { exact, suspicions } from "../text.js";
import { fieldOf, requestOf, valueWords } from "../tools.js";
import { argumentNodes, commandBlock, diffBlock, textBlock } from "./blocks.js";
import { markdownToDecide } from "./markdown.js";

/** @typedef {import("../wire").Fields} Fields */
/** @typedef {{elements: HTMLElement[], warnings: string[], agentSays: string, measure: string}} Request */
/**
 * @typedef {Pick<Request, "elements"|"measure"> & {rest?: Fields, blocks?: HTMLElement[]}} Shape For a change to a file, `blocks` are its diffs and
 * `rest` the other fields.
 */

/** Nested lists are drawn down to this depth; deeper values are shown as JSON. */
const nestingMax = 12;

/**
 * Draws the structured input, never the agent's description of it. Every field of the input appears in `elements` or `agentSays`. If the host compared the input with the file on disk, that diff comes first, and the sent input is in a fold below.
 * @param {string} tool @param {Fields|undefined} body
 * @returns {Request}
 */
export function requestBlocks(tool, body) {
  const input = body?.input;
  if (typeof input !== "object" || input === null || Array.isArray(input) || input instanceof SourceNumber) return plain(tool, input);
  const { description, ...rest } = input;
  const says = typeof description === "string" && typeof input.command === "string" ? description : "";
  if (!says && description !== undefined) rest.description = description;
  return { ...againstFile(tool, shapeOf(tool, rest), body), agentSays: says, warnings: warningsOf(rest) };
}

/** @param {string} tool @param {unknown} input @returns {Request} */
function plain(tool, input) {
  const element = typeof input === "string" ? inner(input, t`Input`) : h("div", { class: "foreign" }, valueNode(tool, "", input, 0));
  return { elements: [element], agentSays: "", measure: "", warnings: warningsOf(input) };
}

/** @param {unknown} input */
const warningsOf = (input) => suspicions(strings(input).flatMap(exact));

/**
 * All strings in a value, including the names of its fields.
 * @param {unknown} value @returns {string[]}
 */
function strings(value) {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || value instanceof SourceNumber) return [];
  return Object.entries(value).flatMap(([name, part]) => [name, ...strings(part)]);
}

/** @param {string} text @param {string} name */
const inner = (text, name) => textBlock(text, { name, reading: exact, scrolls: false });

/**
 * Recognises an input by its fields rather than by the tool's name, so that tools of all agents look alike. A field is shown either in a diff or under its name.
 * @param {string} tool @param {Fields} input
 * @returns {Shape}
 */
function shapeOf(tool, input) {
  if (typeof input.command === "string") {
    const { command, ...rest } = input;
    const lines = command.split("\n").length;
    return { elements: [commandBlock(command, t`Command, whole`), ...fieldBlocks(tool, rest)], measure: lines > 4 ? plural(lines, "line") : "" };
  }
  if (isEdit(input)) {
    const { old_string, new_string, ...rest } = input;
    return changes(tool, rest, [difference(old_string, new_string)]);
  }
  if (Array.isArray(input.edits) && input.edits.length && input.edits.every(isEdit)) {
    const { edits, ...rest } = input;
    return changes(tool, rest, edits.map((edit) => difference(edit.old_string, edit.new_string)), edits.map(optionsOf));
  }
  if (typeof input.content === "string" && typeof input.file_path === "string") {
    const { content, ...rest } = input;
    return changes(tool, rest, [difference("", content)]);
  }
  if (typeof input.new_source === "string" && typeof input.notebook_path === "string") {
    const { new_source, ...rest } = input;
    return changes(tool, rest, [difference("", new_source)]);
  }
  if (tool === "ExitPlanMode" && typeof input.plan === "string") {
    const { plan, ...rest } = input;
    const written = h("details", { class: "fold" }, h("summary", {}, t`The plan as it was written`), inner(plan, t`The plan as it was written`));
    return { elements: [markdownToDecide(plan), written, ...fieldBlocks(tool, rest)], measure: "" };
  }
  const elements = fieldBlocks(tool, input);
  return { elements: elements.length ? elements : [h("p", { class: "quiet" }, t`No input.`)], measure: "" };
}

/**
 * The shape of a file change: the other fields, then a diff for each change.
 * @param {string} tool @param {Fields} rest @param {import("../diff.js").Line[][]} diffs
 * @param {Fields[]} [options] Further fields of each of several edits.
 * @returns {Shape}
 */
function changes(tool, rest, diffs, options) {
  const sums = diffs.map(counts);
  const [added, removed] = [sums.reduce((sum, one) => sum + one.added, 0), sums.reduce((sum, one) => sum + one.removed, 0)];
  const blocks = diffs.flatMap((lines, index) => {
    if (!options) return [diffBlock(lines, { name: t`Change, whole`, scrolls: false })];
    const title = t`Edit ${index + 1} of ${diffs.length}`;
    return [h("p", { class: "block-name" }, title), ...fieldBlocks(tool, options[index]), diffBlock(lines, { name: title, scrolls: false })];
  });
  return { rest, blocks, elements: [...fieldBlocks(tool, rest), ...blocks], measure: t`${plural(added, "line")} added, ${removed} removed` };
}

/**
 * True if the field adds nothing to the diff against the file and the card's head, which names the file.
 * @param {string} tool @param {Fields} rest @param {string} name
 */
const isTold = (tool, rest, name) =>
  name === "replace_all" ? rest[name] === false : ["file_path", "notebook_path"].includes(name) && requestOf(tool, rest).object === rest[name];

/**
 * Adds the change's effect on the file, if the host compared them.
 * @param {string} tool @param {Shape} shape @param {Fields|undefined} body @returns {Pick<Request, "elements"|"measure">}
 */
function againstFile(tool, { elements, measure, rest, blocks }, body) {
  const change = changeOf(body);
  if (!change || !rest || !blocks) return { elements, measure };
  const words = changeWords(change);
  const note = h("p", { class: "change-note" }, h("strong", {}, words.title, "."), words.detail && " ", nodes(exact(words.detail)));
  const diff = change.problem ? "" : asText(body?.diff);
  // The head of the card already says that the file changes.
  const { isPlain } = words;
  const told = words.measure && (isPlain ? words.measure : `${words.title}: ${words.measure}`);
  // For a new file the sent input already shows everything.
  if (!diff || !words.measure || change.file === "new") return { elements: [...fieldBlocks(tool, rest), note, ...blocks], measure: told || words.title };
  const pick = (/** @type {boolean} */ told) => Object.fromEntries(Object.entries(rest).filter(([name]) => isTold(tool, rest, name) === told));
  const whole = h("details", { class: "fold" }, h("summary", {}, t`What the agent sent, in full`), ...fieldBlocks(tool, pick(true)), ...blocks);
  const notes = isPlain ? [] : [note];
  return { elements: [...notes, diffBlock(parsed(diff), { name: t`What changes in the file`, scrolls: false }), ...fieldBlocks(tool, pick(false)), whole], measure: told };
}

/** @param {Fields} edit @returns {Fields} */
const optionsOf = ({ old_string, new_string, ...options }) => options;

/** @param {any} edit */
const isEdit = (edit) => typeof edit?.old_string === "string" && typeof edit?.new_string === "string";

/**
 * Fields by name. Multi-line texts follow in blocks of their own.
 * @param {string} tool @param {Fields} fields @returns {HTMLElement[]} Empty for no fields.
 */
function fieldBlocks(tool, fields) {
  const isLong = (/** @type {unknown} */ value) => typeof value === "string" && value.includes("\n");
  const entries = Object.entries(fields);
  const short = entries.filter(([, value]) => !isLong(value));
  return [
    ...(short.length ? [list(tool, short, 0)] : []),
    ...entries.filter(([, value]) => isLong(value)).flatMap(([name, value]) => [
      h("p", { class: "block-name foreign" }, nameNode(tool, name)), inner(String(value), fieldOf(tool, name).text),
    ]),
  ];
}

/** @param {string} tool @param {[string, unknown][]} entries @param {number} depth */
const list = (tool, entries, depth) => h("dl", { class: "fields" }, ...entries.flatMap(([name, value]) => [
  h("dt", { class: "foreign" }, nameNode(tool, name)), h("dd", { class: "foreign" }, valueNode(tool, name, value, depth)),
]));

/** @param {string} tool @param {string} field */
function nameNode(tool, field) {
  const { text, isOwn } = fieldOf(tool, field);
  return isOwn ? h("span", { class: "exact own-name" }, nodes(exact(text))) : text;
}

/**
 * Strings are shown exact in a monospaced font, other values as words, so that `true` and the text "yes" differ.
 * @param {string} tool @param {string} field @param {unknown} value @param {number} depth @returns {Node}
 */
function valueNode(tool, field, value, depth) {
  if (typeof value === "string") return value === "" ? span("quiet", t`(empty)`) : h("span", { class: "exact value" }, argumentNodes(value));
  if (typeof value !== "object" || value === null || value instanceof SourceNumber) return h("span", {}, valueWords(field, value));
  if (depth >= nestingMax) return h("span", { class: "exact value" }, nodes(exact(asText(value))));
  if (!Object.keys(value).length) return span("quiet", Array.isArray(value) ? t`(an empty list)` : t`(nothing in it)`);
  if (!Array.isArray(value)) return list(tool, Object.entries(value), depth + 1);
  return h("ol", { class: "values" }, ...value.map((part) => h("li", {}, valueNode(tool, field, part, depth + 1))));
}
