import assert from "node:assert/strict";
import { test } from "node:test";
import { age, ago, costOf, count, countdown, duration, money, runningFor } from "../../web/format.js";
import { plural } from "../../web/language.js";

test("what the agent guesses is marked, and is beside what it knows", () => {
  assert.deepEqual(
    [{}, { costMicroUSD: 5e5 }, { estimateMicroUSD: 2e6 }, { costMicroUSD: 0, estimateMicroUSD: 2e6 }, { costMicroUSD: 5e5, estimateMicroUSD: 2e6 }].map(costOf),
    ["", "$0.50", "~$2.00 guessed", "~$2.00 guessed", "$0.50 + ~$2.00 guessed"],
  );
});

test("money is dollars and cents, and never rounds something to nothing", () => {
  assert.deepEqual([0, 1, 9_999, 10_000, 412_300, 1_999_999, 1_234_567_890, undefined].map(money),
    ["$0.00", "<$0.01", "<$0.01", "$0.01", "$0.41", "$2.00", "$1,234.57", ""]);
});

test("ages grow in units and do not tick by the second, and a clock that runs ahead reads as now", () => {
  assert.deepEqual([-5_000, 0, 59_999, 60_000, 3_600_000, 86_400_000 * 3].map(age), ["now", "now", "now", "1 min", "1 h", "3 d"]);
  assert.deepEqual([500, 59_000, 720_000].map(ago), ["just now", "just now", "12 min ago"]);
  assert.deepEqual([-5_000, 1_999, 59_999, 60_000].map(runningFor), ["0 s", "1 s", "59 s", "1 min"]);
});

test("a countdown ends at nothing", () => {
  assert.deepEqual([600_000, 61_000, 500, 0, -9_000, 3_661_000].map(countdown), ["10:00", "1:01", "0:01", "0:00", "0:00", "1:01:01"]);
});

test("durations, counts, plurals", () => {
  assert.deepEqual([84, 12_400, 125_000, 1_000_000].map(duration), ["84 ms", "12.4 s", "2 min 5 s", "16 min"]);
  assert.deepEqual([950, 12_345, 999_949, 999_950, 4_500_000].map(count), ["950", "12.3k", "1000k", "1M", "4.5M"]);
  assert.deepEqual([plural(1, "task"), plural(0, "task")], ["1 task", "0 tasks"]);
});
