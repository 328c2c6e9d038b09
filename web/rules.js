/**
 * Hosts' rules, and the rule that would answer a given request. Pure.
 *
 * A host publishes its rules in the session that represents it. Clients can try and remove rules, and add and change them if the host accepts signatures for
 * that; only the owner at the host can enable a removed rule again.
 */

import { asText } from "./dom.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {NonNullable<NonNullable<import("./wire").SteeringOffer["rules"]>["list"]>[number]} Rule */
/** @typedef {{session: string, hostID: string, host: string, connected: boolean, consent?: string, takesBack: boolean, takesNew: boolean, takesChanges: boolean, tries: boolean, accepted: boolean, more: number, rules: Rule[]}} RuledHost */

/**
 * All hosts that have rules or accept some, in a stable order.
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
 * The rule names in an event's `rule` field: several rules may together cover a command line.
 * @param {unknown} name
 */
export const namesIn = (name) => asText(name).split(", ").filter(Boolean);

const shells = new Set(["Bash", "Command", "Shell", "shell", "bash", "execute", "exec_command"]);
const writers = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"]);
const nameCharactersMax = 40;

/**
 * True for a command with shell syntax that no rule's pattern matches, or matches differently from a shell: hosts ask about such commands anyway.
 * @param {string} text
 */
const isOddCommand = (text) => /[;&|<>()`\n\r$\\*]|^\s|\s$/.test(text) || text === "";

/**
 * A pattern that matches exactly the request; empty if there is none.
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

/**
 * Quotes a text for TOML.
 * @param {string} text
 */
const quoted = (text) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

/**
 * The TOML of a rule that allows exactly the request, to its agent and in its session's folder; empty if there is no such narrow rule, or if the request is incomplete.
 * @param {import("./wire").Event} request The request as its host sent it. @param {Pick<Summary, "session"|"cwd"|"folder">} summary @param {string[]} taken Names of existing rules.
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
  // A session's id begins with the name of its agent's adapter. A host refuses a name that it does not know.
  return tomlOf({ name, answer: "allow", for: [pattern], folder: place, agent: session.replace(/-.*/, "") });
}

/** @param {Rule} rule */
export function tomlOf({ name, answer, for: patterns, words, folder, agent, hours, until, times }) {
  const more = Object.entries({ words, folder, agent, hours, until }).filter(([, value]) => value);
  return ["[[rule]]", `name = ${quoted(name)}`, `answer = ${quoted(answer)}`, `for = [${patterns.map(quoted).join(", ")}]`,
    ...more.map(([key, value]) => `${key} = ${quoted(value ?? "")}`), ...(times ? [`times = ${times}`] : [])].join("\n");
}
