/** The page's later part: two files, which it requests when a person opens what is in them. */

import { metaOf, ownPolicy } from "./page-shell.js";

/** @type {Promise<undefined>|null} */
let part = null;

/**
 * Requests the views that the page came without, which join it then; once, unless it fails. Its name has its digest: a relay that was upgraded does not have it.
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
