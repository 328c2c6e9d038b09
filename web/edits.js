/** File changes from a session's events, kept apart from them: far more of a session can be read for that than the timeline holds. Pure. */

/** @typedef {import("./wire").Event} Event */

/** Edits that are kept; of more, the first are let go. A long day of work of an agent has some hundreds. */
export const editsMax = 2_000;
/** Characters of their diffs that are kept; the joined ones are as long again. */
export const editCharactersMax = 4_000_000;

export class Edits {
  /** @type {Event[]} In their order. */
  all = [];
  /** The number of the first event that was looked at. */
  first;
  /** Some were let go: what came before cannot be had by asking again. */
  isCut = false;

  #characters = 0;

  /** @param {number} first The number of the first event. @param {Event[]} events */
  constructor(first, events) {
    this.first = first;
    events.forEach((event) => this.append(event));
  }

  /** @param {Event} event The next one. */
  append(event) {
    if (event.kind !== "file.changed") return;
    this.all.push(event);
    this.#characters += lengthOf(event);
    this.#letGo();
  }

  /**
   * @param {number} first @param {Event[]} events Those right before.
   * @returns {boolean} Whether they were.
   */
  prepend(first, events) {
    if (this.isCut || !events.length || first + events.length !== this.first) return false;
    this.first = first;
    const edits = events.filter(({ kind }) => kind === "file.changed");
    this.all.unshift(...edits);
    this.#characters += edits.reduce((sum, event) => sum + lengthOf(event), 0);
    this.#letGo();
    return true;
  }

  #letGo() {
    while (this.all.length > editsMax || (this.#characters > editCharactersMax && this.all.length > 1)) {
      this.#characters -= lengthOf(/** @type {Event} */ (this.all.shift()));
      this.isCut = true;
    }
  }
}

/** @param {Event} event */
const lengthOf = ({ body }) => (typeof body?.diff === "string" ? body.diff.length : 0);
