/** Catches typed keys while the text field for them is loading. */

import { attribute } from "./dom.js";
import { t } from "./language.js";

/**
 * `load` loads the field. Resolves to the text typed meanwhile.
 * @param {() => Promise<unknown>} load @returns {Promise<string>}
 */
export async function typedMeanwhile(load) {
  const field = document.createElement("input");
  attribute(field, "class", "unseen");
  attribute(field, "aria-label", t`Find`);
  document.body.append(field);
  field.focus();
  await load();
  field.remove();
  return field.value;
}
