import assert from "node:assert/strict";
import { test } from "node:test";
import { Archive, choices, grouped, narrows, noSieve, passes } from "../../web/sieve.js";

const summary = (session, more = {}) => ({
  session, title: "Fix the login", project: "webshop", host: { id: "h1", name: "laptop", connected: true }, agent: { name: "claude" },
  status: "running", approvals: 0, questions: 0, ...more,
});
const words = (status) => ({ running: "Running", stale: "No contact" })[status] ?? status;
const shown = (sessions, sieve) =>
  sessions.filter((one) => passes(one, { ...noSieve(), ...sieve }, words)).map(({ session }) => session);

test("every word has to be somewhere in what the row says, in any case and order", () => {
  const sessions = [summary("a"), summary("b", { title: "Ship it", host: { id: "h2", name: "Desk" }, status: "stale", model: "opus" })];
  for (const [text, wanted] of [
    ["", ["a", "b"]], ["LOGIN web", ["a"]], ["web", ["a", "b"]], ["desk  opus", ["b"]], ["no contact", ["b"]], ["claude", ["a", "b"]], ["login desk", []],
  ]) assert.deepEqual(shown(sessions, { words: text }), wanted, text);
});

test("project, host and state leave out what is of another", () => {
  const sessions = [
    summary("a"), summary("b", { project: "api" }), summary("c", { host: { id: "h2", name: "laptop" }, status: "idle" }),
    summary("d", { project: undefined, status: "failed", questions: 1 }),
  ];
  assert.deepEqual(shown(sessions, { project: "api" }), ["b"]);
  assert.deepEqual(shown(sessions, { host: "h2" }), ["c"]);
  for (const [status, wanted] of [["waits", ["d"]], ["works", ["a", "b"]], ["rests", ["c"]], ["over", ["d"]], ["unheard of", []]]) {
    assert.deepEqual(shown(sessions, { status }), wanted, status);
  }
  assert.deepEqual([{}, { words: " " }, { group: "host" }, { words: "x" }, { host: "h" }].map((one) => narrows({ ...noSieve(), ...one })),
    [false, false, false, true, true]);
});

test("groups stand as their first session does, and keep the order within", () => {
  const sessions = [summary("a"), summary("b", { project: "api" }), summary("c"), summary("d", { project: "" })];
  assert.deepEqual(grouped(sessions, "project").map(({ heading, sessions: members }) => [heading, members.map(({ session }) => session)]),
    [["webshop", ["a", "c"]], ["api", ["b"]], ["No project", ["d"]]]);
  assert.deepEqual(grouped(sessions, "").map(({ heading }) => heading), [""]);
});

test("there is to choose from what there is", () => {
  assert.deepEqual(choices([summary("a"), summary("b", { project: "api", host: { id: "h2", name: "desk" } }), summary("c", { project: "" })]),
    { projects: ["api", "webshop"], hosts: [["h2", "desk"], ["h1", "laptop"]] });
});

test("what is archived is remembered, bounded, and shared by the tabs of a browser", () => {
  const kept = new Map();
  const storage = () => ({ getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) });
  const one = new Archive(storage);
  const other = new Archive(storage);
  one.set(["a", "b"], true);
  other.set(["c"], true);
  other.set(["a"], false);
  assert.deepEqual(["a", "b", "c"].map(new Archive(storage).has), [false, true, true]);
  one.set(Array.from({ length: 2_500 }, (_, n) => `s${n}`), true);
  assert.deepEqual(["b", "s499", "s500"].map(one.has), [false, false, true]);
  kept.set("heliograph.hidden", "not JSON");
  assert.equal(new Archive(storage).has("s500"), false);
});

test("without a place to keep it, it holds for the visit", () => {
  const archive = new Archive(() => { throw new Error("blocked"); });
  archive.set(["a"], true);
  assert.equal(archive.has("a"), true);
});
