import { readFile } from "node:fs/promises";

const folder = new URL("../../web/", import.meta.url);

/** Bundles a program with its imports into one classic script, as the Swift type `PageBundle` does: a function for each module, in order. */
export async function bundled(path) {
  const modules = new Map();
  async function load(url) {
    if (modules.has(url.href)) return;
    const text = await readFile(url, "utf8");
    for (const [, other] of text.matchAll(/^import (?:\{[^}]*\} from )?"([^"]+)";$/gm)) await load(new URL(other, url));
    const names = [...text.matchAll(/^export (?:async )?(?:const|function\*?|class) ([\w$]+)/gm)].map(([, name]) => name);
    const code = text.replace(/^import [^;]+;$/gm, "").replace(/^export /gm, "");
    modules.set(url.href, names.length ? `const {${names}} = (() => {${code}\nreturn {${names}};})();` : `(() => {${code}})();`);
  }
  await load(new URL(path, folder));
  return `"use strict";${[...modules.values()].join("\n")}`;
}
