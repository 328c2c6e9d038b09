/** The rows that an agent has forgotten because its conversation was rewound. Pure. */

import { asText } from "./dom.js";

/** @typedef {import("./timeline.js").Row} Row */

/** What a rewinding takes back; what else happened meanwhile, such as a budget that was crossed, stays as it is. */
const takenBack = new Set([
  "message", "tool.started", "tool.finished", "file.changed", "approval.requested", "subagent.started", "subagent.finished", "steering.requested", "rewound",
]);

/** How a host marks what it has cut. */
const cut = "… ⟨cut⟩";

/**
 * The rows that each rewinding takes back: from the first prompt after the one that it names, or from the first prompt of all if it names
 * none. One that names a prompt that is not here takes back nothing: where it leads to is unknown.
 * @param {Row[]} rows In the order of the log.
 * @returns {Map<Row, Row[]>} By the row of the rewinding.
 */
export function forgottenRows(rows) {
  /** @type {Map<Row, Row[]>} */
  const found = new Map();
  if (!rows.some(isRewinding)) return found;
  /** @type {Set<Row>} */
  const gone = new Set();
  rows.forEach((row, end) => {
    if (!isRewinding(row)) return;
    const prompts = rows.slice(0, end).filter((one) => isPrompt(one) && !gone.has(one));
    const name = asText(row.event.body?.text);
    const kept = name ? prompts.map((one) => isNamed(one, name)).lastIndexOf(true) : -1;
    const first = name && kept < 0 ? undefined : prompts[kept + 1];
    if (!first) return;
    const forgotten = rows.slice(rows.indexOf(first), end).filter((one) => !gone.has(one) && takenBack.has(one.event.kind) && !isOpen(one));
    for (const one of forgotten) gone.add(one);
    found.set(row, forgotten);
  });
  return found;
}

/** @param {Row[]} rows Of one rewinding. */
export const messagesIn = (rows) => rows.filter(({ event }) => event.kind === "message").length;

/** @param {Row} row */
const isRewinding = ({ event }) => event.kind === "rewound";

/** @param {Row} row */
const isPrompt = ({ event: { kind, head } }) => kind === "message" && head.role === "user" && !head.agent;

/**
 * Rows that wait or still run stay in sight.
 * @param {Row} row
 */
function isOpen({ event, end, isCut, change, said, subagent }) {
  if (subagent?.state === "running") return true;
  if (event.kind === "tool.started") return !end && !isCut;
  if (event.kind === "approval.requested") return !end || ["approval.decided", "approval.delivered"].includes(end.kind);
  return event.kind === "steering.requested" && !said && !change;
}

/** @param {Row} row @param {string} name The first line of a prompt, which may be cut. */
function isNamed({ event: { head, body } }, name) {
  const words = firstLine(asText(body?.text ?? head.summary));
  return name.endsWith(cut) ? words.startsWith(name.slice(0, -cut.length)) : words === name;
}

/** @param {string} text As a host shortens a text to a line: the first that says something. */
const firstLine = (text) => text.trimStart().split(/[\n\v\f\r\u0085\u2028\u2029]/, 1)[0].replace(/[\u0000-\u001f\u007f]/g, "").trim();
