/** A subagent's rows as a fold: a line with its state, and the rows below. */

import { asText, attribute, h, say, span, write } from "../dom.js";
import { plural, t } from "../language.js";
import { line } from "../text.js";
import { markdownToRead } from "./markdown.js";

/** @typedef {import("../timeline.js").Row} Row */
/** @typedef {import("../timeline.js").Thread} Thread */

/** The newest rows that an opened thread shows at first; older ones follow on demand, as many at a time. */
const rowsAtOnceMax = 100;

const stateWords = { running: t`working`, finished: t`done`, stopped: t`stopped` };

/**
 * @param {Set<string>} open Subagents whose threads are unfolded, so that a rebuilt fold keeps its state.
 * @param {{draw: (row: Row) => HTMLElement, redraw: (item: HTMLElement, row: Row) => void}} rows
 * @returns {{element: HTMLElement, update: (thread: Thread) => void}}
 */
export function threadFold(open, { draw, redraw }) {
  const [name, state, doing] = [span("thread-name foreign"), span("thread-state"), span("thread-doing foreign")];
  const list = h("div", { class: "thread-rows", role: "list" });
  const before = h("button", { type: "button", class: "plain small", hidden: true, onclick: () => showMore() });
  const said = h("div", { class: "thread-said" });
  const element = h("details", { class: "fold thread" }, h("summary", {}, span("thread-line", name, state, doing)), before, list, said);
  /** @type {Map<string, {item: HTMLElement, version: number}>} The drawn rows by key. */ const drawn = new Map();
  /** @type {Thread|undefined} */ let thread;
  /** Index of the first drawn row. */ let first = 0;
  /** @type {unknown} */ let saidIn;

  const showMore = () => {
    first = Math.max(0, first - rowsAtOnceMax);
    fill();
  };
  const fill = () => {
    if (!thread || !element.open) return;
    if (!drawn.size) first = Math.max(0, thread.rows.length - rowsAtOnceMax);
    /** @type {Element|null} */ let at = list.firstElementChild;
    for (const row of thread.rows.slice(first)) {
      const held = drawn.get(row.key);
      if (held) {
        if (held.version !== row.version) redraw(held.item, row);
        held.version = row.version;
        at = held.item.nextElementSibling;
      } else {
        const item = draw(row);
        list.insertBefore(item, at);
        drawn.set(row.key, { item, version: row.version });
      }
    }
    attribute(list, "aria-label", t`What ${thread.name} does`);
    attribute(before, "hidden", first === 0);
    write(before, t`Show ${Math.min(first, rowsAtOnceMax)} before these`);
    if (saidIn === thread.end) return;
    saidIn = thread.end;
    const text = asText(thread.end?.body?.text);
    said.replaceChildren(...(text ? [h("p", { class: "speaker" }, t`What it said in the end`), h("div", { class: "words foreign", dir: "auto" }, markdownToRead(text))] : []));
  };
  element.addEventListener("toggle", () => {
    if (!thread) return;
    if (element.open) open.add(thread.agent);
    else open.delete(thread.agent);
    fill();
  });
  return {
    element,
    update: (changed) => {
      const isFirst = !thread;
      thread = changed;
      if (isFirst && open.has(changed.agent)) element.open = true;
      attribute(element, "data-thread", changed.state);
      say(name, changed.name, line);
      write(state, `${stateWords[changed.state]}${changed.calls ? `, ${plural(changed.calls, "step")}` : ""}`);
      const last = changed.rows.filter(({ event }) => event.kind.startsWith("tool.")).at(-1);
      say(doing, changed.state === "running" ? asText(last?.event.head.operation) : "", line);
      fill();
    },
  };
}
