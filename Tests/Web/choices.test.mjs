import assert from "node:assert/strict";
import { test } from "node:test";
import { deviceName, systemName } from "../../web/browser-name.js";
import { clock, gatherWords, minuteOf, projectsIn, read, textOf, textsFor, weeklyWords } from "../../web/choices.js";

const draft = (more = {}) => ({ kinds: ["approval"], text: "summary", muted: ["s1"], mutedProjects: [], countsRules: false, hidesCost: false, quiet: null, gather: null, weekly: null, allows: false, ...more });

test("a form is read into what the relay takes, with nothing that is off", () => {
  assert.deepEqual(read(draft()), { choices: { text: "summary", kinds: ["approval"], muted: ["s1"] } });
  assert.deepEqual(read(draft({ text: "full", hidesCost: true, allows: true, quiet: { from: "22:00", to: "07:05:00", timeZone: "Europe/Berlin" } })), {
    choices: { text: "full", kinds: ["approval"], muted: ["s1"], hidesCost: true, allowOnLockScreen: true, quiet: { from: 1320, to: 425, timeZone: "Europe/Berlin" } },
  });
});

test("the exception of the quiet hours and muted projects are told only if chosen", () => {
  const night = { from: "22:00", to: "07:00", timeZone: "UTC" };
  assert.deepEqual(read(draft({ quiet: { ...night, exceptRisks: true } })).choices.quiet, { from: 1320, to: 420, timeZone: "UTC", exceptRisks: true });
  assert.deepEqual(read(draft({ quiet: { ...night, exceptRisks: false } })).choices.quiet, { from: 1320, to: 420, timeZone: "UTC" });
  const mutedProjects = [{ host: "h1", project: "webshop" }];
  assert.deepEqual(read(draft({ mutedProjects })).choices.mutedProjects, mutedProjects);
});

test("the projects to mute are the muted ones and the latest, each with its host, and none that is sealed", () => {
  const on = (host, project, lastActivityAt, more = {}) => ({ session: `s${lastActivityAt}`, host: { id: host, name: `name of ${host}` }, project, lastActivityAt, ...more });
  const sessions = [on("h1", "webshop", 1), on("h2", "webshop", 3), on("h1", "webshop", 2), on("h1", undefined, 4), on("h3", "secret", 5, { line: "…" })];
  const { projects, sealed } = projectsIn(sessions, [{ host: "gone", project: "old" }, { host: "h1", project: "webshop" }]);
  assert.deepEqual(projects.map(({ words, isMuted }) => [words, isMuted]), [["old · gone", true], ["webshop · name of h1", true], ["webshop · name of h2", false]]);
  assert.deepEqual(sealed, ["name of h3"]);
  assert.equal(projectsIn(Array.from({ length: 20 }, (_, at) => on("h1", `p${at}`, at)), []).projects.length, 6);
});

test("what does not show the whole cannot be allowed from there", () => {
  for (const text of ["summary", "generic", "sealed"]) assert.equal(read(draft({ text, allows: true })).choices.allowOnLockScreen, undefined);
});

test("quiet hours have a beginning and another end", () => {
  const quiet = (from, to) => read(draft({ quiet: { from, to, timeZone: "UTC" } })).problem;
  assert.match(quiet("", "07:00"), /from when to when/);
  assert.match(quiet("22:00", "24:00"), /from when to when/);
  assert.match(quiet("22:00", "22:00"), /another end/);
  assert.equal(quiet("00:00", "23:59"), undefined);
});

test("what needs no answer is gathered by the hour or by the day", () => {
  assert.deepEqual(read(draft({ gather: { minutes: 30 } })).choices.gather, { when: "interval", minutes: 30 });
  assert.equal(read(draft({ gather: { minutes: 30 }, countsRules: true })).choices.countsRules, true);
  assert.equal(read(draft({ countsRules: true })).choices.countsRules, undefined, "nothing is gathered");
  const evening = { when: "daily", at: 1080, timeZone: "Asia/Tokyo" };
  assert.deepEqual(read(draft({ gather: { at: "18:00", timeZone: "Asia/Tokyo" } })).choices.gather, evening);
  assert.match(read(draft({ gather: { at: "", timeZone: "UTC" } })).problem, /when to sum up/);
  assert.equal("gather" in read(draft()).choices, false);
  assert.equal(gatherWords({}), "Nothing");
  assert.equal(gatherWords({ gather: { when: "interval", minutes: 45 } }), "Errors, finished runs and budgets: 45 minutes after the first");
  assert.equal(gatherWords({ gather: { when: "interval", minutes: 60 } }), "Errors, finished runs and budgets: an hour after the first");
  assert.equal(gatherWords({ gather: { when: "interval", minutes: 240 } }), "Errors, finished runs and budgets: 4 hours after the first");
  assert.equal(gatherWords({ gather: evening, countsRules: true }), "Errors, finished runs, budgets and what rules answered: once a day, at 18:00, Asia/Tokyo");
});

test("what a week has cost is told on a day and at a time, or not", () => {
  const monday = { weekday: 1, at: 540, timeZone: "Asia/Tokyo" };
  assert.deepEqual(read(draft({ weekly: { weekday: 1, at: "09:00", timeZone: "Asia/Tokyo" } })).choices.weekly, monday);
  assert.match(read(draft({ weekly: { weekday: 1, at: "", timeZone: "UTC" } })).problem, /what the week has cost/);
  assert.equal("weekly" in read(draft()).choices, false);
  assert.deepEqual([weeklyWords(monday), weeklyWords(undefined)], ["Monday at 09:00, Asia/Tokyo", "No"]);
});

test("a time is written as it is read", () => {
  for (const minute of [0, 7, 425, 1439]) assert.equal(minuteOf(clock(minute)), minute);
  for (const time of ["7:05", "07:60", "x", "07:05 PM"]) assert.equal(minuteOf(time), null);
});

test("only what is sealed already can stay sealed, and an app and a browser have their own words", () => {
  assert.deepEqual(textsFor({ text: "full", web: {} }).map(({ text }) => text), ["full", "summary", "generic"]);
  assert.deepEqual(textsFor({ text: "sealed" }).map(({ text }) => text), ["full", "summary", "generic", "sealed"]);
  assert.notEqual(textOf({ text: "full", web: {} }), textOf({ text: "full" }));
  assert.equal(textOf({ text: "new" }), "new");
  // For these devices the text amount's meaning says that nothing can be allowed from a notification.
  for (const device of [{ text: "summary" }, { text: "summary", web: {} }]) {
    for (const { text, meaning } of textsFor(device)) assert.equal(/offers? Deny, never Allow/.test(meaning), text !== "full", text);
  }
});

test("a browser is called what it is, not what it descends from", () => {
  const chrome = "Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36";
  const names = (agent) => [deviceName(agent), systemName(agent)];
  assert.deepEqual(names(chrome), ["Chrome on Android phone", "Chrome on Android"]);
  assert.deepEqual(names(`${chrome} EdgA/1 Edg/156.0`), ["Edge on Android phone", "Edge on Android"]);
  assert.deepEqual(names("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1"), ["Safari on iPhone", "Safari on iOS"]);
  assert.deepEqual(names("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:153.0) Gecko/20100101 Firefox/153.0"), ["Firefox on Mac", "Firefox on macOS"]);
  assert.deepEqual(names(""), ["Browser", "Browser"]);
});
