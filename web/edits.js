/** File changes from a session's events, kept apart from the timeline because they reach back far further than its rows. Pure. */

/** @typedef {import("./wire").Event} Event */

/** Maximum number of edits that are kept; the oldest are dropped. An agent's long day of work has some hundreds. */
export const editsMax = 2_000;
/** The limit of all kept diffs in characters; the joined diffs take as much again. */
export const editCharactersMax = 4_000_000;

export class Edits {
  /** @type {Event[]} Edits in the order of their events. */
  all = [];
  /** The number of the oldest event that was examined. */
  first;
  /** Edits at the start were dropped for the limit, so reading older events is pointless. */
  isCut = false;

  #characters = 0;

  /**
   * `first` is the number of the first event.
   * @param {number} first @param {Event[]} events
   */
  constructor(first, events) {
    this.first = first;
    events.forEach((event) => this.append(event));
  }

  /**
   * `event` is the event after the last one.
   * @param {Event} event
   */
  append(event) {
    if (event.kind !== "file.changed") return;
    this.all.push(event);
    this.#characters += lengthOf(event);
    this.#letGo();
  }

  /**
   * @param {number} first @param {Event[]} events The events right before the known ones.
   * @returns {boolean} False if there is a gap between them.
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
