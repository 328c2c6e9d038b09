/** Edits of a tool's input that a person makes before allowing it. Pure. */

import { isWhole } from "./approvals.js";
import { difference } from "./diff.js";

/** @typedef {import("./wire").Approval} Approval */
/** @typedef {{name: string, text: string}} Field */

/** The relay's limit for a text that a person types, less what sealing adds, in bytes. */
export const editBytesMax = 24_000;

/**
 * The texts of the request that may be changed, as they were asked.
 * @param {Approval} approval @returns {Field[]}
 */
export function editableIn(approval) {
  const { head, body } = approval.request;
  if (head.kind === "question" || !isWhole(approval) || !Array.isArray(head.editable)) return [];
  const input = /** @type {Record<string, unknown>} */ (Object(body?.input));
  return head.editable.flatMap((name) => {
    const text = Object.hasOwn(input, name) ? input[name] : undefined;
    // A text field would change the line ends of such a text by itself.
    return typeof text === "string" && !text.includes("\r") ? [{ name, text }] : [];
  });
}

/**
 * The edit that a decision carries; empty if nothing is changed.
 * @param {Field[]} fields @param {string[]} texts The new text of each field.
 */
export function editOf(fields, texts) {
  const changed = fields.flatMap(({ name, text }, index) => (texts[index] === text ? [] : [[name, texts[index]]]));
  return changed.length ? JSON.stringify(Object.fromEntries(changed)) : "";
}

/** @param {string} edit */
export const isTooLong = (edit) => new TextEncoder().encode(edit).length > editBytesMax;

/**
 * What an edit changes, for each field the lines from what was asked to what is allowed. Empty if the edit cannot be read.
 * @param {Pick<Approval, "request">} approval @param {string} edit
 * @returns {{name: string, lines: import("./diff.js").Line[]}[]}
 */
export function changesBy({ request: { body } }, edit) {
  const asked = /** @type {Record<string, unknown>} */ (Object(body?.input));
  return Object.entries(objectIn(edit)).map(([name, text]) => {
    const texts = [Object.hasOwn(asked, name) ? asked[name] : undefined, text].map((one) => (typeof one === "string" ? one : ""));
    // Most commands have no line feed at their end, and the difference would say so each time.
    const end = texts.some((one) => one.endsWith("\n")) ? "" : "\n";
    const [before, after] = texts.map((one) => one && one + end);
    return { name, lines: difference(before, after) };
  });
}

/** @param {string} text @returns {Record<string, unknown>} */
function objectIn(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
