import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { keyOf, languages, outcomesOf, read, scripts, sentencesIn, sentencesOfThePage, stringsInSwift, ts, walk } from "./sentences.mjs";
import { language, pieces, plural, t } from "../../web/language.js";

const placesOf = (sentence) => [...new Set(sentence.match(/\{\d\}/g) ?? [])].sort().join();
const edgesOf = (sentence) => [/^\s*/, /\s*$/].map((edge) => sentence.match(edge)[0]);

test("each language has every sentence of the page and no other, with the same places", () => {
  const keys = sentencesOfThePage();
  assert.ok(keys.size > 1_000);
  assert.ok(languages.includes("de"));
  for (const name of languages) {
    const sentences = sentencesIn(name);
    assert.deepEqual([...keys].filter((key) => !Object.hasOwn(sentences, key)), [], `${name} lacks these`);
    assert.deepEqual(Object.keys(sentences).filter((key) => !keys.has(key)), [], `nobody says these of ${name}`);
    const categories = new Intl.PluralRules(name).resolvedOptions().pluralCategories.sort();
    for (const [key, sentence] of Object.entries(sentences)) {
      if (typeof sentence !== "string") assert.deepEqual(Object.keys(sentence).sort(), categories, key);
      for (const one of typeof sentence === "string" ? [sentence] : Object.values(sentence)) {
        assert.equal(placesOf(one), placesOf(key), one);
        assert.deepEqual(edgesOf(one), edgesOf(key), key);
        assert.notEqual(one.trim(), "", key);
      }
    }
  }
});

test("the page names the languages that there are", () => {
  const [, named] = read("index.html").match(/<meta name="languages" content="([^"]*)">/);
  assert.deepEqual(named.split(" ").sort(), languages.sort());
});

test("page, relay and kit have words in the same languages", () => {
  const codesIn = (file) => [...readFileSync(new URL(`../../Sources/${file}`, import.meta.url), "utf8").matchAll(/"([a-z]{2,8})": \w+Words\(\)/g)].map(([, code]) => code);
  for (const file of ["PushPlanner/Wording/PushLanguage.swift", "LiveActivityKit/Words/KitLanguage.swift"]) assert.deepEqual(codesIn(file).sort(), [...languages].sort(), file);
  for (const target of ["App", "Widget", "NotificationService"]) {
    const [, named] = readFileSync(new URL(`../../deploy/ios/${target}/Info.plist`, import.meta.url), "utf8").match(/<key>CFBundleLocalizations<\/key><array>(.*?)<\/array>/);
    assert.deepEqual([...named.matchAll(/<string>(\w+)<\/string>/g)].map(([, code]) => code).sort(), ["en", ...languages].sort(), target);
  }
  const profiles = new URL("../../Sources/ChannelAPNs/Embedded/", import.meta.url);
  for (const file of readdirSync(profiles)) {
    JSON.parse(readFileSync(new URL(file, profiles), "utf8"), (key, value) => {
      if (key === "byLanguage") assert.deepEqual(Object.keys(value).sort(), [...languages, "else"].sort(), file);
      return value;
    });
  }
});

test("the sample app has every sentence of its own", () => {
  const app = new URL("../../deploy/ios/App/", import.meta.url);
  const sources = readdirSync(app).filter((file) => file.endsWith(".swift")).map((file) => readFileSync(new URL(file, app), "utf8")).join("\n").replaceAll(/comment: "[^"]*"/g, "");
  const keys = new Set(stringsInSwift(sources).map((key) => key.replaceAll(/\{\d+\}/g, "%@")).filter((key) => /\p{Lu}\p{Ll}|\p{L} /u.test(key.replaceAll("%@", "")) && !["Heliograph", "KeychainGroup"].includes(key)));
  assert.ok(keys.size > 40);
  for (const name of languages) {
    const pairs = [...readFileSync(new URL(`${name}.lproj/Localizable.strings`, app), "utf8").matchAll(/^"(.+?)" = "(.+)";$/gm)];
    assert.deepEqual(pairs.map(([, key]) => key).filter((key) => key !== "OK").sort(), [...keys].sort());
    for (const [, key, sentence] of pairs) assert.equal(sentence.split("%@").length, key.split("%@").length, sentence);
  }
});

/** Attributes whose value a person reads or hears. */
const labels = new Set(["title", "aria-label", "placeholder", "alt"]);
/** Texts that are the same in every language: terminal commands and names. */
const everywhere = /^(?:heliograph |make |ntfy\.sh\/|Heliograph(?:: \{0\})?$|icon )/;

/**
 * The visible texts of a source file that no language file contains.
 * @returns {string[]}
 */
function wordsBesides(file) {
  const found = new Set();
  const look = (node) => {
    for (const one of outcomesOf(node)) {
      const key = keyOf(one);
      if (key !== null && /\p{L}{2}/u.test(key.replace(/\{\d\}/g, "")) && !everywhere.test(key)) found.add(key);
    }
  };
  walk(file, (node) => {
    if (ts.isCallExpression(node)) {
      const [name, given] = [node.expression.getText(), node.arguments];
      if (name === "h") given.slice(2).forEach(look);
      if (name === "span") given.slice(1).forEach(look);
      if (["write", "say"].includes(name) && given[1]) look(given[1]);
      if (name === "attribute" && labels.has(given[1]?.text)) look(given[2]);
      if (/(?:announce|replaceChildren|\.append|offerUndo|#fact|#fail|showNotification)$/.test(name)) given.forEach(look);
    }
    if (ts.isPropertyAssignment(node) && labels.has(node.name.getText().replaceAll("\"", ""))) look(node.initializer);
    if (ts.isBinaryExpression(node) && node.operatorToken.getText() === "=" && /\.textContent$/.test(node.left.getText())) look(node.right);
  });
  return [...found];
}

test("no visible word goes past the languages", () => {
  for (const file of scripts) assert.deepEqual(wordsBesides(file), [], file);
});

/** Untranslated prose in strings by file, with the reason. */
const untold = {
  // Errors about malformed bytes, for developers: a translated sentence stands before them.
  "consent.js": "all", "sealing.js": "all", "vouch-letters.js": "all", "keys.js": "all", "shown.js": "all", "ledger.js": "all",
  // Keywords of programming languages.
  "syntax.js": "all",
  // Hosts' own reasons to look twice, as keys of their translations.
  "risk-words.js": "all",
  // The beginnings of hosts' own reasons.
  "restored.js": "The host was restored from older files", "sealed-session.js": "its host had just gone",
  // An internal error of the page.
  "app.js": "The page has no {0}.",
  // The error stands after the page's translated sentence that a part did not load.
  "part.js": "The relay answered {0}.",
  // The text is sent to the relay as the device's name.
  "devices.js": "ntfy at {0}",
};

test("no sentence stands in a string", () => {
  for (const file of scripts.filter((name) => untold[name] !== "all")) {
    walk(file, (node) => {
      const key = keyOf(node);
      const { parent } = node;
      if (key === null || ts.isTaggedTemplateExpression(parent) || everywhere.test(key) || untold[file] === key) return;
      assert.doesNotMatch(key.replace(/\{\d\}/g, ""), /^[^<>=.#[]*\p{Lu}\p{Ll}+,? \p{Ll}+ \p{Ll}+/u, `${file}: ${key}`);
    });
  }
});

/** True if a node is a translated sentence, or a name of one, here or in another file. */
const isTranslated = (node, names) => outcomesOf(node).some((one) =>
  (ts.isTaggedTemplateExpression(one) && one.tag.getText() === "t") || (ts.isCallExpression(one) && one.expression.getText() === "plural") || (ts.isIdentifier(one) && names.has(one.text)));

test("no translated sentence is a key, a value, or compared", () => {
  const faults = [];
  const exported = new Set();
  const named = new Map(scripts.map((file) => [file, new Set()]));
  for (const file of scripts) {
    walk(file, (node) => {
      if (!ts.isVariableDeclaration(node) || !node.initializer || !ts.isIdentifier(node.name) || !isTranslated(node.initializer, new Set())) return;
      named.get(file).add(node.name.text);
      if (/^export /.test(node.parent.parent.getText())) exported.add(node.name.text);
    });
  }
  const comparing = ["===", "!==", "==", "!=", "<", ">", "in"];
  for (const file of scripts) {
    const names = new Set([...named.get(file), ...exported]);
    const find = (node, what) => node && isTranslated(node, names) && faults.push(`${file}: ${what} ${node.getText()}`);
    walk(file, (node) => {
      if (ts.isBinaryExpression(node) && comparing.includes(node.operatorToken.getText())) [node.left, node.right].forEach((side) => find(side, "compares"));
      if (ts.isCaseClause(node)) find(node.expression, "compares");
      if (ts.isElementAccessExpression(node)) find(node.argumentExpression, "finds by");
      if (ts.isComputedPropertyName(node)) find(node.expression, "keys by");
      if (ts.isPropertyAssignment(node) && ["value", "id", "name", "class", "type"].includes(node.name.getText()) && /^h\(/.test(node.parent.parent.getText())) find(node.initializer, "has as a value");
      if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
        const { text } = node.expression.name;
        if (["get", "set", "has", "delete", "add", "includes", "indexOf", "startsWith", "endsWith", "split", "localeCompare"].includes(text)) find(node.arguments[0], text);
        if (["split", "match", "includes", "indexOf", "startsWith", "endsWith"].includes(text)) find(node.expression.expression, text);
      }
    });
  }
  assert.deepEqual(faults, []);
});

/** Runs a function with the German sentences loaded, as `first.js` does. */
function inGerman(run) {
  const english = { ...language };
  Object.assign(language, { tag: "de", sentences: sentencesIn("de") });
  try {
    run();
  } finally {
    Object.assign(language, english);
  }
}

test("a sentence has its places where its language wants them, and English where nobody has translated it", () => {
  const [count, host] = [3, "Allow"];
  assert.equal(t`${host} is offline`, "Allow is offline");
  assert.deepEqual([plural(1, "task"), plural(1_234, "task")], ["1 task", "1,234 tasks"]);
  inGerman(() => {
    assert.equal(t`${host} is offline`, "Allow ist offline");
    assert.equal(t`Show ${count} of ${1_000} more lines`, "3 von 1000 weiteren Zeilen zeigen");
    assert.deepEqual([plural(1, "task"), plural(2, "task"), plural(1_234, "task")], ["1 Aufgabe", "2 Aufgaben", "1.234 Aufgaben"]);
    assert.equal(t`${count} questions`, "3 Fragen");
    assert.equal(t`Nobody wrote this in German: ${count}`, "Nobody wrote this in German: 3");
  });
});

test("what is inserted is never taken for a sentence or a place", () => {
  inGerman(() => {
    assert.equal(t`${"Allow"} asks: ${"{0} Deny"}`, "Allow fragt: {0} Deny");
    const element = { tag: "code" };
    assert.deepEqual(pieces`The agent says: ${element}`, ["Der Agent sagt: ", element, ""]);
  });
});
