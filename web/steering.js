/**
 * The steering actions possible on a session, the reasons against others, and the outcome of sent commands. Pure.
 *
 * A prompt gives an agent more freedom than an allow, so in doubt the answer is no, with the reason.
 */

import { size } from "./format.js";
import { t } from "./language.js";
import { finalStages } from "./timeline.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {import("./timeline.js").Row} Row */
/** @typedef {"sent"|"queued"|"given"|"taken"|"refused"|"withdrawn"|"unknown"} Stage `sent`: its host has not reported anything yet. */

/** The relay's limit for a prompt, in bytes of UTF-8. */
export const promptBytesMax = 32 << 10;

/**
 * @typedef {object} Standing
 * @property {boolean} composes A prompt can be written and sent, now or later.
 * @property {string} reason    The reason why no prompt can be sent now; empty if one can.
 * @property {string} [command] A command line that removes the reason.
 */

/**
 * @param {string[]} may This device's rights.
 * @param {Summary} summary
 * @param {boolean} isLive The link is live.
 * @returns {Standing}
 */
export function standing(may, { steering, endedAt, host }, isLive) {
  if (endedAt) return { composes: false, reason: may.includes("steer") ? t`This session has ended.` : "" };
  if (!may.includes("steer")) return { composes: false, reason: t`To steer it:`, command: "heliograph pair --role operator" };
  if (!steering) return { composes: false, reason: t`Nothing can be sent to this session: its agent, or its host, does not take it.` };
  if (!steering.actions.includes("prompt")) return { composes: false, reason: steering.reason ?? t`This session takes no prompts from here.` };
  if (!isLive) return { composes: true, reason: t`No connection to the relay. What you write is kept on this device.` };
  if (!host.connected) return { composes: true, reason: t`${host.name} is offline. Nothing can be sent until it is back.` };
  return { composes: true, reason: "" };
}

/**
 * True if the action can be sent now.
 * @param {string[]} may @param {Summary} summary @param {boolean} isLive @param {"interrupt"|"stop"|"mode"|"model"|"askAll"} action
 */
export const can = (may, { steering, endedAt, host }, isLive, action) =>
  isLive && may.includes("steer") && !endedAt && host.connected && steering?.actions.includes(action) === true;

/**
 * The distinct prompts of a session, newest first.
 * @param {Row[]} rows
 * @returns {string[]}
 */
export const promptsOf = (rows) => [...new Set(rows
  .filter(({ event: { kind, head } }) => (kind === "message" && head.role === "user") || (kind === "steering.requested" && head.action === "prompt"))
  .map(({ event: { body } }) => (typeof body?.text === "string" ? body.text : "")).filter(Boolean).reverse())];

/**
 * True if a prompt would have to wait.
 * @param {Summary} summary
 */
export const isBusy = ({ status }) => ["starting", "running", "waitingApproval", "waitingAnswer"].includes(status);

/**
 * True if the agent continues only after a decision.
 * @param {Summary} summary
 */
export const isAsking = ({ status }) => status === "waitingApproval" || status === "waitingAnswer";

/**
 * Words for a text's length once it has reached three quarters of the limit.
 * @param {string} text @param {boolean} [seals] Its host seals, which leaves three quarters of the limit.
 * @returns {{words: string, isTooLong: boolean}}
 */
export function measure(text, seals) {
  const max = seals ? 24_480 : promptBytesMax;
  // A UTF-16 unit takes three bytes of UTF-8 at most, so short texts need not be measured.
  if (text.length * 4 < max) return { words: "", isTooLong: false };
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > max) return { words: t`Too long by ${size(bytes - max)}: name a file instead.`, isTooLong: true };
  return { words: bytes < max * 0.75 ? "" : t`${size(bytes)} of ${size(max)}`, isTooLong: false };
}

/**
 * The first word of a text, which may name a command of the agent.
 * @param {string} text
 */
export const firstWord = (text) => text.match(/^\S*/)?.[0] ?? "";

/**
 * The meaning of a text that looks like more than text.
 * @param {string} text @param {boolean} isCommand
 */
export function readingOf(text, isCommand) {
  if (isCommand) return t`Runs the agent's command ${firstWord(text)}.`;
  if (/^\s*\//.test(text)) return t`Sent as text: the agent is not to take it for a command.`;
  if (/^\s*!/.test(text)) return t`Sent as text: nothing of it is run by itself.`;
  return "";
}

/** @param {Row} row @returns {Stage} */
export const stageOf = ({ change }) => change?.head.stage ?? "sent";

/**
 * True if the command has an outcome.
 * @param {Row} row
 */
export const isOver = (row) => finalStages.has(stageOf(row));

/**
 * True if the prompt's text may be sent again, because the agent does not have it or the outcome is unknown.
 * @param {Row} row
 */
export const canGoAgain = (row) => row.event.head.action === "prompt" && ["refused", "unknown", "withdrawn"].includes(stageOf(row)) && !row.said;

const stageWords = {
  sent: t`Sent to its host`,
  queued: t`Waits until the agent is free`,
  given: t`Given to the agent, which has not shown yet that it took it`,
  taken: t`The agent took it`,
  refused: t`Not taken`,
  withdrawn: t`Taken back`,
  unknown: t`Nobody knows whether the agent took it`,
};

/** @param {Row} row */
export function outcomeWords(row) {
  const stage = stageOf(row);
  if (stage === "unknown" && row.said) return t`The agent took it: it is in the conversation`;
  const reason = stage === "taken" ? "" : row.change?.head.reason;
  return `${stageWords[stage]}${typeof reason === "string" && reason ? `: ${reason}` : ""}`;
}

/**
 * Words for a command that is not a prompt.
 * @param {Row} row
 */
export function actionWords({ event: { head } }) {
  switch (head.action) {
    case "interrupt": return t`Interrupt`;
    case "stop": return t`End the session`;
    case "mode": return t`Mode ${head.mode}`;
    case "model": return t`Model ${head.model}`;
    case "ruleAdd": return t`Add the rule ${head.toml}`;
    case "ruleChange": return t`Put in the place of the rule ${head.rule}: ${head.toml}`;
    case "ruleTry": return t`Try rules`;
    case "ruleOff": return t`Take back the rule ${head.rule}`;
    case "askAll": return head.on ? t`Ask me for everything` : t`Follow the agent's own rules`;
    default: return String(head.action);
  }
}

/**
 * The prompts that the composer lists: those without an outcome, and this device's last one if it failed.
 * @param {Row[]} prompts All prompts in the order of the log. @param {string} me
 */
export function nearby(prompts, me) {
  const last = prompts.filter(({ event }) => event.head.by?.id === me).at(-1);
  return prompts.filter((row) => !row.said && (!isOver(row) || (row === last && ["refused", "unknown"].includes(stageOf(row)))));
}

/**
 * A sentence about the relay's refusal of a command.
 * @param {{code: string, message: string}} error
 */
export function failureWords({ code, message }) {
  if (code === "linkLost") {
    return t`The connection broke before the relay answered. Nobody knows yet whether it arrived; if you send it again unchanged, it still has only one effect.`;
  }
  return t`Not sent: ${message.replace(/\.?$/, ".")}`;
}
