/** The page's later part: two files that load when a person opens one of their views. */

import { metaOf, ownPolicy } from "./page-shell.js";

/** @type {Promise<undefined>|null} */
let part = null;

/**
 * Loads the views that the page omits; once, unless that fails. The file name contains a digest, so an upgraded relay no longer has it.
 * @returns {Promise<undefined>}
 */
export const loadPart = () => (part ??= requestPart().catch((error) => {
  part = null;
  throw error;
}));

async function requestPart() {
  const name = metaOf("part");
  if (!name) return undefined;
  const [style, script] = await Promise.all(["css", "js"].map(async (ending) => {
    const response = await fetch(`/${name}.${ending}`);
    if (!response.ok) throw new Error(`The relay answered ${response.status}.`);
    return response.text();
  }));
  const styles = document.createElement("style");
  styles.textContent = style;
  const code = document.createElement("script");
  code.textContent = ownPolicy?.createScript(script) ?? script;
  document.body.append(styles, code);
  return undefined;
}
