/** Describes a change's effect on its file, from the host's report. Pure. */

import { size } from "./format.js";
import { plural, t } from "./language.js";

/** @typedef {import("./wire").Change} Change */

/** @type {Record<string, string>} */
const problems = {
  tooLarge: t`It is too large to be compared here: what is removed is not shown.`,
  binary: t`It is not text, so what is removed is not shown.`,
  unreadable: t`It could not be read, so what is removed is not shown.`,
  notAFile: t`It is not a regular file, so its content is not shown.`,
  late: t`Its disk did not answer in time, so what is removed is not shown.`,
  missing: t`There is no such file now.`,
  notFound: t`The text to be replaced is not in it now.`,
  notUnique: t`The text to be replaced occurs more than once, and only one place is meant.`,
  noCell: t`It has no such cell now.`,
  tooLong: t`The change is too long to be shown here line by line against the file: what is removed is not shown.`,
};

/** @param {Change} change */
function titleOf({ file, bytes, places, cell, problem }) {
  if (cell?.deed === "insert") return t`Adds a cell as number ${cell.number}; the notebook has ${cell.of}`;
  if (cell) return cell.deed === "delete" ? t`Deletes cell ${cell.number} of ${cell.of}` : t`Changes cell ${cell.number} of ${cell.of}`;
  switch (file) {
    case "new": return t`New file`;
    case "overwrites": return bytes === 0 ? t`Overwrites an empty file` : typeof bytes === "number" ? t`Overwrites a file of ${size(bytes)}` : t`Overwrites what is there`;
    case "unchanged": return t`Changes nothing: the file already has this content`;
    case "edits": return problem ? t`Changes a file` : typeof places === "number" && places > 1 ? t`Changes the file in ${places} places` : t`Changes the file`;
    default: return t`The file could not be read`;
  }
}

/**
 * @param {Change} change
 * @returns {{title: string, detail: string, measure: string, isPlain: boolean}} `measure` is empty if the counts of lines are unknown; `isPlain` is true for a change of one place without a remark.
 */
export function changeWords(change) {
  const details = [
    typeof change.target === "string" ? t`A link leads to ${change.target}: that is what changes.` : "",
    change.problem ? problems[change.problem] ?? t`It could not be compared.` : "",
  ].filter(Boolean);
  const counted = typeof change.added === "number" && typeof change.removed === "number";
  return {
    title: titleOf(change), detail: details.join(" "), isPlain: change.file === "edits" && !change.cell && !(Number(change.places) > 1) && !details.length,
    measure: counted ? t`${plural(change.added ?? 0, "line")} added, ${change.removed} removed` : "",
  };
}

/**
 * Null if the host does not report on files.
 * @param {import("./wire").Fields|undefined} body @returns {Change|null}
 */
export const changeOf = (body) => (typeof body?.change?.file === "string" ? body.change : null);
