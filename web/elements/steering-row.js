/** A client's command as a row of the timeline: its content, its author and its outcome. */

import { asText, attribute, h, nodes, say, span, write } from "../dom.js";
import { t } from "../language.js";
import { actionWords, canGoAgain, outcomeWords, stageOf } from "../steering.js";
import { calm, line } from "../text.js";
import { pictureList } from "./picture-list.js";

/** @typedef {import("../timeline.js").Row} Row */

/**
 * @typedef {object} Hands What this client can do about a command.
 * @property {string} me This client's id.
 * @property {boolean} maySteer
 * @property {Set<string>} queued Keys of the prompts that the composer lists, which the timeline therefore hides.
 * @property {Set<string>} openThreads Subagents whose threads are unfolded.
 * @property {(row: Row) => void} takeBack
 * @property {(row: Row) => void} sendAgain Puts the text back into the text field; sends nothing.
 */

/** @param {Row} row @param {string} me */
export const authorOf = ({ event: { head } }, me) => (head.by?.id === me ? t`You, from here` : asText(head.by?.name) || t`Somebody`);

/**
 * The parts of a command's row, and a function that redraws them.
 * @param {Row} row @param {HTMLElement} item @param {Hands} hands
 * @returns {{parts: HTMLElement[], update: (row: Row) => void}}
 */
export function steeringRow(row, item, hands) {
  const isPrompt = row.event.head.action === "prompt";
  const [author, outcome] = [span("speaker foreign"), h("p", { class: "steering-outcome foreign" })];
  const { element: buttons, update: updateButtons } = steeringButtons(hands);
  const what = isPrompt ? h("div", { class: "words foreign", dir: "auto" }, nodes(calm(asText(row.event.body?.text))))
    : h("p", { class: "event-note foreign" }, nodes(line(actionWords(row))));
  const update = (/** @type {Row} */ changed) => {
    // The row is hidden once the conversation shows the prompt, or while the composer lists it.
    attribute(item, "hidden", changed.said !== undefined || hands.queued.has(changed.key));
    attribute(item, "data-stage", stageOf(changed));
    say(author, authorOf(changed, hands.me), line);
    say(outcome, outcomeWords(changed), line);
    updateButtons(changed);
  };
  update(row);
  const pictures = isPrompt ? pictureList(row.event.body?.pictures) : null;
  return { parts: pictures ? [author, pictures, what, outcome, buttons] : [author, what, outcome, buttons], update };
}

/**
 * The buttons of a prompt that waits or has failed.
 * @param {Hands} hands
 */
export function steeringButtons(hands) {
  /** @type {Row|undefined} */
  let current;
  const deed = h("button", { type: "button", class: "plain small", onclick: () => {
    if (!current) return;
    if (stageOf(current) === "queued") hands.takeBack(current);
    else hands.sendAgain(current);
  } });
  const update = (/** @type {Row} */ row) => {
    current = row;
    const waits = row.event.head.action === "prompt" && stageOf(row) === "queued";
    attribute(deed, "hidden", !hands.maySteer || !(waits || canGoAgain(row)));
    write(deed, waits ? t`Take back` : t`Send again …`);
  };
  return { element: deed, update };
}
