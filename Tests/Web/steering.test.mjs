import assert from "node:assert/strict";
import { test } from "node:test";
import { isFreer, modeQuestion } from "../../web/modes.js";
import { can, canGoAgain, failureWords, measure, nearby, outcomeWords, promptBytesMax, promptsOf, readingOf, standing } from "../../web/steering.js";
import { Timeline } from "../../web/timeline.js";

const may = ["watch", "decide", "steer"];
const summary = (more = {}) => ({ status: "idle", host: { name: "laptop", connected: true }, steering: { actions: ["prompt", "interrupt"] }, ...more });
const event = (kind, head = {}, body) => ({ kind, at: 1, head, body });
const asked = (command, text, more = {}) => event("steering.requested", { action: "prompt", command, by: { id: "me", name: "Ada's phone" }, ...more }, { text });
const changed = (command, stage, reason) => event("steering.changed", { client: "me", command, stage, reason });

test("who has no right is told how to get it, unless nobody could send anything any more", () => {
  assert.deepEqual(standing(["watch", "decide"], summary(), true), { composes: false, reason: "To steer it:", command: "heliograph pair --role operator" });
  assert.deepEqual(standing(["watch", "decide"], summary({ endedAt: 1 }), true), { composes: false, reason: "" });
});

test("a session that takes nothing says why in its host's words, where it has some", () => {
  assert.match(standing(may, summary({ steering: undefined }), true).reason, /does not take it/);
  assert.equal(standing(may, summary({ steering: { actions: [], reason: "Start it with heliograph claude." } }), true).reason, "Start it with heliograph claude.");
  assert.match(standing(may, summary({ endedAt: 1 }), true).reason, /ended/);
});

test("while the link or the host is away one may go on writing, and nothing can be sent", () => {
  assert.deepEqual(standing(may, summary(), true), { composes: true, reason: "" });
  const away = summary({ host: { name: "laptop", connected: false } });
  assert.ok(standing(may, away, true).composes && /laptop is offline/.test(standing(may, away, true).reason));
  assert.ok(standing(may, summary(), false).composes && /No connection/.test(standing(may, summary(), false).reason));
  assert.equal(can(may, summary(), true, "interrupt"), true);
  for (const [one, isLive] of [[away, true], [summary(), false], [summary({ endedAt: 1 }), true]]) assert.equal(can(may, one, isLive, "interrupt"), false);
  assert.equal(can(["watch"], summary(), true, "interrupt"), false);
  assert.equal(can(may, summary(), true, "stop"), false);
});

test("the length is counted in bytes, aloud only near the end, and not one byte too many is sent", () => {
  assert.deepEqual(measure("short"), { words: "", isTooLong: false });
  assert.equal(measure("x".repeat(promptBytesMax)).isTooLong, false);
  assert.match(measure("x".repeat(promptBytesMax)).words, / of 32\.8 kB/);
  assert.equal(measure("x".repeat(promptBytesMax + 1)).isTooLong, true);
  assert.equal(measure("é".repeat(promptBytesMax / 2)).isTooLong, false);
  assert.equal(measure("é".repeat(promptBytesMax / 2 + 1)).isTooLong, true);
  assert.match(measure("x".repeat(24_000), true).words, / of 24\.5 kB/);
  assert.equal(measure("x".repeat(24_481), true).isTooLong, true);
});

test("what looks like a command is said to be text, unless it was chosen as one", () => {
  assert.match(readingOf("/compact", false), /Sent as text/);
  assert.match(readingOf("  /compact", false), /Sent as text/);
  assert.match(readingOf("!ls", false), /nothing of it is run/);
  assert.match(readingOf("/compact please", true), /Runs the agent's command \/compact\./);
  assert.equal(readingOf("see a/b", false), "");
});

test("more freedom is asked twice, and so is a mode that nobody here knows", () => {
  for (const [from, to, expected] of [
    ["plan", "default", false], ["default", "plan", false], ["default", "acceptEdits", true], ["acceptEdits", "bypassPermissions", true],
    ["bypassPermissions", "acceptEdits", false], [undefined, "acceptEdits", true], ["default", "turbo", true], ["turbo", "acceptEdits", true], ["turbo", "default", false],
  ]) assert.equal(isFreer(from, to), expected, `${from} → ${to}`);
  assert.match(modeQuestion("acceptEdits"), /edits without asking/);
  assert.match(modeQuestion("turbo"), /not known here/);
});

test("a prompt is one row, from the request to its outcome, and the first outcome stands", () => {
  const timeline = new Timeline(1, [asked("c", "do it"), changed("c", "queued"), changed("c", "given"), changed("c", "unknown", "no evidence"), changed("c", "taken")]);
  assert.equal(timeline.rows.length, 1);
  assert.equal(outcomeWords(timeline.rows[0]), "Nobody knows whether the agent took it: no evidence");
  assert.equal(canGoAgain(timeline.rows[0]), true);
});

test("what is told of a command that is not loaded is no row", () => {
  assert.equal(new Timeline(7, [changed("c", "taken")]).rows.length, 0);
});

test("a prompt that became the user's message is not shown twice, whichever is told first", () => {
  const said = event("message", { role: "user" }, { text: "do it\n    twice" });
  for (const events of [[asked("c", "do it  \r\n\ttwice\n"), changed("c", "taken"), said], [asked("c", "do it  \r\n\ttwice\n"), said, changed("c", "taken")]]) {
    const [prompt, message] = new Timeline(1, events).rows;
    assert.equal(prompt.said, message);
    assert.equal(message.prompt, prompt);
    assert.equal(message.change.head.stage, "taken");
  }
});

test("of two equal prompts each becomes a message of its own; one that was refused or belongs to a subagent becomes none", () => {
  const said = (more = {}) => event("message", { role: "user", ...more }, { text: "go" });
  const timeline = new Timeline(1, [asked("a", "go"), changed("a", "refused"), asked("b", "go"), asked("c", "go"), said({ agent: "x" }), said(), said(), said()]);
  assert.deepEqual(timeline.prompts.map((row) => row.said?.seq), [undefined, 6, 7]);
  assert.equal(timeline.row("e:8").prompt, undefined);
});

test("an outcome that nobody knows is known once the text stands in the conversation", () => {
  const timeline = new Timeline(1, [asked("c", "go"), changed("c", "unknown"), event("message", { role: "user" }, { text: "go" })]);
  assert.match(outcomeWords(timeline.rows[0]), /is in the conversation/);
  assert.equal(canGoAgain(timeline.rows[0]), false);
});

test("near where one writes stand prompts without an outcome, of everybody, and one's own last that failed", () => {
  const other = { by: { id: "other", name: "Ben" } };
  const { prompts } = new Timeline(1, [
    asked("a", "failed long ago"), changed("a", "refused"), asked("b", "waits"), changed("b", "queued"), asked("c", "of Ben", other), asked("d", "taken"), changed("d", "taken"),
    asked("e", "failed"), changed("e", "unknown"),
  ]);
  assert.deepEqual(nearby(prompts, "me").map(({ event: { body } }) => body.text), ["waits", "of Ben", "failed"]);
  assert.deepEqual(nearby(prompts, "other").map(({ event: { body } }) => body.text), ["waits", "of Ben"]);
});

test("a failure says what to do", () => {
  assert.match(failureWords({ code: "linkLost", message: "x" }), /one effect/);
  assert.equal(failureWords({ code: "unavailable", message: "the host is gone" }), "Not sent: the host is gone.");
});

test("what an agent was told is there again, the newest first and each once", () => {
  const timeline = new Timeline(1, [event("message", { role: "user" }, { text: "Fix it" }), event("message", { role: "assistant" }, { text: "Done" }), asked("c1", "Now test it"), event("message", { role: "user" }, { text: "Fix it" }),
    event("message", { role: "user" })]);
  assert.deepEqual(promptsOf(timeline.rows), ["Fix it", "Now test it"]);
});
