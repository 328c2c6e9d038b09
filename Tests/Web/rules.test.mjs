import assert from "node:assert/strict";
import { test } from "node:test";
import { isToday } from "../../web/later-times.js";
import {
  addObstacle, callWords, changeObstacle, countWords, limitsOf, ranBy, standingOf, takeBackObstacle, textOfRule, trialOf, tryObstacle,
} from "../../web/rule-words.js";
import { namesIn, narrowestRule, ruledHosts } from "../../web/rules.js";

const may = ["watch", "decide", "steer"];
const allow = { name: "tests", answer: "allow", for: ["Bash(npm test)"] };
const deny = { name: "no-push", answer: "deny", for: ["Bash(git push:*)"] };
const desk = (session, host, rules, more = {}) => ({
  session, host: { id: host, name: host, connected: true }, steering: { actions: ["ruleOff"], projects: [], ...(rules ? { rules: { accepted: true, list: rules } } : {}), ...more },
});

test("hosts with rules stand in an order that stays, and others do not", () => {
  const hosts = new Map([["b", desk("b", "laptop", [allow])], ["a", desk("a", "desk", [deny])], ["c", desk("c", "other")]]);
  assert.deepEqual(ruledHosts(hosts).map(({ session, takesBack, more }) => [session, takesBack, more]), [["a", true, 0], ["b", true, 0]]);
  assert.equal(ruledHosts(new Map([["b", desk("b", "laptop", [allow], { consent: "K" })]]))[0].consent, "K");
});

test("why a rule cannot be taken back is said in one sentence", () => {
  const [host] = ruledHosts(new Map([["b", desk("b", "laptop", [allow, deny])]]));
  assert.equal(takeBackObstacle(may, host, allow, true), "");
  assert.match(takeBackObstacle(may, host, deny, true), /keeps agents back/);
  assert.match(takeBackObstacle(may, host, { ...allow, off: true }, true), /already/);
  assert.match(takeBackObstacle(["watch", "decide"], host, allow, true), /--role operator/);
  assert.match(takeBackObstacle(may, host, allow, false), /No connection/);
  assert.match(takeBackObstacle(may, { ...host, connected: false }, allow, true), /laptop is offline/);
  assert.match(takeBackObstacle(may, { ...host, takesBack: false }, allow, true), /cannot steer/);
});

test("a rule that answers nothing now says so", () => {
  const [host] = ruledHosts(new Map([["b", desk("b", "laptop", [allow])]]));
  assert.equal(standingOf(host, allow), "");
  assert.match(standingOf(host, { ...allow, off: true }), /Taken back/);
  assert.match(standingOf({ ...host, accepted: false }, allow), /not accepted/);
  assert.equal(standingOf({ ...host, accepted: false }, deny), "", "what denies counts at once");
  assert.match(standingOf(host, { ...allow, times: 2, left: 0 }), /nothing more/);
  assert.equal(standingOf(host, { ...allow, times: 2, left: 1 }), "");
  assert.equal(limitsOf({ ...allow, times: 2, left: 1 }), "calls: 2, left: 1");
  assert.match(textOfRule({ ...allow, times: 2, left: 1 }), /\ntimes = 2$/, "a change keeps it");
  assert.equal(limitsOf({ ...allow, folder: "~/work", agent: "claude", hours: "09:00-18:00", until: "2026-12-24" }), "in ~/work, for claude, from 09:00 to 18:00 there, until 2026-12-24");
});

test("what ran by a rule is what it allowed on its own host, the newest first", () => {
  const asked = (at, title, rule) => ({ kind: "approval.requested", at, head: { approval: `a${at}`, title, ...(rule ? { rule } : {}) } });
  const logs = new Map([
    ["s1", { first: 4, events: [asked(1, "npm test", { name: "tests", decision: "allow" }), asked(3, "npm test && ls", { name: "tests, looks", decision: "allow" }), asked(4, "npm test")] }],
    ["s2", { first: 1, events: [asked(2, "npm test", { name: "tests", decision: "allow" })] }],
    ["s3", { first: 1, events: [asked(5, "git push", { name: "tests", decision: "deny" }), asked(6, "x", { name: "tests-2", decision: "allow" })] }],
  ]);
  const sessions = new Map([["s1", { host: { id: "h1" } }], ["s2", { host: { id: "h2" } }], ["s3", { host: { id: "h1" } }]]);
  assert.deepEqual(ranBy(logs, sessions, "h1", "tests").map(({ session, seq, title }) => [session, seq, title]), [["s1", 5, "npm test && ls"], ["s1", 4, "npm test"]]);
  assert.deepEqual(ranBy(logs, sessions, "h1", "looks").map(({ seq }) => seq), [5]);
  assert.deepEqual([namesIn("tests, looks"), namesIn(undefined)], [["tests", "looks"], []]);
  assert.deepEqual([isToday(0, 1), isToday(0, 3 * 86_400_000)], [true, false]);
});

test("the narrowest rule allows exactly what was asked, in that folder alone", () => {
  const asked = (tool, input, head = {}) => ({ kind: "approval.requested", at: 1, head: { tool, kind: "tool", ...head }, body: { input } });
  const summary = { session: "claude-1", folder: "/home/me/site" };
  const rule = (request, more = {}, taken = []) => narrowestRule(request, { ...summary, ...more }, taken);
  const pattern = (request, more) => rule(request, more).match(/for = \["(.*)"\]/)?.[1];
  assert.equal(rule(asked("Bash", { command: "npm test", description: "x" })),
    '[[rule]]\nname = "bash-npm-test"\nanswer = "allow"\nfor = ["Bash(npm test)"]\nfolder = "/home/me/site"\nagent = "claude"');
  assert.match(rule(asked("Bash", { command: "npm test" }), {}, ["bash-npm-test", "bash-npm-test-2"]), /name = "bash-npm-test-3"/);
  assert.match(rule(asked("Bash", { command: "npm test" }), { session: "gemini-1" }), /^agent = "gemini"$/m, "also one that this page does not know");
  assert.match(rule(asked("Bash", { command: 'git log "x"' })), /for = \["Bash\(git log \\"x\\"\)"\]/);
  for (const command of ["npm test && ls", "ls *", "echo $HOME", "a | b", "a; b", "a\nb", "echo `x`", "a > b", "", "a \\b"]) assert.equal(rule(asked("Bash", { command })), "", command);
  assert.equal(pattern(asked("Edit", { file_path: "/home/me/site/src/a.js" })), "Edit(./src/a.js)");
  assert.equal(pattern(asked("Write", { file_path: "src/a.js" })), "Edit(./src/a.js)");
  for (const file_path of ["/etc/hosts", "../a", "src/../a", "~/a", "src/*", "", "/home/me/site2/a"]) assert.equal(rule(asked("Edit", { file_path })), "", file_path);
  assert.equal(pattern(asked("WebFetch", { url: "https://example.com/a?b" })), "WebFetch(domain:example.com)");
  assert.equal(rule(asked("WebFetch", { url: "no address" })), "");
  assert.equal(pattern(asked("mcp__github__list_issues", {})), "mcp__github__list_issues");
  assert.equal(rule(asked("Deploy", { to: "x" })), "");
  for (const head of [{ redacted: true }, { cut: true }, { kind: "question" }]) assert.equal(rule(asked("Bash", { command: "ls" }, head)), "");
  assert.equal(rule(asked("Bash", { command: "ls" }), { folder: undefined, cwd: "~/site" }), "", "the folder is not known");
});

test("why no rule can be added is said in one sentence", () => {
  const [host] = ruledHosts(new Map([["b", desk("b", "laptop", undefined, { actions: ["ruleAdd"] })]]));
  assert.deepEqual([host.rules, host.accepted], [[], true]);
  assert.equal(addObstacle(may, host, true), "");
  assert.match(addObstacle(may, { ...host, takesNew: false }, true), /signed commands/);
  assert.match(addObstacle(["watch"], host, true), /--role operator/);
  assert.match(addObstacle(may, { ...host, accepted: false }, true), /rules accept/);
  assert.match(addObstacle(may, host, false), /No connection/);
});

test("why a rule cannot be changed or tried is said in one sentence", () => {
  const [host] = ruledHosts(new Map([["b", desk("b", "laptop", [allow, deny], { actions: ["ruleChange", "ruleTry"] })]]));
  assert.deepEqual([changeObstacle(may, host, allow, true), tryObstacle(may, host, true)], ["", ""]);
  assert.match(changeObstacle(may, host, deny, true), /keeps agents back/);
  assert.match(changeObstacle(may, host, { ...allow, off: true }, true), /taken back/);
  assert.match(changeObstacle(may, { ...host, takesChanges: false }, allow, true), /signed commands/);
  assert.match(changeObstacle(may, { ...host, accepted: false }, allow, true), /rules accept/);
  assert.match(changeObstacle(may, host, { ...allow, for: ["Bash(very long…"] }, true), /too long/);
  assert.match(changeObstacle(may, host, allow, false), /No connection/);
  assert.equal(tryObstacle(may, { ...host, accepted: false }, true), "", "that changes nothing");
  assert.match(tryObstacle(["watch"], host, true), /--role operator/);
  assert.match(tryObstacle(may, { ...host, connected: false }, true), /offline/);
  assert.match(tryObstacle(may, { ...host, tries: false }, true), /older/);
});

test("a rule is written as its host's file has it", () => {
  assert.equal(textOfRule({ ...deny, words: 'Say "please".', folder: "~/work" }),
    '[[rule]]\nname = "no-push"\nanswer = "deny"\nfor = ["Bash(git push:*)"]\nwords = "Say \\"please\\"."\nfolder = "~/work"');
});

test("what rules would have answered is read from whatever a host says", () => {
  const freer = { session: "s1", approval: "a1", at: 2, title: "npm test all", answer: "denied", by: "Ada", would: "allow", rules: ["tests"] };
  const asked = { session: "s1", approval: "a2", at: 3, title: "ls", would: "ask", rules: [], reason: "no rule is about it" };
  const trial = trialOf({ requests: 7, since: 1, asked: 1, more: 5, rules: [{ name: "tests", answer: "allow", requests: 6, allowed: 5, denied: 1 }], tried: [freer, asked], suggestions: [{ toml: "[[rule]]", times: 5 }] });
  assert.deepEqual([trial.requests, trial.asked, trial.more, trial.denied.length, trial.tried[0].title], [7, 1, 5, 1, "ls"]);
  assert.equal(countWords(trial.rules[0]), "would allow 6; people allowed 5 of them and denied 1");
  assert.equal(countWords({ name: "x", answer: "ask", requests: 2, allowed: 0, denied: 0 }), "would ask about 2");
  assert.deepEqual(trial.tried.map(callWords), ["answered by nobody → asked: no rule is about it", "denied by Ada → allow (tests)"]);
  assert.deepEqual(trialOf({ requests: "many", tried: [1, null], rules: {}, suggestions: [{}] }), { requests: 0, since: 0, asked: 0, more: 0, rules: [], tried: [], denied: [], suggestions: [] });
  assert.equal(trialOf({}).suggestions, null);
  assert.deepEqual([trialOf(null), trialOf("x")], [null, null]);
});
