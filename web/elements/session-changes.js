/** `<session-changes>`: all file changes of a session as one diff with a fold for each file. It covers the timeline, which keeps its place. */

import { arrange, attribute, h, nodes, say, span, write } from "../dom.js";
import { ChangedFiles } from "../changed-files.js";
import { changeOf, changeWords } from "../changes.js";
import { editCharactersMax, editsMax } from "../edits.js";
import { treeOf } from "../file-tree.js";
import { count, size, timeOfDay } from "../format.js";
import { language, plural, t } from "../language.js";
import { readBack } from "../reading-back.js";
import { Marks } from "../sieve.js";
import { line } from "../text.js";
import { diffBlock, lineCounts, pathNodes } from "./blocks.js";

/** @typedef {import("../changed-files.js").FileChanges} FileChanges */
/** @typedef {import("../store.js").Log} Log */

/** The number of lines above which a diff is folded at first: about two screens of a phone. */
const openLinesMax = 60;
/** Lines of all files together that are unfolded at first: what a phone draws without delay. */
const openLinesSumMax = 400;
/** Lines of a diff that are drawn at once; the others follow on demand, as many at a time. */
const linesAtOnceMax = 500;
/** The number of files from which there is a tree of them: fewer are found by scrolling. */
const treeFilesMin = 8;
/** Maximum number of files that are listed; the oldest are omitted. */
const filesMax = 300;

export class SessionChanges extends HTMLElement {
  #app = /** @type {import("./view.js").App} */ (/** @type {unknown} */ (undefined));
  #session = "";
  #joins = new ChangedFiles();
  /** @type {object|null} The edits whose files are drawn. */ #edits = null;
  /** @type {Map<string, Entry>} Folds by the path of their file. */ #entries = new Map();
  #openLines = 0;
  /** The last edit of each file that was viewed on this device. */ #viewed = new Marks(() => localStorage, "heliograph.viewed");
  #sum = span("changes-sum");
  #note = h("p", { class: "quiet" });
  #earlier = h("button", { type: "button", class: "plain", onclick: () => this.#readEarlier() }, t`Read what came before`);
  #failed = h("p", { class: "problem", role: "alert" });
  #tree = h("ul", { class: "changes-folder" });
  #treeFold = h("details", { class: "fold changes-tree", hidden: true }, h("summary", {}, t`Files by folder`), h("nav", { "aria-label": t`Files by folder` }, this.#tree));
  #drawnTree = "";
  #list = h("div", { class: "changes-files", role: "list", "aria-label": t`Changed files` });

  connectedCallback() {
    if (this.firstChild) return;
    this.append(h("div", { class: "changes-head" }, h("h3", {}, t`Changes`), this.#sum), this.#note, this.#earlier, this.#failed, this.#treeFold, this.#list);
  }

  /** @param {import("./view.js").App} app @param {string} session @param {Log|undefined} log */
  show(app, session, log) {
    [this.#app, this.#session] = [app, session];
    const oldest = app.state.sessions.get(session)?.first ?? 1;
    if (log?.edits !== this.#edits) this.#clear(log?.edits ?? null);
    const files = log ? this.#joins.of(log.edits.all) : [];
    const shown = files.slice(-filesMax);
    const entries = new Map(shown.map((file) => [file.path, this.#entries.get(file.path) ?? this.#entry(file)]));
    this.#entries = entries;
    shown.forEach((file) => entries.get(file.path)?.show(file, this.#isViewed(file)));
    arrange(this.#list, [...entries.values()].map(({ item }) => item));
    this.#drawTree(shown);
    const isWhole = log !== undefined && log.edits.first <= oldest && !log.edits.isCut;
    const [added, removed] = /** @type {const} */ (["added", "removed"]).map((which) => files.reduce((sum, file) => sum + file[which], 0));
    const viewed = files.filter((file) => this.#isViewed(file)).length;
    this.#sum.replaceChildren(...(files.length ? [plural(files.length, "file"), ", ", lineCounts(added, removed), viewed ? t`, ${viewed} viewed` : ""] : []));
    write(this.#note, !log ? "" : noteOf(log, files.length, isWhole, oldest));
    attribute(this.#note, "hidden", this.#note.textContent === "");
    attribute(this.#earlier, "hidden", !log || isWhole || log.edits.isCut);
  }

  /** @param {FileChanges[]} files */
  #drawTree(files) {
    attribute(this.#treeFold, "hidden", files.length < treeFilesMin);
    const drawn = JSON.stringify(files.map((file) => [file.path, file.added, file.removed, this.#isViewed(file)]));
    if (this.#treeFold.hidden || drawn === this.#drawnTree) return;
    this.#drawnTree = drawn;
    const focused = document.activeElement instanceof HTMLElement && this.#tree.contains(document.activeElement) ? document.activeElement.dataset.path : undefined;
    const byPath = new Map(files.map((file) => [file.path, file]));
    /** @param {import("../file-tree.js").Folder} folder @returns {HTMLElement[]} */
    const items = ({ folders, files: inside }) => [
      ...folders.map((folder) => h("li", {}, span("changes-folder-name foreign exact", nodes(line(folder.name))), h("ul", { class: "changes-folder" }, ...items(folder)))),
      ...inside.flatMap(({ name, path }) => {
        const file = byPath.get(path);
        return file ? [h("li", {}, this.#leaf(file, name))] : [];
      }),
    ];
    const root = treeOf(files.map(({ path }) => path));
    this.#tree.replaceChildren(...(root.name ? items({ name: "", folders: [root], files: [] }) : items(root)));
    if (focused !== undefined) /** @type {HTMLElement|null} */ (this.#tree.querySelector(`[data-path="${CSS.escape(focused)}"]`))?.focus({ preventScroll: true });
  }

  /** @param {FileChanges} file @param {string} name */
  #leaf(file, name) {
    const isViewed = this.#isViewed(file);
    const button = h("button", { type: "button", onclick: () => this.#entries.get(file.path)?.reveal() },
      span("changes-leaf foreign exact", nodes(line(name))), isViewed ? span("quiet", t`viewed`) : null, span("tool-result", lineCounts(file.added, file.removed)));
    button.dataset.path = file.path;
    return button;
  }

  /** @param {object|null} edits */
  #clear(edits) {
    this.#edits = edits;
    this.#joins = new ChangedFiles();
    this.#entries.clear();
    this.#openLines = 0;
    this.#drawnTree = "";
    write(this.#failed, "");
  }

  /** @param {FileChanges} file */
  #mark = ({ path, last }) => `${this.#session} ${last.at} ${path}`;

  /** @param {FileChanges} file */
  #isViewed = (file) => this.#viewed.has(this.#mark(file));

  /** @param {FileChanges} file */
  #entry(file) {
    const lines = file.parts.reduce((sum, part) => sum + (part.lines?.length ?? 0), 0);
    const isOpen = lines <= openLinesMax && this.#openLines + lines <= openLinesSumMax;
    if (isOpen) this.#openLines += lines;
    return new Entry(isOpen && !this.#isViewed(file), (one, isViewed) => {
      this.#viewed.set([this.#mark(one)], isViewed);
      this.show(this.#app, this.#session, this.#app.state.logs.get(this.#session));
    });
  }

  async #readEarlier() {
    const [app, session] = [this.#app, this.#session];
    const edits = app.state.logs.get(session)?.edits;
    if (this.#earlier.disabled || !edits) return;
    attribute(this.#earlier, "disabled", true);
    write(this.#earlier, t`Reading …`);
    write(this.#failed, "");
    try {
      await readBack(app, session, edits.first, (first, events) => edits.prepend(first, events) && !edits.isCut);
      if (this.#session === session) this.show(app, session, app.state.logs.get(session));
    } catch {
      write(this.#failed, t`What came before could not be read. Try it again.`);
    }
    attribute(this.#earlier, "disabled", null);
    write(this.#earlier, t`Read what came before`);
  }
}

/** The fold of a file. Its diff is drawn only while it is open. */
class Entry {
  #name = span("changes-path path foreign exact");
  #kind = span("changes-kind quiet");
  #measure = span("tool-result");
  #body = h("div", { class: "fold-body" });
  #details = h("details", { class: "fold" }, h("summary", {}, span("changes-line", this.#name, this.#kind, this.#measure)), this.#body);
  #isViewed = h("input", { type: "checkbox", onchange: () => this.#view() });
  #what = span("unseen");
  item = h("div", { class: "changes-file", role: "listitem" }, this.#details, h("label", { class: "changes-viewed" }, this.#isViewed, span("word", t`Viewed`), this.#what));

  /** @type {FileChanges|undefined} */ #file;
  /** @type {FileChanges|undefined} The changes that the open fold shows. */ #drawn;
  #onviewed;

  /** @param {boolean} isOpen @param {(file: FileChanges, isViewed: boolean) => void} onviewed */
  constructor(isOpen, onviewed) {
    this.#onviewed = onviewed;
    this.#details.open = isOpen;
    this.#details.addEventListener("toggle", () => this.#draw());
  }

  /** Opens the fold, and moves the keyboard focus to it. */
  reveal() {
    this.#details.open = true;
    this.item.scrollIntoView({ block: "start" });
    this.#details.querySelector("summary")?.focus({ preventScroll: true });
  }

  #view() {
    this.#details.open = !this.#isViewed.checked;
    if (this.#file) this.#onviewed(this.#file, this.#isViewed.checked);
  }

  /** @param {FileChanges} file @param {boolean} isViewed */
  show(file, isViewed) {
    this.#isViewed.checked = isViewed;
    if (this.#file === file) return;
    if (!this.#file) {
      this.#name.append(...pathNodes(file.path));
      say(this.#what, `: ${file.path}`, line);
    }
    this.#file = file;
    write(this.#kind, file.isNew ? t`new` : "");
    this.#measure.replaceChildren(lineCounts(file.added, file.removed));
    this.#draw();
  }

  #draw() {
    const file = this.#file;
    if (!this.#details.open || !file || this.#drawn === file) return;
    this.#drawn = file;
    this.#body.replaceChildren(...file.parts.flatMap((part, index) => partNodes(part, file, index)));
  }
}

/** @param {import("../changed-files.js").Part} part @param {FileChanges} file @param {number} index @returns {HTMLElement[]} */
function partNodes({ edits, lines }, { path, parts }, index) {
  const at = timeOfDay(edits[0].at);
  const heading = parts.length > 1 ? h("p", { class: "block-name" }, edits.length > 1 ? t`From ${at}, ${edits.length} edits` : at) : null;
  const change = edits.length === 1 ? changeOf(edits[0].body) : null;
  const words = change ? changeWords(change) : null;
  const notes = [
    parts.length > 1 && index > 0 ? t`This does not fit the diff above, so it is shown separately.` : "",
    edits.length > 1 ? t`${plural(edits.length, "edit")} in one. What other programs changed between them is not in it.` : "",
    words && change && !["edits", "new"].includes(change.file) ? `${words.title}.` : "", words?.detail ?? "",
    !lines ? (words?.detail ? "" : t`The host sent no diff of it.`) : lines.length ? "" : t`Nothing is left of it: it was changed back.`,
  ].filter(Boolean);
  return [
    ...(heading ? [heading] : []), ...(notes.length ? [h("p", { class: "quiet foreign" }, nodes(line(notes.join(" "))))] : []),
    ...(lines?.length ? diffNodes(lines, path, index) : []),
  ];
}

/** @param {import("../diff.js").Line[]} lines @param {string} path @param {number} index @returns {HTMLElement[]} */
function diffNodes(lines, path, index) {
  const name = index ? t`Diff of ${path}, part ${index + 1}` : t`Diff of ${path}`;
  const box = h("div", {}, diffBlock(lines.slice(0, linesAtOnceMax), { name, scrolls: false, words: true }));
  if (lines.length <= linesAtOnceMax) return [box];
  let shown = linesAtOnceMax;
  const words = () => t`Show ${Math.min(linesAtOnceMax, lines.length - shown)} of ${lines.length - shown} more lines`;
  const more = h("button", { type: "button", class: "plain", onclick: () => {
    box.append(diffBlock(lines.slice(shown, shown + linesAtOnceMax), { name: t`${name}, from line ${shown + 1}`, scrolls: false, words: true }));
    shown += linesAtOnceMax;
    if (shown < lines.length) write(more, words());
    else more.remove();
  } }, words());
  return [box, more];
}

/** @param {Log} log @param {number} files @param {boolean} isWhole @param {number} oldest */
function noteOf({ edits }, files, isWhole, oldest) {
  const cut = edits.isCut ? t`Only the last ${count(editsMax)} edits, or ${size(editCharactersMax)} of them, are kept here: what came before is left out.` : "";
  const many = files > filesMax ? t`Only the last ${filesMax} files are listed.` : "";
  const before = isWhole ? (oldest > 1 ? t`The relay keeps nothing from before these.` : "") : cut ? "" : t`Read from event ${edits.first.toLocaleString(language.tag)} on.`;
  const none = files ? "" : isWhole ? t`No file was changed, as far as the agent's host was told.` : t`None in what was read so far.`;
  return [none, cut, many, before].filter(Boolean).join(" ");
}

customElements.define("session-changes", SessionChanges);
