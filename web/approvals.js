/** What a person may do with an approval, and what has become of it. Pure. */

import { ago } from "./format.js";

/** @typedef {import("./wire").Approval} Approval */
/** @typedef {import("./wire").Decision} Decision */

/** An agent that was handed a decision answers in moments; after this long it may have been answered at the terminal. */
const deliveredLongMs = 20_000;

/**
 * Whether the request's content is all here. What is not whole can be denied, never allowed.
 * @param {Approval} approval
 */
export function isWhole({ request: { head, body } }) {
  if (head.cut) return false;
  if (head.kind !== "question") return body?.input !== undefined && body?.input !== null;
  return Array.isArray(body?.questions) && body?.questions.length !== 0;
}

/**
 * Why it cannot be allowed yet, as a sentence; nothing when it can.
 * @param {Approval} approval
 * @param {{live: boolean, seen: boolean}} view Whether the link is live, and whether the whole text was on screen.
 * @returns {string|null}
 */
export function obstacle(approval, { live, seen }) {
  const answer = approval.request.head.kind === "question" ? "answered" : "allowed";
  if (!isWhole(approval)) return `${missing(approval.request.head)}. It can be denied here, ${answer} only at the terminal.`;
  if (!live) return "The connection is down: decide when it is back.";
  if (!seen) return unseenWords(approval);
  return null;
}

/** @param {Approval} approval */
export const unseenWords = ({ request: { head } }) => `Scroll to the end to ${head.kind === "question" ? "answer" : "allow"} it.`;

/** @param {import("./wire").Fields} head Of a request that is not whole. */
const missing = (head) =>
  `Not whole: ${head.cut && head.redacted ? "parts are hidden because they may be secret" : "it was cut, or is in a form not known here"}`;

/** @param {Decision["decision"]} decision */
export const deed = (decision) => ({ allow: "allowed", deny: "denied", answer: "answered" })[decision] ?? decision;

/** @param {Decision} decision @param {string} [client] The id of this client. */
const who = (decision, client) => (decision.by.client === client ? "You" : decision.by.name);

/**
 * The sentence for somebody whose decision came second.
 * @param {Decision} winner @param {string} [client]
 */
export const conflict = (winner, client) => `${who(winner, client)} already ${deed(winner.decision)} this.`;

/** @type {Record<string, {button: string, after: string}>} How an agent goes on after its plan, by the modes that are known here. */
const modes = {
  default: { button: "Allow, ask before each edit", after: "It asks before each edit." },
  acceptEdits: { button: "Allow, edit without asking", after: "It edits without asking." },
};

/**
 * The ways to allow it, the one that gives least freedom first. A mode that is not known here is not offered.
 * @param {Approval} approval
 * @returns {{label: string, mode?: string}[]}
 */
export function waysToAllow({ request: { head } }) {
  const offered = Array.isArray(head.modes) ? Object.keys(modes).filter((mode) => head.modes.includes(mode)) : [];
  return offered.length ? offered.map((mode) => ({ label: modes[mode].button, mode })) : [{ label: "Allow" }];
}

/** @param {Decision|undefined} decision */
export const modeAfter = (decision) => (decision?.mode && Object.hasOwn(modes, decision.mode) ? modes[decision.mode].after : "");

const cancelReasons = /** @type {Record<string, string>} */ ({
  answeredLocally: "It was answered at the terminal.",
  allowedLocally: "It was allowed at the terminal.",
  deniedLocally: "It was denied at the terminal.",
  turnEnded: "The agent's turn ended before a decision.",
  sessionEnded: "The session ended before a decision.",
  agentGone: "The agent is gone.",
  hostRestarted: "The host was restarted.",
  withdrawn: "The agent took its question back.",
  hookEnded: "The agent no longer waits for an answer from here. It still asks at the terminal.",
  relayUnreachable: "The relay could not be reached in time.",
});

const staleReasons = /** @type {Record<string, string>} */ ({
  digestMismatch: "The decision was for another input. The agent did not use it.",
  notWhole: "The input was not shown in full, so it could not be allowed from here.",
  badAnswer: "The answer did not fit the question. The agent did not use it.",
  unknownApproval: "The host no longer knew the question. The agent did not use the decision.",
  expired: "The decision came too late. The agent did not use it.",
  unconfirmed: "The agent has the decision, but nothing showed that it used it.",
  allowedLocally: "It was allowed at the terminal first.",
  deniedLocally: "It was denied at the terminal first.",
  answeredLocally: "It was answered at the terminal first.",
  sessionEnded: "The session ended. The agent did not use a decision.",
  tooMany: "Too many questions were open at the host. The agent's own prompt stays open.",
  unsigned: "The decision had no signature, and its host takes none without. The agent's own prompt stays open.",
  badSignature: "The decision's signature was not by the device that it named. The agent's own prompt stays open.",
  notTrusted: "Its host does not trust the device that decided. The agent's own prompt stays open.",
  notShown: "The decision was for something else than its host showed. The agent's own prompt stays open.",
  restored: "Its host was restored from older files and waits for this device to say that it is still trusted. The agent's own prompt stays open.",
  passkeyMissing: "No passkey confirmed it. The agent's own prompt stays open.",
  passkeyUnknown: "Its host does not know the passkey. The agent's own prompt stays open.",
  passkeyWrong: "The passkey confirmed something else. The agent's own prompt stays open.",
  passkeyNotVerified: "The passkey did not verify who used it. The agent's own prompt stays open.",
  notRecorded: "The host could not write it to its disk. The agent's own prompt stays open.",
});

const outcomes = /** @type {Record<string, string>} */ ({
  ran: "The agent ran it.",
  denied: "The agent did not run it.",
  answered: "The agent has the answer.",
});

/** @typedef {"waiting"|"going"|"allowed"|"denied"|"void"} Tone */
/** @typedef {{tone: Tone, title: string, detail: string}} Outcome */

/**
 * What has become of it, in words.
 * @param {Approval} approval
 * @param {{now: number, client?: string, host?: {name: string, connected: boolean}}} at
 * @returns {Outcome}
 */
export function outcome(approval, { now, client, host }) {
  const { stage, decision } = approval;
  const verdict = decision && `${capital(deed(decision.decision))} by ${decision.by.client === client ? "you" : decision.by.name}`;
  const name = host?.name ?? "the host";
  switch (stage) {
    case "pending":
      return { tone: "waiting", title: "Waiting for a decision", detail: "" };
    case "decided":
      return {
        tone: "going", title: verdict ?? "Decided",
        detail: host && !host.connected ? `${name} is offline. It gets the decision when it is back.` : `On its way to ${name}.`,
      };
    case "delivered": {
      const long = now - (approval.deliveredAt ?? now) > deliveredLongMs;
      return {
        tone: "going", title: verdict ?? "Decided",
        detail: long
          ? `Delivered ${ago(now - (approval.deliveredAt ?? now))}, not confirmed: it may already be answered at the terminal.`
          : `Delivered to ${name}. Waiting for the agent.`,
      };
    }
    case "applied":
      return {
        tone: approval.outcome === "denied" ? "denied" : "allowed", title: verdict ?? "Applied",
        detail: outcomes[approval.outcome ?? ""] ?? "The agent did as decided.",
      };
    case "expired":
      return { tone: "void", title: "Expired", detail: "Nobody decided in time. The agent asks at its own prompt, or denied it." };
    case "cancelled":
      return { tone: "void", title: "Settled elsewhere", detail: cancelReasons[approval.reason ?? ""] ?? "It no longer waits." };
    case "stale":
      return { tone: "void", title: "Not applied", detail: staleReasons[approval.reason ?? ""] ?? "The agent did not use the decision." };
    default:
      return { tone: "void", title: String(stage), detail: "" };
  }
}

/**
 * The steps of an approval, and how far it has come.
 * @param {Approval} approval
 */
export function steps({ stage, decision }) {
  const order = ["pending", "decided", "delivered", "applied"];
  const reached = order.includes(stage) ? order.indexOf(stage) : decision ? 1 : 0;
  return ["Asked", "Decided", "Delivered", "Applied"].map((label, index) => ({ label, done: index <= reached }));
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
