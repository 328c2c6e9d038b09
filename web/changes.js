/** What a change does to its file, in words, from what the host says of it. Pure. */

import { plural, size } from "./format.js";

/** @typedef {import("./wire").Change} Change */

/** @type {Record<string, string>} */
const problems = {
  tooLarge: "It is too large to be compared here: what is removed is not shown.",
  binary: "It is not text, so what is removed is not shown.",
  unreadable: "It could not be read, so what is removed is not shown.",
  notAFile: "It is not a regular file, so its content is not shown.",
  late: "Its disk did not answer in time, so what is removed is not shown.",
  missing: "There is no such file now.",
  notFound: "The text to be replaced is not in it now.",
  notUnique: "The text to be replaced occurs more than once, and only one place is meant.",
  noCell: "It has no such cell now.",
  tooLong: "The change is too long to be shown here line by line against the file: what is removed is not shown.",
};

/** @param {Change} change */
function titleOf({ file, bytes, places, cell, problem }) {
  if (cell?.deed === "insert") return `Adds a cell as number ${cell.number}; the notebook has ${cell.of}`;
  if (cell) return `${cell.deed === "delete" ? "Deletes" : "Changes"} cell ${cell.number} of ${cell.of}`;
  switch (file) {
    case "new": return "New file";
    case "overwrites": return bytes === 0 ? "Overwrites an empty file" : typeof bytes === "number" ? `Overwrites a file of ${size(bytes)}` : "Overwrites what is there";
    case "unchanged": return "Changes nothing: the file already has this content";
    case "edits": return problem ? "Changes a file" : typeof places === "number" && places > 1 ? `Changes the file in ${places} places` : "Changes the file";
    default: return "The file could not be read";
  }
}

/**
 * @param {Change} change
 * @returns {{title: string, detail: string, measure: string}} `measure` is empty where the counts are not known.
 */
export function changeWords(change) {
  const details = [
    typeof change.target === "string" ? `A link leads to ${change.target}: that is what changes.` : "",
    change.problem ? problems[change.problem] ?? "It could not be compared." : "",
  ].filter(Boolean);
  const counted = typeof change.added === "number" && typeof change.removed === "number";
  return {
    title: titleOf(change), detail: details.join(" "),
    measure: counted ? `${plural(change.added ?? 0, "line")} added, ${change.removed} removed` : "",
  };
}

/** @param {import("./wire").Fields|undefined} body @returns {Change|null} Hosts that do not look at files say nothing. */
export const changeOf = (body) => (typeof body?.change?.file === "string" ? body.change : null);
