/**
 * What hosts answer by their owners' rules, and what has run by them. Pure.
 *
 * A host shows its rules in the session that represents it. From here rules can be tried, and taken back, and added and changed where the host wants that
 * signed; to let one allow again that was taken back is its owner's.
 */

import { asText } from "./dom.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {NonNullable<NonNullable<import("./wire").SteeringOffer["rules"]>["list"]>[number]} Rule */
/** @typedef {{session: string, hostID: string, host: string, connected: boolean, consent?: string, takesBack: boolean, takesNew: boolean, takesChanges: boolean, tries: boolean, accepted: boolean, more: number, rules: Rule[]}} RuledHost */
/** @typedef {{session: string, seq: number, at: number, title: string, approval: string}} Ran */

/**
 * Every host that has rules or takes some, in an order that stays.
 * @param {Map<string, Summary>} hosts The sessions that represent hosts.
 * @returns {RuledHost[]}
 */
export const ruledHosts = (hosts) =>
  [...hosts.values()].flatMap(({ session, host, steering }) => (steering && (steering.rules || ["ruleAdd", "ruleTry"].some((action) => steering.actions.includes(action))) ? [{
    session, hostID: host.id, host: host.name, connected: host.connected, takesBack: steering.actions.includes("ruleOff"), takesNew: steering.actions.includes("ruleAdd"),
    takesChanges: steering.actions.includes("ruleChange"), tries: steering.actions.includes("ruleTry"),
    accepted: !steering.rules || steering.rules.accepted === true, more: steering.rules?.more ?? 0, rules: steering.rules?.list ?? [],
    ...(steering.consent === undefined ? {} : { consent: steering.consent }),
  }] : [])).sort((a, b) => a.host.localeCompare(b.host) || a.session.localeCompare(b.session));

/**
 * The names in an event's `rule`: those that cover a command line together.
 * @param {unknown} name
 */
export const namesIn = (name) => asText(name).split(", ").filter(Boolean);

/**
 * What a rule has allowed, as far as its sessions are open here; the newest first.
 * @param {Map<string, {first: number, events: import("./wire").Event[]}>} logs @param {Map<string, Summary>} sessions
 * @param {string} hostID @param {string} name
 * @returns {Ran[]}
 */
export const ranBy = (logs, sessions, hostID, name) =>
  [...logs].filter(([session]) => sessions.get(session)?.host.id === hostID).flatMap(([session, { first, events }]) =>
    events.flatMap(({ kind, head, at }, index) => (kind === "approval.requested" && head.rule?.decision === "allow" && namesIn(head.rule.name).includes(name)
      ? [{ session, seq: first + index, at, title: asText(head.title), approval: asText(head.approval) }] : [])))
    .sort((a, b) => b.at - a.at || b.seq - a.seq);

/** @param {number} at @param {number} now Whether it is of the same day here. */
export const isToday = (at, now) => new Date(at).toDateString() === new Date(now).toDateString();

/**
 * When a rule answers, besides its patterns.
 * @param {Rule} rule
 */
export const limitsOf = ({ folder, agent, hours, until }) =>
  [folder && `in ${folder}`, agent && `for ${agent}`, hours && `from ${hours.replace("-", " to ")} there`, until && `until ${until}`].filter(Boolean).join(", ");

/**
 * Whether it answers now; empty where it does.
 * @param {RuledHost} host @param {Rule} rule
 */
export function standingOf({ accepted }, { answer, off }) {
  if (answer !== "allow") return "";
  if (off) return "Taken back: a person is asked, until its owner has run heliograph rules accept there.";
  return accepted ? "" : "Allows nothing: its owner has not accepted the file as it is.";
}

/**
 * Why a rule cannot be taken back from here; empty where it can.
 * @param {string[]} may @param {RuledHost} host @param {Rule} rule @param {boolean} isLive
 */
export function takeBackObstacle(may, host, rule, isLive) {
  if (rule.answer !== "allow") return "It keeps agents back: only its owner can take it out of the file.";
  if (rule.off) return "It is taken back already.";
  return sendObstacle(may, host, isLive, "take rules back") || (host.takesBack ? "" : "Clients cannot steer this host.");
}

// A rule for what was asked

/** Agents that a rule may name. */
const agents = new Set(["claude", "codex", "local"]);
const shells = new Set(["Bash", "Command", "Shell", "shell", "bash", "execute", "exec_command"]);
const writers = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);
const nameCharactersMax = 40;

/** @param {string} text What no pattern of a command knows, or reads otherwise than a shell: its host asks about such a line anyway. */
const isOddCommand = (text) => /[;&|<>()`\n\r$\\*]|^\s|\s$/.test(text) || text === "";

/**
 * The narrowest pattern that covers a request: exactly it. Empty where there is none.
 * @param {string} tool @param {Record<string, unknown>} input @param {string} folder
 */
function patternOf(tool, input, folder) {
  if (shells.has(tool)) return typeof input.command === "string" && !isOddCommand(input.command) ? `Bash(${input.command})` : "";
  if (tool === "Read" || writers.has(tool)) {
    const path = asText(input.file_path ?? input.notebook_path ?? input.path);
    const inside = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    const isPlain = inside !== "" && !/^[/~]|[*?[\]{}\\!\n\r]|(^|\/)\.\.?(\/|$)/.test(inside);
    return isPlain ? `${tool === "Read" ? "Read" : "Edit"}(./${inside})` : "";
  }
  if (tool === "WebFetch") {
    try {
      return `WebFetch(domain:${new URL(asText(input.url)).hostname})`;
    } catch {
      return "";
    }
  }
  return /^mcp__\w+__\w+$/.test(tool) ? tool : "";
}

/** @param {string} text As TOML spells it. */
const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/**
 * A rule that allows exactly what was asked, in the folder where its session works; as it would stand in the host's file. Empty where there is none that
 * narrow, and of what was not shown whole.
 * @param {import("./wire").Event} request As its host showed it. @param {Pick<Summary, "session"|"cwd"|"folder">} summary @param {string[]} taken Names that other rules have.
 */
export function narrowestRule({ head, body }, { session, cwd, folder }, taken) {
  const place = asText(folder ?? cwd);
  const input = body?.input;
  if (head.kind === "question" || head.redacted || head.cut || !place.startsWith("/") || typeof input !== "object" || input === null) return "";
  const pattern = patternOf(asText(head.tool), /** @type {Record<string, unknown>} */ (input), place);
  if (!pattern) return "";
  const words = pattern.toLowerCase().replace(/[^a-z0-9_]+/g, "-").replace(/^-+|-+$/g, "").slice(0, nameCharactersMax);
  let name = words;
  for (let number = 2; taken.includes(name); number += 1) name = `${words}-${number}`;
  const agent = session.slice(0, Math.max(0, session.indexOf("-")));
  return tomlOf({ name, answer: "allow", for: [pattern], folder: place, ...(agents.has(agent) && { agent }) });
}

/**
 * A rule as it would stand in the host's file; empty where not all of it is known here.
 * @param {Rule} rule
 */
export function textOfRule(rule) {
  // A host cuts what is too long for the wire.
  return [...rule.for, rule.words ?? "", rule.folder ?? ""].some((text) => text.endsWith("…")) ? "" : tomlOf(rule);
}

/** @param {Rule} rule */
function tomlOf({ name, answer, for: patterns, words, folder, agent, hours, until }) {
  const more = Object.entries({ words, folder, agent, hours, until }).filter(([, value]) => value);
  return ["[[rule]]", `name = ${quoted(name)}`, `answer = ${quoted(answer)}`, `for = [${patterns.map(quoted).join(", ")}]`,
    ...more.map(([key, value]) => `${key} = ${quoted(value ?? "")}`)].join("\n");
}

/** What one begins from who writes a rule. */
export const ruleTemplate = '[[rule]]\nname = ""\nanswer = "allow"\nfor = ["Bash()"]';

/**
 * Why a rule cannot be changed from here; empty where it can.
 * @param {string[]} may @param {RuledHost} host @param {Rule} rule @param {boolean} isLive
 */
export function changeObstacle(may, host, rule, isLive) {
  if (rule.answer !== "allow") return "It keeps agents back: only its owner can change it.";
  if (rule.off) return "It is taken back: only its owner can let it allow again.";
  if (!host.takesChanges) return "Rules are changed from afar only at a host that takes signed commands alone.";
  if (!textOfRule(rule)) return "It is too long to be shown whole: only its owner can change it.";
  return sendObstacle(may, host, isLive) || acceptedObstacle(host);
}

/**
 * Why no rules can be tried from here; empty where they can.
 * @param {string[]} may @param {RuledHost} host @param {boolean} isLive
 */
export const tryObstacle = (may, host, isLive) => (host.tries ? sendObstacle(may, host, isLive) : `${host.host} is older than this page, and tries no rules from afar.`);

/** @param {string[]} may @param {RuledHost} host @param {boolean} isLive */
function sendObstacle(may, host, isLive, deed = "do that") {
  if (!may.includes("steer")) return `This device may not ${deed}: heliograph pair --role operator`;
  if (!isLive) return "No connection to the relay.";
  return host.connected ? "" : `${host.host} is offline.`;
}

/** @param {RuledHost} host */
const acceptedObstacle = ({ accepted }) => (accepted ? "" : "Its owner has first to accept the file there as it is: heliograph rules accept");

/**
 * @typedef {{session: string, approval: string, at: number, title: string, answer: string, by: string, would: string, rules: string[], reason: string}} Tried
 * @typedef {{name: string, answer: string, requests: number, allowed: number, denied: number}} RuleCount
 * @typedef {{requests: number, since: number, asked: number, denied: Tried[], more: number, rules: RuleCount[], tried: Tried[], suggestions: {toml: string, times: number}[]|null}} Trial
 */

/** @param {unknown} value */
const count = (value) => (typeof value === "number" && value > 0 ? value : 0);
/** @param {unknown} value @returns {any[]} */
const list = (value) => (Array.isArray(value) ? value.filter((one) => typeof one === "object" && one !== null) : []);

/**
 * What a host says that rules would have answered; nothing where it cannot be read.
 * @param {unknown} said
 * @returns {Trial|null}
 */
export function trialOf(said) {
  if (typeof said !== "object" || said === null) return null;
  const { requests, since, asked, more, rules, tried, suggestions } = /** @type {Record<string, unknown>} */ (said);
  const calls = list(tried).map((one) => ({
    session: asText(one.session), approval: asText(one.approval), at: count(one.at), title: asText(one.title), answer: asText(one.answer), by: asText(one.by), would: asText(one.would),
    rules: Array.isArray(one.rules) ? one.rules.map(asText) : [], reason: asText(one.reason),
  })).sort((a, b) => b.at - a.at);
  return {
    requests: count(requests), since: count(since), asked: count(asked), more: count(more), tried: calls,
    denied: calls.filter(({ would, answer }) => would === "allow" && answer === "denied"),
    rules: list(rules).map((one) => ({ name: asText(one.name), answer: asText(one.answer), requests: count(one.requests), allowed: count(one.allowed), denied: count(one.denied) })),
    suggestions: suggestions === undefined ? null : list(suggestions).map((one) => ({ toml: asText(one.toml), times: count(one.times) })).filter(({ toml }) => toml),
  };
}

/**
 * What one rule would have done.
 * @param {RuleCount} rule
 */
export const countWords = ({ answer, requests, allowed, denied }) => (answer === "ask" ? `would ask about ${requests}`
  : `would ${answer} ${requests}; people allowed ${allowed} of them and denied ${denied}`);

/**
 * What would have become of a call, and what became of it.
 * @param {Tried} call
 */
export const callWords = ({ would, rules, reason, answer, by }) => `${answer ? `${answer} by ${by}` : by ? `answered by ${by}` : "answered by nobody"} → ${
  would === "ask" ? `asked: ${reason}` : `${would} (${rules.join(", ")})`}`;

/**
 * Why no rule can be added from here; empty where one can.
 * @param {string[]} may @param {RuledHost} host @param {boolean} isLive
 */
export function addObstacle(may, host, isLive) {
  if (!host.takesNew) return "Rules are added from afar only to a host that takes signed commands alone.";
  return sendObstacle(may, host, isLive) || acceptedObstacle(host);
}
