/** A session's changes by file: consecutive diffs of a file are joined as far as they fit each other. Pure. */

import { changeOf } from "./changes.js";
import { counts, parsed } from "./diff.js";
import { hunksOf, hunksOfNew, joined, linesOfHunks } from "./joined.js";

/** @typedef {import("./wire").Event} Event */
/** @typedef {import("./diff.js").Line} Line */

/**
 * @typedef {object} Part The diff of one edit, or of several joined edits.
 * @property {Event[]} edits
 * @property {Line[]|null} lines Null if the host sent no diff; empty if later edits undid all changes.
 * @property {number} added
 * @property {number} removed
 */

/**
 * @typedef {object} FileChanges
 * @property {string} path
 * @property {boolean} isNew     The first known edit created the file.
 * @property {number} edits
 * @property {Part[]} parts    In the order of their edits.
 * @property {number} added
 * @property {number} removed
 * @property {Event} last        The last edit; if it differs from the drawn one, the file is drawn again.
 */

/**
 * @typedef {{edits: Event[], parts: Part[], hunks: import("./joined.js").Hunk[]|null, file: FileChanges}} Held `hunks`: the hunks that the next edit
 * may be joined to.
 */

export class ChangedFiles {
#files = new Map();

  /**
   * Returns the changes by file, joining only edits that are new since the last call.
   * @param {Event[]} all All edits of the session, oldest first.
   * @returns {FileChanges[]} Files in the order of their first change.
   */
  of(all) {
    /** @type {Map<string, Event[]>} */
    const byPath = new Map();
    for (const event of all) {
      const path = String(event.head.path ?? "");
      const held = byPath.get(path);
      if (held) held.push(event);
      else byPath.set(path, [event]);
    }
    const files = new Map();
    for (const [path, edits] of byPath) {
      const held = this.#files.get(path);
      const goesOn = held && edits[0] === held.edits[0] && edits[held.edits.length - 1] === held.file.last;
      if (goesOn && held.edits.length === edits.length) files.set(path, held);
      else files.set(path, extended(path, edits, goesOn ? held : undefined));
    }
    this.#files = files;
    return [...files.values()].map(({ file }) => file);
  }
}

/**
 * Extends a file's joined diffs by the edits that are not in `held` yet.
 * @param {string} path @param {Event[]} edits @param {Held} [held] @returns {Held}
 */
function extended(path, edits, held) {
  const parts = [...(held?.parts ?? [])];
  let hunks = held?.hunks ?? null;
  for (const edit of edits.slice(held?.edits.length ?? 0)) {
    const own = hunksIn(edit);
    const both = own && hunks ? joined(hunks, own) : null;
    const last = parts.at(-1);
    if (both && last) parts[parts.length - 1] = partOf([...last.edits, edit], linesOfHunks(both));
    else parts.push(own ? partOf([edit], linesOfHunks(own)) : partAsItCame(edit));
    hunks = both ?? own;
  }
  const sum = (/** @type {"added"|"removed"} */ which) => parts.reduce((total, part) => total + part[which], 0);
  return {
    edits, parts, hunks,
    file: {
      path, parts, edits: edits.length, isNew: changeOf(edits[0].body)?.file === "new", last: edits[edits.length - 1], added: sum("added"), removed: sum("removed"),
    },
  };
}

/** @param {Event} edit */
function hunksIn({ body }) {
  if (typeof body?.diff !== "string" || !body.diff) return null;
  const isWholeNew = changeOf(body)?.file === "new" && !body.diff.includes("@@ -");
  return isWholeNew ? hunksOfNew(body.diff) : hunksOf(body.diff);
}

/** @param {Event[]} edits @param {Line[]} lines @returns {Part} */
const partOf = (edits, lines) => ({ edits, lines, ...counts(lines) });

/**
 * The part of an edit whose diff cannot be joined to others.
 * @param {Event} edit @returns {Part}
 */
function partAsItCame(edit) {
  const { head, body } = edit;
  const lines = typeof body?.diff === "string" && body.diff ? parsed(body.diff) : null;
  return { edits: [edit], lines, added: Number(head.added) || 0, removed: Number(head.removed) || 0 };
}
