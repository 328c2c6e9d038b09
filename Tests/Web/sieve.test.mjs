import assert from "node:assert/strict";
import { test } from "node:test";
import { renamed, without, withSieve } from "../../web/named-sieves.js";
import { byGroup, choices, grouped, groupOf, headingOf, isSame, Marks, narrows, noSieve, passes, SavedSieves, savedMax } from "../../web/sieve.js";

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
  assert.deepEqual(grouped(sessions, (one) => headingOf(one, "project")).map(({ heading, sessions: members }) => [heading, members.map(({ session }) => session)]),
    [["webshop", ["a", "c"]], ["api", ["b"]], ["No project", ["d"]]]);
  assert.deepEqual(grouped(sessions, (one) => headingOf(one, "")).map(({ heading }) => heading), [""]);
});

test("the list begins with what needs a person, then what is pinned, what works, what rests today, and the rest, each the newest first; what is put off is last, but for what was archived", () => {
  const at = { today: 1_000, isPinned: (session) => session.startsWith("p"), isLater: (session) => session.startsWith("later"), isArchived: (session) => session.startsWith("archived") };
  const sessions = [
    summary("old", { status: "completed", lastActivityAt: 999 }), summary("done", { status: "completed", lastActivityAt: 1_000 }),
    summary("works", { lastActivityAt: 5 }), summary("works more", { lastActivityAt: 6 }), summary("p1", { status: "idle", lastActivityAt: 7 }),
    summary("asks", { status: "waitingAnswer", questions: 1, lastActivityAt: 1 }), summary("p2", { approvals: 1, lastActivityAt: 2 }),
    summary("at the terminal", { status: "waitingApproval", lastActivityAt: 4 }), summary("later", { approvals: 1, lastActivityAt: 9_000 }),
    summary("archived", { lastActivityAt: 9_000 }),
  ];
  const group = (one) => groupOf(one, at);
  assert.deepEqual(sessions.map(group), ["earlier", "today", "works", "works", "pinned", "needs", "needs", "works", "later", "archived"]);
  assert.deepEqual(byGroup(sessions, group), ["p2", "asks", "p1", "works more", "works", "at the terminal", "done", "old", "later", "archived"]);
});

test("there is to choose from what there is", () => {
  assert.deepEqual(choices([summary("a"), summary("b", { project: "api", host: { id: "h2", name: "desk" } }), summary("c", { project: "" })]),
    { projects: ["api", "webshop"], hosts: [["h2", "desk"], ["h1", "laptop"]] });
});

test("what is marked is remembered, bounded, and shared by the tabs of a browser", () => {
  const kept = new Map();
  const storage = () => ({ getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) });
  const one = new Marks(storage, "archived");
  const other = new Marks(storage, "archived");
  one.set(["a", "b"], true);
  other.set(["c"], true);
  other.set(["a"], false);
  assert.deepEqual(["a", "b", "c"].map(new Marks(storage, "archived").has), [false, true, true]);
  one.set(Array.from({ length: 2_500 }, (_, n) => `s${n}`), true);
  assert.deepEqual(["b", "s499", "s500"].map(one.has), [false, false, true]);
  assert.equal(new Marks(storage, "pinned").has("s500"), false);
  kept.set("archived", "not JSON");
  assert.equal(new Marks(storage, "archived").has("s500"), false);
});

test("without a place to keep it, it holds for the visit", () => {
  const archive = new Marks(() => { throw new Error("blocked"); }, "archived");
  archive.set(["a"], true);
  assert.equal(archive.has("a"), true);
});

/** A browser's storage. */
function shelf(kept = {}) {
  return () => ({ getItem: (place) => kept[place] ?? null, setItem: (place, value) => (kept[place] = value) });
}

test("a filter is saved under a name, renamed and removed, and the tabs of a browser share it", () => {
  const storage = shelf();
  const [one, other] = [new SavedSieves(storage), new SavedSieves(storage)];
  const shop = { ...noSieve(), project: "webshop", status: "waits" };
  one.set(withSieve(one.all, "  my   shop ", shop).all);
  other.read();
  assert.deepEqual(other.all, [{ name: "my shop", sieve: shop }]);
  other.set(renamed(other.all, "my shop", "Shop").all);
  assert.deepEqual(new SavedSieves(storage).all.map(({ name }) => name), ["Shop"]);
  assert.deepEqual(without(other.all, "Shop"), []);
});

test("a filter needs a name of its own, and there is a most", () => {
  const all = Array.from({ length: savedMax }, (_, at) => ({ name: `f${at}`, sieve: noSieve() }));
  assert.match(withSieve([], "  ", noSieve()).problem, /a name/);
  assert.match(withSieve(all.slice(1), "f3", noSieve()).problem, /has this name/);
  assert.match(withSieve(all, "new", noSieve()).problem, /remove one first/);
  assert.match(renamed(all, "f1", "f2").problem, /has this name/);
  assert.equal(renamed(all, "f1", "f1").all.length, savedMax, "its own name is no other's");
});

test("what another program or version left in the browser is no fault", () => {
  for (const left of ["{", "7", '{"a":1}', "[null, 1, {}]"]) assert.deepEqual(new SavedSieves(shelf({ "heliograph.sieves": left })).all, []);
  const [{ sieve }] = new SavedSieves(shelf({ "heliograph.sieves": '[{"name":"x","sieve":{"words":"a","project":7,"more":1}}]' })).all;
  assert.deepEqual(sieve, { ...noSieve(), words: "a" });
  const many = JSON.stringify(Array.from({ length: 40 }, (_, at) => ({ name: String(at), sieve: {} })));
  assert.equal(new SavedSieves(shelf({ "heliograph.sieves": many })).all.length, savedMax);
  const blocked = new SavedSieves(() => { throw new Error("blocked"); });
  blocked.set([{ name: "x", sieve: noSieve() }]);
  assert.equal(blocked.all.length, 1, "it holds for the visit");
});

test("a saved filter is in use if it says the same, in whatever order", () => {
  assert.equal(isSame({ ...noSieve(), words: "a" }, { group: "", words: "a", project: "", host: "", status: "" }), true);
  assert.equal(isSame({ ...noSieve(), words: "a" }, noSieve()), false);
});
