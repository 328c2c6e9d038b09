/** Folds the timeline rows that a rewind made the agent forget: a line on the rewind's row opens them in their place. */

import { attribute, h, write } from "../dom.js";
import { forgottenRows, messagesIn } from "../forgotten.js";
import { plural, t } from "../language.js";

/** @typedef {import("../timeline.js").Row} Row */

/** @type {WeakMap<HTMLElement, HTMLElement>} The folding line by the rewind's row. */
const lines = new WeakMap();

/**
 * @param {Row[]} rows All rows on screen.
 * @param {(key: string) => HTMLElement|undefined} itemOf
 * @param {Set<string>} open Keys of the rewinds whose forgotten rows are shown.
 */
export function foldForgotten(rows, itemOf, open) {
  /** @type {Map<Row, Row>} */
  const takenBackBy = new Map();
  const found = forgottenRows(rows);
  if (!found.size) return;
  for (const [rewinding, forgotten] of found) {
    for (const row of forgotten) takenBackBy.set(row, rewinding);
    const item = itemOf(rewinding.key);
    if (item) drawLine(item, rewinding.key, messagesIn(forgotten), open, () => foldForgotten(rows, itemOf, open));
  }
  for (const row of rows) {
    const item = itemOf(row.key);
    if (item) attribute(item, "data-forgotten", stateOf(row, takenBackBy, open));
  }
}

/** @param {Row} row @param {Map<Row, Row>} takenBackBy @param {Set<string>} open @returns {string|null} */
function stateOf(row, takenBackBy, open) {
  let state = null;
  for (let by = takenBackBy.get(row); by; by = takenBackBy.get(by)) {
    if (!open.has(by.key)) return "folded";
    state = "shown";
  }
  return state;
}

/** @param {HTMLElement} item @param {string} key @param {number} count @param {Set<string>} open @param {() => void} fold */
function drawLine(item, key, count, open, fold) {
  let button = lines.get(item);
  if (!button) {
    button = h("button", { type: "button", class: "plain small" });
    lines.set(item, button);
    item.querySelector(":scope > .event-body")?.append(button);
  }
  write(button, t`${plural(count, "message")} that the agent has forgotten`);
  attribute(button, "hidden", count === 0);
  attribute(button, "aria-expanded", String(open.has(key)));
  button.onclick = () => {
    if (!open.delete(key)) open.add(key);
    fold();
  };
}
