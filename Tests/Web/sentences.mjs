import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const web = new URL("../../web/", import.meta.url);
export const scripts = readdirSync(web, { recursive: true }).map(String).filter((file) => file.endsWith(".js")).sort();
export const read = (file) => readFileSync(new URL(file, web), "utf8");
export const languages = readdirSync(new URL("languages/", web)).map((file) => file.replace(".json", ""));
export const sentencesIn = (language) => JSON.parse(read(`languages/${language}.json`));

/** The TypeScript compiler as a module; Debian installs it beside the `tsc` command. */
function compiler() {
  for (const folder of process.env.PATH.split(delimiter)) {
    try {
      return createRequire(import.meta.url)(join(dirname(realpathSync(join(folder, "tsc"))), "../lib/typescript.js"));
    } catch {
      // The compiler is in another folder.
    }
  }
  throw new Error("There is no tsc: make test-packages");
}

export const ts = compiler();

/** Calls `visit` with each node of a program except its imports. */
export function walk(file, visit) {
  const program = ts.createSourceFile(file, read(file), ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const step = (node) => {
    if (ts.isImportDeclaration(node)) return;
    visit(node, program);
    ts.forEachChild(node, step);
  };
  step(program);
}

/** The key of a translation: a template's text with `{0}` for the first inserted value, or a plain string. */
export function keyOf(node) {
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map(({ literal }, at) => `{${at}}${literal.text}`).join("");
  return ts.isStringLiteralLike(node) ? node.text : null;
}

/** All possible results of a conditional or a fallback, including strings and templates. */
export function outcomesOf(node) {
  if (ts.isParenthesizedExpression(node)) return outcomesOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...outcomesOf(node.whenTrue), ...outcomesOf(node.whenFalse)];
  if (ts.isBinaryExpression(node) && ["&&", "||", "??", "+"].includes(node.operatorToken.getText())) return [...outcomesOf(node.left), ...outcomesOf(node.right)];
  return [node];
}

/** A Swift file's strings, `{0}` in the place of what is inserted. */
export function stringsInSwift(source) {
  const found = [];
  for (let at = 0; at < source.length; at += 1) {
    if (source.startsWith("//", at)) at = source.indexOf("\n", at);
    else if (source[at] === "\"") {
      let [key, inserted] = ["", 0];
      for (at += 1; source[at] !== "\""; at += 1) {
        if (!source.startsWith("\\(", at)) key += source[at];
        else {
          at += 2;
          for (let depth = 1; depth > 0; at += 1) depth += source[at] === "(" ? 1 : source[at] === ")" ? -1 : 0;
          key += `{${inserted++}}`;
          at -= 1;
        }
      }
      found.push(key);
    }
  }
  return found;
}

/** The reasons to look twice, as hosts word them. */
export function risksOfHosts() {
  const risks = new URL("../../Sources/HostCore/Risks/", import.meta.url);
  return readdirSync(risks).flatMap((file) => stringsInSwift(readFileSync(new URL(file, risks), "utf8"))).filter((text) => /^[A-Z].* .*\.$/.test(text));
}

/**
 * All sentences of the page: arguments of `t`, `pieces` and `plural`, texts in the HTML, and hosts' reasons to look twice.
 * @returns {Set<string>}
 */
export function sentencesOfThePage() {
  const keys = new Set();
  for (const file of scripts) {
    walk(file, (node) => {
      if (ts.isTaggedTemplateExpression(node) && ["t", "pieces"].includes(node.tag.getText())) keys.add(keyOf(node.template));
      if (ts.isCallExpression(node) && node.expression.getText() === "plural") for (const noun of outcomesOf(node.arguments[1])) if (keyOf(noun)) keys.add(`{0} ${keyOf(noun)}s`);
    });
  }
  for (const words of [...wordsOfTheIndex(), ...risksOfHosts()]) keys.add(words);
  return keys;
}

/** Texts and labels of `index.html` that are shown while scripts are enabled. */
export function wordsOfTheIndex() {
  const body = read("index.html").split("<body")[1].replace(/<noscript>.*?<\/noscript>/s, "").replace(/^[^>]*>/, "");
  const labels = [...body.matchAll(/ aria-label="([^"]+)"/g)].map(([, words]) => words);
  return [...labels, ...body.replace(/<[^>]*>/g, "\n").split("\n").map((words) => words.trim()).filter((words) => words && words !== "Heliograph")];
}
