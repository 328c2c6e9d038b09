import assert from "node:assert/strict";
import { test } from "node:test";
import { inAnHour, tomorrow, untilWords } from "../../web/later-times.js";
import { Snoozes } from "../../web/snoozes.js";

function place() {
  const kept = new Map();
  const around = { now: 1_000, kept };
  const make = () => new Snoozes(() => ({ getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) }), () => around.now);
  return { around, make };
}
const asks = (...approvals) => () => approvals;

test("a session is put off until its time, and what it asked then may go on waiting", () => {
  const { around, make } = place();
  const snoozes = make();
  snoozes.set("s1", { until: 5_000, asked: ["a1"] });
  assert.deepEqual([snoozes.has("s1", asks("a1")), snoozes.has("s1", asks()), snoozes.has("s2", asks())], [true, true, false]);
  assert.equal(snoozes.until("s1"), 5_000);
  around.now = 5_000;
  assert.equal(snoozes.has("s1", asks("a1")), false);
});

test("a question that came since brings it back", () => {
  const snoozes = place().make();
  snoozes.set("s1", { until: 5_000, asked: ["a1"] });
  assert.equal(snoozes.has("s1", asks("a1", "a2")), false);
});

test("it is taken back", () => {
  const snoozes = place().make();
  snoozes.set("s1", { until: 5_000, asked: [] });
  snoozes.set("s1", null);
  assert.equal(snoozes.has("s1", asks()), false);
});

test("that one is due is said once, and taking one back is no news", () => {
  const { around, make } = place();
  const snoozes = make();
  snoozes.set("s1", { until: 2_000, asked: [] });
  snoozes.set("s2", { until: 3_000, asked: [] });
  snoozes.set("s2", null);
  assert.equal(snoozes.due(), false);
  around.now = 2_000;
  assert.deepEqual([snoozes.due(), snoozes.due()], [true, false]);
});

test("it is remembered, bounded, and shared by the tabs of a browser; what is over is forgotten", () => {
  const { around, make } = place();
  const [one, other] = [make(), make()];
  one.set("s1", { until: 2_000, asked: [] });
  other.set("s2", { until: 9_000, asked: [] });
  assert.deepEqual(["s1", "s2"].map((session) => make().has(session, asks())), [true, true]);
  around.now = 2_500;
  for (let n = 0; n < 250; n += 1) one.set(`n${n}`, { until: 9_000, asked: [] });
  assert.equal(JSON.parse(around.kept.get("heliograph.snoozed")).length, 200);
  assert.deepEqual(["s2", "n49", "n50"].map((session) => make().has(session, asks())), [false, false, true]);
  for (const text of ["not JSON", "[[1,{}],[\"s\",{\"until\":\"x\"}],null]"]) {
    around.kept.set("heliograph.snoozed", text);
    assert.equal(make().until("s"), undefined);
  }
});

test("without a place to keep it, it holds for the visit", () => {
  const snoozes = new Snoozes(() => { throw new Error("blocked"); }, () => 0);
  snoozes.set("s1", { until: 1, asked: [] });
  assert.equal(snoozes.has("s1", asks()), true);
});

test("later is in an hour, or the next morning at eight, also over the end of a month and of summer time", () => {
  assert.equal(inAnHour(5), 3_600_005);
  const evening = new Date(2026, 9, 24, 22, 30).getTime();
  assert.equal(tomorrow(evening), new Date(2026, 9, 25, 8).getTime());
  assert.equal(tomorrow(new Date(2026, 10, 30, 1).getTime()), new Date(2026, 11, 1, 8).getTime());
  assert.match(untilWords(evening + 60_000, evening), /^at \d\d:31$/);
  assert.match(untilWords(tomorrow(evening), evening), /^tomorrow at \d\d:00$/);
});
