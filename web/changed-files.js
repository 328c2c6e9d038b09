/** A session's changes file by file: each file's diffs joined to one as far as they fit each other. Pure. */

import { changeOf } from "./changes.js";
import { counts, parsed } from "./diff.js";
import { hunksOf, hunksOfNew, joined, linesOfHunks } from "./joined.js";

/** @typedef {import("./wire").Event} Event */
/** @typedef {import("./diff.js").Line} Line */

/**
 * @typedef {object} Part One diff: of one edit, or of several that fit each other.
 * @property {Event[]} edits
 * @property {Line[]|null} lines Nothing where the host told no diff; empty where nothing is left of what was changed.
 * @property {number} added
 * @property {number} removed
 */

/**
 * @typedef {object} FileChanges
 * @property {string} path
 * @property {boolean} isNew     The first edit that is known made it.
 * @property {number} edits
 * @property {Part[]} parts      In their order.
 * @property {number} added
 * @property {number} removed
 * @property {Event} last        Another one means that there is something to draw.
 */

/** @typedef {{edits: Event[], parts: Part[], hunks: import("./joined.js").Hunk[]|null, file: FileChanges}} Held `hunks`: what the next edit may be joined to. */

export class ChangedFiles {
  /** @type {Map<string, Held>} By path. */ #files = new Map();

  /**
   * Joins only what is new.
   * @param {Event[]} all Edits, in their order.
   * @returns {FileChanges[]} In the order of their first change.
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

/** @param {string} path @param {Event[]} edits @param {Held} [held] What its first edits made. @returns {Held} */
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

/** @param {Event} edit One that nothing can be joined to. @returns {Part} */
function partAsItCame(edit) {
  const { head, body } = edit;
  const lines = typeof body?.diff === "string" && body.diff ? parsed(body.diff) : null;
  return { edits: [edit], lines, added: Number(head.added) || 0, removed: Number(head.removed) || 0 };
}
