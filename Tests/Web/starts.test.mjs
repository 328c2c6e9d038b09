import assert from "node:assert/strict";
import { test } from "node:test";
import { likeliest, outcomeOf, placesOf, startObstacle } from "../../web/starts.js";
import { apply, emptyState } from "../../web/store.js";

const may = ["watch", "decide", "steer"];
const agents = [{ name: "claude", title: "Claude Code", modes: ["plan"] }];
const desk = (session, host, projects, more = {}) => ({
  session, seq: 2, host: { name: host, connected: true }, steering: { actions: ["start"], projects: projects.map((name) => ({ name, folder: `~/${name}` })), agents }, ...more,
});
const changed = (command, stage, head = {}, body) => ({ kind: "steering.changed", at: 1, head: { client: "me", command, stage, ...head }, body });

test("projects of all hosts stand in an order that stays", () => {
  const hosts = new Map([["b", desk("b", "laptop", ["site", "api"])], ["a", desk("a", "desk", ["site"])]]);
  assert.deepEqual(placesOf(hosts).map(({ key }) => key), ["b/api", "a/site", "b/site"]);
});

test("why nothing can be started is said in one sentence", () => {
  const [place] = placesOf(new Map([["a", desk("a", "laptop", ["site"])]]));
  assert.equal(startObstacle(may, place, true), "");
  assert.match(startObstacle(["watch"], place, true), /--role operator/);
  assert.match(startObstacle(may, undefined, true), /projects add/);
  assert.match(startObstacle(may, place, false), /No connection/);
  assert.match(startObstacle(may, { ...place, connected: false }, true), /laptop is offline/);
  assert.match(startObstacle(may, { ...place, agents: [] }, true), /no agent/);
});

test("where one worked last is what comes first", () => {
  const places = placesOf(new Map([["b", desk("b", "laptop", ["api", "site"])]]));
  const session = (project, lastActivityAt, host = "laptop") => ({ project, host: { name: host }, agent: { name: "claude" }, lastActivityAt });
  const chosen = (...sessions) => { const { place, agent } = likeliest(places, sessions); return [place?.project, agent]; };
  assert.deepEqual(chosen(session("api", 1), session("site", 2), session("site", 3, "elsewhere")), ["site", "claude"]);
  assert.deepEqual(chosen(session("other", 9)), ["api", undefined]);
  assert.deepEqual(likeliest([], []), { place: undefined, agent: undefined });
});

test("an outcome is the last word of its host on that command, and nothing before it", () => {
  const events = [changed("k1", "given"), changed("k2", "refused", { reason: "no" })];
  assert.equal(outcomeOf(events, "k1"), undefined);
  assert.deepEqual(outcomeOf(events, "k2"), { stage: "refused", reason: "no", words: "Not started: no." });
  events.push(changed("k1", "taken", { started: "claude-1" }));
  assert.deepEqual(outcomeOf(events, "k1"), { stage: "taken", words: "It has begun.", started: "claude-1" });
  events.push(changed("k3", "taken", {}, { sessions: [{ id: "p1", title: "Fix", at: 5 }, { title: 3 }] }));
  assert.deepEqual(outcomeOf(events, "k3").past, [{ id: "p1", title: "Fix", at: 5 }]);
});

test("what stands for a host is in no list of sessions", () => {
  const state = emptyState();
  const session = { session: "s1", seq: 1, host: { name: "laptop", connected: true } };
  apply(state, { type: "snapshot", sessions: [desk("d1", "laptop", ["site"]), session], approvals: [] });
  assert.deepEqual([[...state.sessions.keys()], [...state.hosts.keys()]], [["s1"], ["d1"]]);
  apply(state, { type: "summary", summary: desk("d1", "laptop", [], { seq: 3 }) });
  apply(state, { type: "summary", summary: desk("d1", "laptop", ["old"], { seq: 1 }) });
  assert.deepEqual([state.hosts.get("d1").seq, state.sessions.has("d1")], [3, false]);
  apply(state, { type: "removed", session: "d1" });
  assert.equal(state.hosts.size, 0);
});
