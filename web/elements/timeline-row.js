/** One row of a session's timeline, drawn from its event. An agent's output only ever becomes text and safe elements. */

import { asText, attribute, h, nodes, say, span, write } from "../dom.js";
import { decider, deed } from "../approvals.js";
import { crossingWords } from "../budget-words.js";
import { changeOf, changeWords } from "../changes.js";
import { parsed } from "../diff.js";
import { duration, runningFor, timeOfDay } from "../format.js";
import { language, pieces, t } from "../language.js";
import { shownEvent } from "../shown.js";
import { keyOf } from "../store.js";
import { namesIn, narrowestRule } from "../rules.js";
import { known } from "../timeline.js";
import { calm, line, ordered } from "../text.js";
import { isSaid } from "../tools.js";
import { diffBlock, lineCounts, outputBlock, pathNodes, reachable } from "./blocks.js";
import { changeBlocks } from "./edit-form.js";
import { markdownToRead } from "./markdown.js";
import { pictureList } from "./picture-list.js";
import { requestBlocks } from "./request-blocks.js";
import { authorOf, steeringRow } from "./steering-row.js";
import { threadFold } from "./thread-fold.js";

/** @typedef {import("../timeline.js").Row} Row */
/** @typedef {import("../wire").Event} Event */

/** Characters after which a message is folded, with a button for the rest: about four screens of a phone. */
const messageCharactersMax = 6000;

/** @type {WeakMap<Element, (row: Row) => void>} Functions that redraw a changed row. */
const updates = new WeakMap();
/** @type {WeakMap<Element, (thread: import("../timeline.js").Thread) => void>} Functions that redraw the thread below a row. */
const threads = new WeakMap();
/** @type {WeakMap<Element, (now: number|null) => void>} Functions that update a row's running time. */
const clocks = new WeakMap();
/** @type {Set<HTMLElement>} Rows whose tool is running. */
const running = new Set();

/** @param {Row} row @param {string} session @param {import("./steering-row.js").Hands} hands @returns {HTMLElement} */
export function drawRow(row, session, hands) {
  const { event } = row;
  const item = h("div", { class: "event", role: "listitem", "data-kind": event.kind, "data-key": row.key });
  const time = h("time", { datetime: isoTime(event.at) }, timeOfDay(event.at));
  const body = h("div", { class: "event-body" });
  item.append(time, body);
  // A thread whose start is unknown or names no tool call has nothing else to show.
  if (row.subagent && !event.kind.startsWith("tool.")) {
    drawThread(item, row, session, hands);
    return item;
  }
  switch (event.kind) {
    case "message":
      body.append(...message(row, hands.me));
      attribute(item, "data-role", asText(event.head.role));
      break;
    case "steering.requested": {
      const { parts, update } = steeringRow(row, item, hands);
      body.append(...parts);
      attribute(item, "data-action", asText(event.head.action));
      updates.set(item, update);
      break;
    }
    case "tool.started":
    case "tool.finished":
      body.append(...tool(row, item));
      break;
    case "file.changed":
      body.append(file(event));
      break;
    case "approval.requested":
      body.append(approval(row, item, session, hands));
      break;
    default:
      body.append(h("p", { class: "event-note foreign" }, nodes(line(note(event)))));
      if (!known.has(event.kind) && event.kind !== "status.changed") attribute(item, "data-unsupported", true);
  }
  if (row.subagent) drawThread(item, row, session, hands);
  return item;
}

/** @param {HTMLElement} item @param {Row} row @param {string} session @param {import("./steering-row.js").Hands} hands */
export function redrawRow(item, row, session, hands) {
  updates.get(item)?.(row);
  if (row.subagent) drawThread(item, row, session, hands);
}

/**
 * Updates the running time of all running rows.
 * @param {number|null} now Null if the session is idle.
 */
export function tickRows(now) {
  for (const item of running) {
    if (item.isConnected) clocks.get(item)?.(now);
    else running.delete(item);
  }
}

/** @param {HTMLElement} item @param {Row} row @param {string} session @param {import("./steering-row.js").Hands} hands */
function drawThread(item, row, session, hands) {
  const thread = /** @type {import("../timeline.js").Thread} */ (row.subagent);
  let update = threads.get(item);
  if (!update) {
    const fold = threadFold(hands.openThreads, {
      draw: (one) => drawRow(one, session, hands), redraw: (drawn, one) => redrawRow(drawn, one, session, hands),
    });
    item.querySelector(":scope > .event-body")?.append(fold.element);
    update = fold.update;
    threads.set(item, update);
  }
  update(thread);
}

/**
 * Null for a time outside the range of `Date`, which would throw.
 * @param {number} at
 */
const isoTime = (at) => (Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : null);

/** @param {Row} row @param {string} me @returns {HTMLElement[]} */
function message({ event: { head, body }, prompt, within }, me) {
  const text = asText(body?.text ?? head.summary);
  const speaker = { user: t`You`, assistant: t`Agent`, thought: t`Thought` }[asText(head.role)] ?? asText(head.role);
  const words = h("div", { class: "words foreign", dir: "auto" });
  const label = span("speaker foreign");
  // The "user" of a subagent's task is the agent that started the subagent.
  say(label, prompt ? authorOf(prompt, me) : within ? withinSpeaker(within.name, asText(head.role)) : speaker, line);
  // Pictures of a prompt come from the client's command, because the agent's message has only text; at a session's start the host sends them with the message.
  const pictures = pictureList((prompt?.event.body ?? body)?.pictures);
  // A person's text is shown as typed, not as Markdown.
  const drawn = (/** @type {string} */ part) => (head.role === "user" ? nodes(calm(part)) : markdownToRead(part));
  if (text.length <= messageCharactersMax) {
    words.append(drawn(text));
    return pictures ? [label, pictures, words] : [label, words];
  }
  words.append(drawn(text.slice(0, messageCharactersMax)), "…");
  const more = h("button", { type: "button", class: "plain", onclick: () => { words.replaceChildren(drawn(text)); more.remove(); } },
    t`Show all ${text.length.toLocaleString(language.tag)} characters`);
  return pictures ? [label, pictures, words, more] : [label, words, more];
}

/** @param {string} name @param {string} role */
const withinSpeaker = (name, role) => (role === "user" ? t`To ${name}` : role === "thought" ? t`${name}, thought` : name);

/**
 * A fold whose content is created when it is first opened.
 * @param {string|Node} title @param {() => (Node|string|false|null)[]} fill
 */
function fold(title, fill) {
  const details = h("details", { class: "fold" }, h("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(h("div", { class: "fold-body" }, ...fill()));
  });
  return details;
}

/** @param {Row} row @param {HTMLElement} item */
function tool(row, item) {
  const [name, operation, state, took] = [span("tool-name foreign"), span("tool-operation foreign exact"), span("unseen"), span("")];
  const result = span("tool-result", state, took);
  const tail = reachable(h("pre", { class: "tool-tail foreign" }), t`Output so far`);
  let current = row;
  /** @type {string|undefined} The output that the tail shows. */ let printed;
  /** @type {unknown} The state that the open fold shows. */ let filled;
  const details = fold(span("tool-line", toolMark(), name, operation, result), () => toolContent(current));
  const update = (/** @type {Row} */ changed) => {
    current = changed;
    const finished = changed.end ?? (changed.event.kind === "tool.finished" ? changed.event : null);
    const { head } = changed.event;
    say(name, asText(head.tool), line);
    say(operation, asText(head.operation ?? finished?.head.summary), ordered);
    attribute(name, "hidden", Boolean(operation.textContent) && isSaid(asText(head.tool)));
    attribute(name, "class", `${deeds.test(operation.textContent ?? "") ? "unseen" : "tool-name"} foreign`);
    attribute(item, "data-state", changed.denied ? "denied" : finished ? (finished.head.ok ? "ok" : "failed") : changed.isCut ? "cut" : changed.waitsFor ? "waiting" : "running");
    if (item.dataset.state === "running") running.add(item);
    else running.delete(item);
    write(state, finished || changed.denied || changed.isCut || changed.waitsFor ? "" : t`running `);
    attribute(result, "class", finished?.head.ok && !changed.denied && !tookOf(finished.head) ? "tool-result unseen" : "tool-result");
    write(took, changed.denied ? t`denied` : finished ? resultOf(finished) : changed.isCut ? t`not finished` : changed.waitsFor ? t`waits` : "…");
    attribute(tail, "hidden", Boolean(finished || changed.denied || changed.isCut || !changed.output));
    if (changed.output !== printed) {
      // The tail follows new output unless the reader has scrolled up.
      const isFollowed = tail.scrollHeight - tail.scrollTop - tail.clientHeight < 8;
      printed = changed.output;
      say(tail, printed ?? "", calm);
      if (isFollowed) tail.scrollTop = tail.scrollHeight;
    }
    // An open fold that shows only the input is redrawn once the output has arrived.
    const content = finished ?? (changed.isCut || changed.waitsFor);
    if (changed.version && content !== filled) {
      const body = details.querySelector(".fold-body");
      if (details.open) body?.replaceChildren(...toolContent(changed).filter(isNode));
      else body?.remove();
    }
    filled = content;
  };
  clocks.set(item, (now) => {
    const milliseconds = now === null ? 0 : now - (current.since ?? current.event.at);
    write(state, now === null ? t`no end was told ` : t`running `);
    write(took, now === null ? t`no end told` : milliseconds < 2000 ? "…" : `${runningFor(milliseconds)} …`);
  });
  update(row);
  updates.set(item, update);
  return [details, tail];
}

/** First words of a host's summary that already name the tool's action, so that the tool's name is omitted. */
const deeds = /^(?:Editing|Reading|Writing|Running|Searching|Listing|Fetching|Updating|Looking)\b/;

/** The style sheet draws the sign for the tool's state: running, done, failed, or a file. */
const toolMark = () => h("span", { class: "tool-mark", "aria-hidden": "true" });

/** @param {Node|string|false|null} child @returns {child is Node|string} */
const isNode = (child) => child !== false && child !== null;

/** @param {Event} finished */
function resultOf({ head }) {
  if (!head.ok) return typeof head.exit === "number" ? t`exit ${head.exit}` : t`failed`;
  return tookOf(head) || t`done`;
}

/** The duration below which a tool call is shown without it: among dozens of calls, only slow ones are worth a number. */
const toldFromMs = 1_000;

/** @param {import("../wire").Fields} head */
const tookOf = (head) => (typeof head.durationMs === "number" && head.durationMs >= toldFromMs ? duration(head.durationMs) : "");

/** @param {Row} row @returns {(Node|string|false|null)[]} */
function toolContent({ event, end, waitsFor, isCut }) {
  const finished = event.kind === "tool.finished" ? event : end;
  const started = event.kind === "tool.started" ? event : null;
  const { elements, agentSays } = started?.body ? requestBlocks(asText(started.head.tool), started.body) : { elements: [], agentSays: "" };
  const output = finished?.body?.output;
  return [
    started?.head.redacted && h("p", { class: "note" }, t`Values that look like secrets were replaced by ⟨redacted⟩.`),
    started && !started.body && h("p", { class: "quiet" }, t`The input is not included.`),
    ...elements,
    agentSays && h("p", { class: "quiet foreign" }, ...pieces`The agent says: ${nodes(line(agentSays))}`),
    output !== undefined && output !== null && h("p", { class: "block-name" }, t`Output`),
    output !== undefined && output !== null && outputBlock(asText(output) || t`(empty)`, t`Output`),
    finished && !finished.head.ok && tookOf(finished.head) && h("p", { class: "quiet" }, t`It took ${tookOf(finished.head)}.`),
    !finished && h("p", { class: "quiet" }, isCut ? t`The agent ended before it was finished.` : waitsFor ? t`It waits for a decision.` : t`It has not ended, as far as was told.`),
    finished && output == null && h("p", { class: "quiet" }, t`No output is included.`),
  ];
}

/** @param {Event} event */
function file({ head, body }) {
  const [added, removed] = [Number(head.added) || 0, Number(head.removed) || 0];
  const title = span("tool-line", toolMark(), span("unseen", t`File`, " "), span("tool-operation path foreign exact", ...pathNodes(asText(head.path))),
    span("tool-result", lineCounts(added, removed)));
  const change = changeOf(body);
  if (change && ["new", "overwrites", "unchanged"].includes(change.file)) title.append(span("quiet", changeWords(change).title));
  if (typeof body?.diff !== "string" || !body.diff) return h("p", { class: "fold-like" }, title);
  return fold(title, () => [diffBlock(parsed(body.diff), { name: t`Diff of ${asText(head.path)}`, words: true })]);
}

/** @param {Row} row @param {HTMLElement} item @param {string} session @param {import("./steering-row.js").Hands} hands */
function approval(row, item, session, hands) {
  const request = shownEvent(row.event, session, row.event.head.approval);
  const { head } = request;
  let shown = row;
  const [result, link] = [h("span"), h("a", { href: `#/approvals/${keyOf({ session, approval: head.approval })}` }, t`Review`)];
  const [rule] = row.event.head.rule?.decision === "allow" ? namesIn(row.event.head.rule.name) : [];
  const isAsked = !row.event.head.rule && narrowestRule(request, { session, folder: "/" }, []) !== "";
  const about = hands.maySteer && (rule ? h("p", {}, h("a", { href: `#/rules/${session}/${rule}` }, t`Take the rule back …`))
    : isAsked && h("p", {}, h("a", { href: `#/rules/new/${session}/${head.approval}` }, t`Always allow this here …`)));
  const details = fold(span("event-approval-words",
    span("event-approval-line", h("strong", {}, head.kind === "question" ? t`Question` : t`Approval`), " ", result,
      head.agent ? span("foreign", nodes(line(` · ${asText(head.agentName) || t`a subagent`}`))) : null),
    span("event-approval-title foreign", nodes((head.kind === "question" ? line : ordered)(asText(head.title) || asText(head.tool))))),
  () => [...approvalContent(request), ...(shown.decision?.edit ? changeBlocks({ request }, shown.decision.edit) : []), about]);
  const update = (/** @type {Row} */ changed) => {
    shown = changed;
    const stage = changed.end?.kind.slice("approval.".length) ?? "requested";
    attribute(item, "data-stage", stage);
    say(result, stageWords(changed), line);
    attribute(link, "hidden", stage !== "requested");
  };
  update(row);
  updates.set(item, update);
  return h("div", { class: "event-approval" }, details, link);
}

/** @param {Event} request @returns {(Node|string|false|null)[]} */
function approvalContent({ head, body }) {
  const cut = head.cut && h("p", { class: "note" }, t`This text was cut on the way.`);
  if (head.kind !== "question") return [cut, ...requestBlocks(asText(head.tool), body).elements];
  const questions = Array.isArray(body?.questions) ? /** @type {any[]} */ (body?.questions) : [];
  return questions.map((/** @type {any} */ question) => h("p", { class: "foreign" }, nodes(calm(asText(question?.text)))));
}

/** @param {Row} row */
function stageWords({ end, decision }) {
  const by = (/** @type {string} */ words) => (decision?.by?.name ? t`${words} by ${decider(decision.by)}` : words);
  const isRuled = decision?.by?.client === "rule";
  if (!end || (isRuled && end.kind === "approval.delivered")) return decision ? by(deed(decision.decision)) : t`waiting`;
  if (end.kind === "approval.decided") return by(decision ? deed(decision.decision) : t`decided`);
  if (end.kind === "approval.applied") {
    return { ran: t`${by(decision?.edit ? deed(decision.decision) : t`allowed`)}, ran`, denied: by(t`denied`), answered: by(t`answered`) }[asText(end.head.outcome)] ?? t`applied`;
  }
  const stage = end.kind.slice("approval.".length);
  return { delivered: t`delivered`, expired: t`expired`, cancelled: t`cancelled`, stale: t`stale` }[stage] ?? stage;
}

/** @param {Event} event @returns {string} */
function note({ kind, head, body }) {
  switch (kind) {
    case "session.started":
      return `${head.resumed ? t`Session resumed` : t`Session started`}: ${[asText(head.agent?.name), asText(head.model)].filter(Boolean).join(", ")}`;
    case "session.ended":
      return `${head.failed ? t`Session failed` : t`Session ended`}${head.reason ? `: ${asText(head.reason)}` : ""}`;
    case "status.changed":
      return t`Failed: ${asText(head.reason)}`;
    case "budget.crossed":
      return crossingWords(head);
    case "steering.typed":
      return t`${asText(head.by?.name)} typed at the terminal`;
    case "error":
      return head.recoverable ? t`Error: ${asText(head.message)} (it goes on)` : t`Error: ${asText(head.message)}`;
    case "truncated":
      // No count means that the machine crashed, and its last events may not have reached its disk.
      if (!head.count) return t`Events may be missing here: the host could not keep them`;
      return head.count === 1 ? t`1 event is missing here: the host could not keep it` : t`${head.count} events are missing here: the host could not keep them`;
    case "sealing":
      return asText(head.words);
    case "rewound":
      return asText(body?.text) ? t`The conversation was rewound to “${asText(body?.text)}”: what was said after that point no longer counts`
        : t`The conversation was rewound: what was said after that point no longer counts`;
    default:
      return t`Unsupported event ${kind}`;
  }
}
