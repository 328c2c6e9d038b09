/** A tool call's request in words: the tool's name, its input's fields, and its object. Pure. */

import { pieces, t } from "./language.js";
import { urlOf } from "./links.js";

/** @typedef {import("./wire").Fields} Fields */
/**
 * @typedef {{verb: string, object: string, place?: string, after?: string, isFile?: boolean}} Request A heading phrased as a question: a verb, the tool's object and
 * its place (both the agent's text), and the part of the verb that follows them.
 */

/** Tools of Claude Code, whose fields these words describe. Fields of other tools are shown by their own names. */
const known = new Set(["Bash", "BashOutput", "KillShell", "KillBash", "Edit", "MultiEdit", "Write", "NotebookEdit", "Read", "Glob", "Grep", "LS", "WebFetch", "WebSearch",
  "Task", "Agent", "ExitPlanMode", "TodoWrite", "Skill", "SlashCommand"]);

/** @type {Record<string, string>} Words by field. */
const words = {
  command: t`Command`, description: t`About`, timeout: t`Time limit`, run_in_background: t`In the background`, dangerouslyDisableSandbox: t`Without the sandbox`,
  file_path: t`File`, notebook_path: t`Notebook`, path: t`In`, old_string: t`Old text`, new_string: t`New text`, replace_all: t`Every occurrence`, edits: t`Edits`, content: t`Content`,
  cell_id: t`Cell`, cell_number: t`Cell`, cell_type: t`Kind of cell`, edit_mode: t`What is done`, new_source: t`New text`,
  pattern: t`Looks for`, glob: t`In files like`, type: t`In files of type`, output_mode: t`Shows`, head_limit: t`At most`, multiline: t`Across lines`,
  "-i": t`Upper and lower case alike`, "-n": t`With line numbers`, "-A": t`Lines after`, "-B": t`Lines before`, "-C": t`Lines around`, "-o": t`Only what matches`,
  offset: t`From line`, limit: t`Lines`, pages: t`Pages`, url: t`Address`, prompt: t`Prompt`, query: t`Looks for`, allowed_domains: t`Only from`, blocked_domains: t`Not from`,
  subagent_type: t`Kind of agent`, model: t`Model`, resume: t`Goes on with`, isolation: t`Apart in`, plan: t`Plan`, planFilePath: t`Plan's file`, allowedPrompts: t`Allowed along with it`,
  shell_id: t`Command's id`, bash_id: t`Command's id`, filter: t`Only lines like`, todos: t`To do`, skill: t`Skill`, args: t`With`,
};

/**
 * A field in words, or by its own name (`isOwn`).
 * @param {string} tool @param {string} field
 * @returns {{text: string, isOwn: boolean}}
 */
export const fieldOf = (tool, field) =>
  known.has(tool) && Object.hasOwn(words, field) ? { text: words[field], isOwn: false } : { text: field, isOwn: true };

/**
 * Words for a value that is not a string.
 * @param {string} field @param {unknown} value
 */
export function valueWords(field, value) {
  if (value === true) return t`yes`;
  if (value === false) return t`no`;
  if (value === null || value === undefined) return t`nothing`;
  if (field === "timeout" && typeof value === "number" && value >= 1000) return `${value / 1000} s (${value} ms)`;
  return String(value);
}

/** @param {unknown} value @returns {string} */
const textOf = (value) => (typeof value === "string" ? value : "");

/**
 * The server and the tool's name in the name of an MCP tool; null for other tools.
 * @param {string} tool @returns {{server: string, name: string}|null}
 */
export function serverOf(tool) {
  const [, server, name] = tool.match(/^mcp__(.+?)__(.+)$/s) ?? [];
  return server ? { server, name } : null;
}

/**
 * True if the words for the tool are unambiguous. For an MCP server's tool its underscores must separate the parts clearly.
 * @param {string} tool
 */
export const isSaid = (tool) => /^(?:ExitPlanMode|AskUserQuestion|mcp(?:__[A-Za-z\d.-]+(?:_[A-Za-z\d.-]+)*){2})$/.test(tool);

/** Marks the place of the object in a verb; in other languages it may stand inside the verb. */
const it = null;
/** @typedef {(string|null)[]} Verb */
/** @type {Record<string, Verb>} Verbs of tools that act on a file or folder. */
const onFiles = {
  Edit: pieces`Change ${it}`, MultiEdit: pieces`Change ${it}`, Write: pieces`Write ${it}`, NotebookEdit: pieces`Change ${it}`, Read: pieces`Read ${it}`, LS: pieces`List ${it}`, Glob: pieces`Look for files in ${it}`, Grep: pieces`Search in ${it}`,
};
/** @type {Record<string, Verb>} Verbs of all other tools. */
const plain = {
  Bash: pieces`Run this command`, ExitPlanMode: pieces`Go ahead with this plan`, WebSearch: pieces`Search the web for ${it}`, Task: pieces`Start a subagent ${it}`, Agent: pieces`Start a subagent ${it}`,
  KillShell: pieces`End a command in the background`, KillBash: pieces`End a command in the background`, BashOutput: pieces`Read what a command wrote`,
};
const cells = /** @type {Record<string, Verb>} */ ({ insert: pieces`Add a cell to ${it}`, delete: pieces`Delete a cell of ${it}`, replace: pieces`Change a cell of ${it}` });

/**
 * A path relative to the session's folder, if it is inside.
 * @param {string} path @param {string} [folder]
 */
export function pathIn(path, folder) {
  const root = folder?.replace(/\/+$/, "");
  return root && path.startsWith(`${root}/`) && !/(^|\/)\.\.(\/|$)/.test(path) ? path.slice(root.length + 1) : path;
}

/**
 * The folder that a session works in: the full path if its host sends it, because `~` is ambiguous here.
 * @param {Pick<import("./wire").Summary, "cwd"|"folder">} [summary]
 */
export const folderOf = (summary) => summary?.folder ?? summary?.cwd;

/** @param {Verb} verb @param {string} object @param {string} [place] @returns {Request} */
function asked(verb, object, place) {
  const [before = "", , after = ""] = verb.map((words) => words?.trim());
  return { verb: before, object, ...(place && { place }), ...(after && { after }) };
}

/**
 * The heading of a tool call's card.
 * @param {string} tool @param {unknown} input @param {string} [folder] The session's folder.
 * @returns {Request}
 */
export function requestOf(tool, input, folder) {
  const fields = /** @type {Fields} */ (typeof input === "object" && input !== null ? input : {});
  const path = textOf(fields.file_path) || textOf(fields.notebook_path) || textOf(fields.path);
  const server = serverOf(tool);
  if (server) return asked(pieces`Use ${it}`, server.name, server.server);
  if (Object.hasOwn(onFiles, tool)) {
    const verb = tool === "NotebookEdit" ? cells[textOf(fields.edit_mode) || "replace"] ?? onFiles.Edit : onFiles[tool];
    const isFile = Boolean(textOf(fields.file_path) || textOf(fields.notebook_path)) && !path.endsWith("/");
    return { ...asked(verb, pathIn(path, folder) || t`the session's folder`), ...(isFile && { isFile }) };
  }
  if (tool === "WebFetch") return asked(pieces`Fetch from ${it}`, urlOf(textOf(fields.url))?.host || textOf(fields.url));
  if (tool === "WebSearch") return asked(plain[tool], textOf(fields.query));
  if (tool === "Task" || tool === "Agent") return asked(plain[tool], textOf(fields.subagent_type));
  if (Object.hasOwn(plain, tool)) return asked(plain[tool], "");
  return asked(pieces`Use ${it}`, tool || t`this tool`);
}
