/**
 * `<file-finder>`: sessions by the files that they changed, below those whose own words fit. This device reads their last events for it, as the
 * relay cannot read what is sealed; only when somebody asks for that, as it is much to read.
 */

import { asText, attribute, h, say, span, write } from "../dom.js";
import { plural, t } from "../language.js";
import { readBack } from "../reading-back.js";
import { titleOf } from "../session-words.js";
import { line } from "../text.js";
import { pathNodes } from "./blocks.js";

/** @typedef {import("../wire").Summary} Summary */
/** @typedef {{seq: number, paths: Set<string>}} Read Paths found in a session, read up to event `seq`. */

/** Minimum number of characters: shorter words fit too many files. */
const charactersMin = 3;
/** Maximum number of hits shown. */
const hitsMax = 30;
/** Sessions that are read at a tap, the latest first, and the last events of each. */
const sessionsAtOnce = 20;
const eventsMax = 1_000;
/** Paths that are kept of a session. */
const pathsMax = 1_000;

export class FileFinder extends HTMLElement {
  #app = /** @type {import("./view.js").App} */ (/** @type {unknown} */ (undefined));
  /** @type {string[]} */ #words = [];
  /** @type {Map<string, Read>} By session. */ #read = new Map();
  #isReading = false;
  #drawn = "";
  #failed = false;
  #heading = h("h3", {}, t`Changed files`);
  #hits = h("ul", { "aria-label": t`Changed files` });
  #none = h("p", { class: "quiet", role: "status" });
  #more = h("button", { type: "button", class: "plain", onclick: () => this.#readOn() });

  connectedCallback() {
    if (!this.firstChild) this.append(this.#heading, this.#hits, this.#none, this.#more);
  }

  /** @param {import("./view.js").App} app @param {string} words */
  show(app, words) {
    this.#app = app;
    const isAsked = words.trim().length >= charactersMin;
    this.#words = isAsked ? words.toLowerCase().split(/\s+/).filter(Boolean) : [];
    attribute(this, "hidden", !isAsked);
    if (isAsked) this.#draw();
  }

  /** @param {Summary} summary @returns {string|undefined} The fitting file that was changed last. */
  #hit({ session, file }) {
    const edits = this.#app.state.logs.get(session)?.edits.all ?? [];
    const paths = [file ?? "", ...edits.map(({ head }) => asText(head.path)).reverse(), ...(this.#read.get(session)?.paths ?? [])];
    return paths.find((path) => path && this.#words.every((word) => path.toLowerCase().includes(word)));
  }

  /** @param {Summary} summary True if the session changed files and has events that were not read. */
  #isUnread = ({ session, seq, file, linesAdded, linesRemoved }) => (file !== undefined || linesAdded + linesRemoved > 0) && (this.#read.get(session)?.seq ?? 0) < seq;

  get #latest() {
    return [...this.#app.state.sessions.values()].sort((a, b) => b.lastActivityAt - a.lastActivityAt);
  }

  #draw() {
    const all = this.#latest;
    const hits = all.flatMap((summary) => {
      const path = this.#hit(summary);
      return path ? [{ summary, path }] : [];
    }).slice(0, hitsMax);
    const unread = all.filter(this.#isUnread).length;
    attribute(this, "data-found", hits.length > 0);
    attribute(this.#hits, "hidden", !hits.length);
    const drawn = JSON.stringify(hits.map(({ summary, path }) => [summary.session, path, titleOf(summary)]));
    // Unchanged hits are not redrawn, so that a link stays under the finger.
    if (drawn !== this.#drawn) this.#hits.replaceChildren(...hits.map(({ summary, path }) => {
      const title = span("row-title foreign");
      say(title, titleOf(summary), line);
      return h("li", {}, h("a", { href: `#/session/${summary.session}/changes` }, title, span("path foreign exact", ...pathNodes(path))));
    }));
    this.#drawn = drawn;
    const read = [...this.#read.keys()].filter((session) => this.#app.state.sessions.has(session)).length;
    write(this.#none, this.#failed ? t`What came before could not be read. Try it again.` : hits.length || !read || this.#isReading ? "" : t`None in what ${plural(read, "session")} changed last.`);
    attribute(this.#more, "hidden", !unread && !this.#isReading);
    attribute(this.#more, "disabled", this.#isReading || !this.#app.link.isLive);
    write(this.#more, this.#isReading ? t`Reading …` : t`Search the files of ${plural(Math.min(unread, sessionsAtOnce), "session")}`);
    attribute(this, "hidden", !hits.length && !unread && !read);
  }

  async #readOn() {
    [this.#isReading, this.#failed] = [true, false];
    try {
      for (const summary of this.#latest.filter(this.#isUnread).slice(0, sessionsAtOnce)) {
        this.#draw();
        await this.#readSession(summary);
      }
    } catch {
      this.#failed = true;
    }
    this.#isReading = false;
    this.#draw();
  }

  /** @param {Summary} summary */
  async #readSession({ session, seq }) {
    const held = this.#read.get(session);
    const until = Math.max(held?.seq ?? 0, seq - eventsMax);
    /** @type {string[]} */
    const found = [];
    await readBack(this.#app, session, seq + 1, (first, events) => {
      for (const { kind, head } of [...events].reverse()) if (kind === "file.changed") found.push(asText(head.path));
      return first > until + 1;
    });
    this.#read.set(session, { seq, paths: new Set([...found, ...(held?.paths ?? [])].slice(0, pathsMax)) });
  }
}

customElements.define("file-finder", FileFinder);
