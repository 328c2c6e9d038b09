/** What tools are asked to do, in words: a tool's name, the fields of its input and what it touches. Pure. */

import { urlOf } from "./links.js";

/** @typedef {import("./wire").Fields} Fields */
/** @typedef {{verb: string, object: string, place?: string}} Request Reads as a question: our verb, then what it touches and where that is, which are the agent's text. */

/** Tools of Claude Code whose fields are known by these words. Those of others are shown by their own names. */
const known = new Set(["Bash", "BashOutput", "KillShell", "KillBash", "Edit", "MultiEdit", "Write", "NotebookEdit", "Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch",
  "Task", "Agent", "ExitPlanMode", "TodoWrite", "Skill", "SlashCommand"]);

/** @type {Record<string, string>} By field. */
const words = {
  command: "Command", description: "About", timeout: "Time limit", run_in_background: "In the background", dangerouslyDisableSandbox: "Without the sandbox",
  file_path: "File", notebook_path: "Notebook", path: "In", old_string: "Old text", new_string: "New text", replace_all: "Every occurrence", edits: "Edits", content: "Content",
  cell_id: "Cell", cell_number: "Cell", cell_type: "Kind of cell", edit_mode: "What is done", new_source: "New text",
  pattern: "Looks for", glob: "In files like", type: "In files of type", output_mode: "Shows", head_limit: "At most", multiline: "Across lines",
  "-i": "Upper and lower case alike", "-n": "With line numbers", "-A": "Lines after", "-B": "Lines before", "-C": "Lines around", "-o": "Only what matches",
  offset: "From line", limit: "Lines", pages: "Pages", url: "Address", prompt: "Prompt", query: "Looks for", allowed_domains: "Only from", blocked_domains: "Not from",
  subagent_type: "Kind of agent", model: "Model", resume: "Goes on with", isolation: "Apart in", plan: "Plan", planFilePath: "Plan's file", allowedPrompts: "Allowed along with it",
  shell_id: "Command's id", bash_id: "Command's id", filter: "Only lines like", todos: "To do", skill: "Skill", args: "With",
};

/**
 * The field in words, or by its own name: `isOwn`.
 * @param {string} tool @param {string} field
 * @returns {{text: string, isOwn: boolean}}
 */
export const fieldOf = (tool, field) =>
  known.has(tool) && Object.hasOwn(words, field) ? { text: words[field], isOwn: false } : { text: field, isOwn: true };

/**
 * A value that is no text, in words.
 * @param {string} field @param {unknown} value
 */
export function valueWords(field, value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === null || value === undefined) return "nothing";
  if (field === "timeout" && typeof value === "number" && value >= 1000) return `${value / 1000} s (${value} ms)`;
  return String(value);
}

/** @param {unknown} value @returns {string} */
const textOf = (value) => (typeof value === "string" ? value : "");

/** @param {string} tool @returns {{server: string, name: string}|null} The tool of an MCP server. */
export function serverOf(tool) {
  const [, server, name] = tool.match(/^mcp__(.+?)__(.+)$/s) ?? [];
  return server ? { server, name } : null;
}

/** @param {string} tool Whether our words for it are no other tool's: those of an MCP server are, where it is plain which of its underscores part them. */
export const isSaid = (tool) => /^(?:ExitPlanMode|AskUserQuestion|mcp(?:__[A-Za-z\d.-]+(?:_[A-Za-z\d.-]+)*){2})$/.test(tool);

/** @type {Record<string, string>} Verbs of tools that touch a file or folder. */
const onFiles = { Edit: "Change", MultiEdit: "Change", Write: "Write", NotebookEdit: "Change", Read: "Read", LS: "List", Glob: "Look for files in", Grep: "Search in" };
/** @type {Record<string, string>} Verbs of the others. */
const plain = {
  Bash: "Run this command", ExitPlanMode: "Go ahead with this plan", WebSearch: "Search the web for", Task: "Start a subagent", Agent: "Start a subagent",
  KillShell: "End a command in the background", KillBash: "End a command in the background", BashOutput: "Read what a command wrote",
};
const cells = /** @type {Record<string, string>} */ ({ insert: "Add a cell to", delete: "Delete a cell of", replace: "Change a cell of" });

/**
 * The path as it reads from the session's folder, where it is in there.
 * @param {string} path @param {string} [folder]
 */
export function pathIn(path, folder) {
  const root = folder?.replace(/\/+$/, "");
  return root && path.startsWith(`${root}/`) && !/(^|\/)\.\.(\/|$)/.test(path) ? path.slice(root.length + 1) : path;
}

/**
 * Where a session works: in full where its host says so, as nobody here can tell whose home `~` is.
 * @param {Pick<import("./wire").Summary, "cwd"|"folder">} [summary]
 */
export const folderOf = (summary) => summary?.folder ?? summary?.cwd;

/**
 * What is to be allowed, as the head of its card.
 * @param {string} tool @param {unknown} input @param {string} [folder] The session's.
 * @returns {Request}
 */
export function requestOf(tool, input, folder) {
  const fields = /** @type {Fields} */ (typeof input === "object" && input !== null ? input : {});
  const path = textOf(fields.file_path) || textOf(fields.notebook_path) || textOf(fields.path);
  const server = serverOf(tool);
  if (server) return { verb: "Use", object: server.name, place: server.server };
  if (Object.hasOwn(onFiles, tool)) {
    const verb = tool === "NotebookEdit" ? cells[textOf(fields.edit_mode) || "replace"] ?? "Change" : onFiles[tool];
    return { verb, object: pathIn(path, folder) || "the session's folder" };
  }
  if (tool === "WebFetch") return { verb: "Fetch from", object: urlOf(textOf(fields.url))?.host || textOf(fields.url) };
  if (tool === "WebSearch") return { verb: plain[tool], object: textOf(fields.query) };
  if (tool === "Task" || tool === "Agent") return { verb: plain[tool], object: textOf(fields.subagent_type) };
  if (Object.hasOwn(plain, tool)) return { verb: plain[tool], object: "" };
  return { verb: "Use", object: tool || "this tool" };
}
