/**
 * What hosts answer by their owners' rules, and the rule that a request would need. Pure.
 *
 * A host shows its rules in the session that represents it. From here rules can be tried, and taken back, and added and changed where the host wants that
 * signed; to let one allow again that was taken back is its owner's.
 */

import { asText } from "./dom.js";

/** @typedef {import("./wire").Summary} Summary */
/** @typedef {NonNullable<NonNullable<import("./wire").SteeringOffer["rules"]>["list"]>[number]} Rule */
/** @typedef {{session: string, hostID: string, host: string, connected: boolean, consent?: string, takesBack: boolean, takesNew: boolean, takesChanges: boolean, tries: boolean, accepted: boolean, more: number, rules: Rule[]}} RuledHost */

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
 * A rule that allows exactly what was asked, to its agent and in the folder where its session works; as it would stand in the host's file. Empty where there is none that
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
  // A session's id begins with the name of its agent's adapter. A host refuses a name that it does not know.
  return tomlOf({ name, answer: "allow", for: [pattern], folder: place, agent: session.replace(/-.*/, "") });
}

/** @param {Rule} rule */
export function tomlOf({ name, answer, for: patterns, words, folder, agent, hours, until }) {
  const more = Object.entries({ words, folder, agent, hours, until }).filter(([, value]) => value);
  return ["[[rule]]", `name = ${quoted(name)}`, `answer = ${quoted(answer)}`, `for = [${patterns.map(quoted).join(", ")}]`,
    ...more.map(([key, value]) => `${key} = ${quoted(value ?? "")}`)].join("\n");
}
