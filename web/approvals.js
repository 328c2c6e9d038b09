/** The actions that a person has on an approval, and its outcome. Pure. */

import { ago } from "./format.js";
import { t } from "./language.js";

/** @typedef {import("./wire").Approval} Approval */
/** @typedef {import("./wire").Decision} Decision */

/** A running agent reacts to a delivered decision in moments; after this long the request may have been answered at the terminal. */
const deliveredLongMs = 20_000;

/**
 * True if the request's content is complete. An incomplete request can be denied, never allowed.
 * @param {Approval} approval
 */
export function isWhole({ request: { head, body } }) {
  if (head.cut) return false;
  if (head.kind !== "question") return body?.input !== undefined && body?.input !== null;
  return Array.isArray(body?.questions) && body?.questions.length !== 0;
}

/**
 * The reason why the approval cannot be allowed yet, as a sentence; null if it can.
 * @param {Approval} approval
 * @param {{live: boolean, seen: boolean}} view `live`: the link is live; `seen`: the whole text was on screen.
 * @returns {string|null}
 */
export function obstacle(approval, { live, seen }) {
  const { head } = approval.request;
  if (!isWhole(approval)) return `${missing(head)} ${head.kind === "question" ? t`It can be denied here, answered only at the terminal.` : t`It can be denied here, allowed only at the terminal.`}`;
  if (!live) return t`The connection is down: decide when it is back.`;
  if (!seen) return unseenWords(approval);
  return null;
}

/** @param {Approval} approval */
export const unseenWords = ({ request: { head } }) => (head.kind === "question" ? t`Scroll to the end to answer it.` : t`Scroll to the end to allow it.`);

/**
 * Names the missing parts of an incomplete request.
 * @param {import("./wire").Fields} head
 */
const missing = (head) =>
  (head.cut && head.redacted ? t`Not whole: parts are hidden because they may be secret.` : t`Not whole: it was cut, or is in a form not known here.`);

/** @param {Decision["decision"]} decision */
export const deed = (decision) => ({ allow: t`allowed`, edit: t`edited and allowed`, deny: t`denied`, answer: t`answered` })[decision] ?? decision;

/**
 * A sentence for the client whose decision came second, about the decision that won.
 * @param {Decision} winner @param {string} [client]
 */
export const conflict = (winner, client) => (winner.by.client === client ? t`You already ${deed(winner.decision)} this.` : t`${winner.by.name} already ${deed(winner.decision)} this.`);

/** @type {Record<string, {button: string, after: string}>} The agent's mode after a plan was approved, for the modes that this page knows. */
const modes = {
  default: { button: t`Allow, ask before each edit`, after: t`It asks before each edit.` },
  acceptEdits: { button: t`Allow, edit without asking`, after: t`It edits without asking.` },
};

/**
 * The ways to allow the request, the least freedom first. Unknown modes are not offered.
 * @param {Approval} approval
 * @returns {{label: string, mode?: string}[]}
 */
export function waysToAllow({ request: { head } }) {
  const offered = Array.isArray(head.modes) ? Object.keys(modes).filter((mode) => head.modes.includes(mode)) : [];
  return offered.length ? offered.map((mode) => ({ label: modes[mode].button, mode })) : [{ label: t`Allow` }];
}

/** @param {Decision|undefined} decision */
export const modeAfter = (decision) => (decision?.mode && Object.hasOwn(modes, decision.mode) ? modes[decision.mode].after : "");

const cancelReasons = /** @type {Record<string, string>} */ ({
  answeredLocally: t`It was answered at the terminal.`,
  allowedLocally: t`It was allowed at the terminal.`,
  deniedLocally: t`It was denied at the terminal.`,
  turnEnded: t`The agent's turn ended before a decision.`,
  sessionEnded: t`The session ended before a decision.`,
  agentGone: t`The agent is gone.`,
  hostRestarted: t`The host was restarted.`,
  withdrawn: t`The agent took its question back.`,
  hookEnded: t`The agent no longer waits for an answer from here. It still asks at the terminal.`,
  relayUnreachable: t`The relay could not be reached in time.`,
});

const staleReasons = /** @type {Record<string, string>} */ ({
  digestMismatch: t`The decision was for another input. The agent did not use it.`,
  notWhole: t`The input was not shown in full, so it could not be allowed from here.`,
  badAnswer: t`The answer did not fit the question. The agent did not use it.`,
  unknownApproval: t`The host no longer knew the question. The agent did not use the decision.`,
  expired: t`The decision came too late. The agent did not use it.`,
  unconfirmed: t`The agent has the decision, but nothing showed that it used it.`,
  allowedLocally: t`It was allowed at the terminal first.`,
  deniedLocally: t`It was denied at the terminal first.`,
  answeredLocally: t`It was answered at the terminal first.`,
  sessionEnded: t`The session ended. The agent did not use a decision.`,
  tooMany: t`Too many questions were open at the host. The agent's own prompt stays open.`,
  unsigned: t`The decision had no signature, and its host takes none without. The agent's own prompt stays open.`,
  badSignature: t`The decision's signature was not by the device that it named. The agent's own prompt stays open.`,
  notTrusted: t`Its host does not trust the device that decided. The agent's own prompt stays open.`,
  notShown: t`The decision was for something else than its host showed. The agent's own prompt stays open.`,
  restored: t`Its host was restored from older files and waits for this device to say that it is still trusted. The agent's own prompt stays open.`,
  passkeyMissing: t`No passkey confirmed it. The agent's own prompt stays open.`,
  passkeyUnknown: t`Its host does not know the passkey. The agent's own prompt stays open.`,
  passkeyWrong: t`The passkey confirmed something else. The agent's own prompt stays open.`,
  passkeyNotVerified: t`The passkey did not verify who used it. The agent's own prompt stays open.`,
  editMalformed: t`The edit did not fit what was asked. The agent's own prompt stays open.`,
  editNotOffered: t`Its host does not let this device edit the call, or could not any more. The agent's own prompt stays open.`,
  editRisky: t`As edited it needs a second look, and that was not shown. The agent's own prompt stays open.`,
  editRuled: t`A rule of its host denies the call as edited, or the rules could not be read. The agent's own prompt stays open.`,
  notRecorded: t`The host could not write it to its disk. The agent's own prompt stays open.`,
});

const outcomes = /** @type {Record<string, string>} */ ({
  ran: t`The agent ran it.`,
  denied: t`The agent did not run it.`,
  answered: t`The agent has the answer.`,
});

/** @typedef {"waiting"|"going"|"allowed"|"denied"|"void"} Tone */
/** @typedef {{tone: Tone, title: string, detail: string}} Outcome */

/**
 * The words for who decided. A rule is a client that does not exist, with an English name.
 * @param {Decision["by"]} by @param {string} [client]
 */
export function decider({ client: id, name }, client) {
  const [, rule] = (id === "rule" && /^the rule (.+)$/.exec(name)) || [];
  return id === client ? t`you` : rule ? t`the rule ${rule}` : name;
}

/**
 * The outcome of an approval, in words.
 * @param {Approval} approval
 * @param {{now: number, client?: string, host?: {name: string, connected: boolean}}} at
 * @returns {Outcome}
 */
export function outcome(approval, { now, client, host }) {
  const { stage, decision } = approval;
  const verdict = decision && capital(t`${deed(decision.decision)} by ${decider(decision.by, client)}`);
  const name = host?.name ?? t`the host`;
  switch (stage) {
    case "pending":
      return { tone: "waiting", title: t`Waiting for a decision`, detail: "" };
    case "decided":
      return {
        tone: "going", title: verdict ?? t`Decided`,
        detail: host && !host.connected ? t`${name} is offline. It gets the decision when it is back.` : t`On its way to ${name}.`,
      };
    case "delivered": {
      const long = now - (approval.deliveredAt ?? now) > deliveredLongMs;
      return {
        tone: "going", title: verdict ?? t`Decided`,
        detail: long
          ? t`Delivered ${ago(now - (approval.deliveredAt ?? now))}, not confirmed: it may already be answered at the terminal.`
          : t`Delivered to ${name}. Waiting for the agent.`,
      };
    }
    case "applied":
      return {
        tone: approval.outcome === "denied" ? "denied" : "allowed", title: verdict ?? t`Applied`,
        detail: outcomes[approval.outcome ?? ""] ?? t`The agent did as decided.`,
      };
    case "expired":
      return { tone: "void", title: t`Expired`, detail: t`Nobody decided in time. The agent asks at its own prompt, or denied it.` };
    case "cancelled":
      return { tone: "void", title: t`Settled elsewhere`, detail: cancelReasons[approval.reason ?? ""] ?? t`It no longer waits.` };
    case "stale":
      return { tone: "void", title: t`Not applied`, detail: staleReasons[approval.reason ?? ""] ?? t`The agent did not use the decision.` };
    default:
      return { tone: "void", title: String(stage), detail: "" };
  }
}

/**
 * The stages of an approval's decision, with the ones already reached.
 * @param {Approval} approval
 */
export function steps({ stage, decision }) {
  const order = ["pending", "decided", "delivered", "applied"];
  const reached = order.includes(stage) ? order.indexOf(stage) : decision ? 1 : 0;
  return [t`Asked`, t`Decided`, t`Delivered`, t`Applied`].map((label, index) => ({ label, done: index <= reached }));
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
