/** The whole of what an agent asks to do, for a person to read: every field in words, commands and texts as they are, changes as diffs. */

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
/** @typedef {Pick<Request, "elements"|"measure"> & {rest?: Fields, blocks?: HTMLElement[]}} Shape Of a change to a file `blocks` are its diffs, and `rest` is all else. */

/** Lists in lists are drawn so deep; what is deeper is shown as JSON. */
const nestingMax = 12;

/**
 * Drawn from the structured input, never from what the agent says about it. All that is in the input is in `elements` or in `agentSays`. Where
 * the host has compared it with the file as it is, that diff comes first, and what was sent is in a fold below it.
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
 * Every string in a value, names of fields among them.
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
 * Knows an input by its fields rather than by the tool's name, so that every agent's tools are read alike. A field that becomes
 * a diff is shown there, every other one by its name.
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
 * The other fields, then each change as a diff of its own.
 * @param {string} tool @param {Fields} rest @param {import("../diff.js").Line[][]} diffs
 * @param {Fields[]} [options] What else is in each of several edits.
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
 * Whether the diff against the file, below a head that names it, leaves nothing to say of that field.
 * @param {string} tool @param {Fields} rest @param {string} name
 */
const isTold = (tool, rest, name) =>
  name === "replace_all" ? rest[name] === false : ["file_path", "notebook_path"].includes(name) && requestOf(tool, rest).object === rest[name];

/**
 * The change's effect on the file, if the host looked.
 * @param {string} tool @param {Shape} shape @param {Fields|undefined} body @returns {Pick<Request, "elements"|"measure">}
 */
function againstFile(tool, { elements, measure, rest, blocks }, body) {
  const change = changeOf(body);
  if (!change || !rest || !blocks) return { elements, measure };
  const words = changeWords(change);
  const note = h("p", { class: "change-note" }, h("strong", {}, words.title, "."), words.detail && " ", nodes(exact(words.detail)));
  const diff = change.problem ? "" : asText(body?.diff);
  // That the file changes the head of the card says.
  const { isPlain } = words;
  const told = words.measure && (isPlain ? words.measure : `${words.title}: ${words.measure}`);
  // All of a new file is new: what was sent says it itself.
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
 * Fields by name. Texts of several lines have a block of their own, below the others.
 * @param {string} tool @param {Fields} fields @returns {HTMLElement[]} Nothing for no fields.
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
 * Text is left as it is, in the letters of code; all else in words, so that `yes` and the text "yes" are not alike.
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
