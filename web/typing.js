/** Catches what a person types while the field for it is on its way. */

import { attribute } from "./dom.js";
import { t } from "./language.js";

/** @param {() => Promise<unknown>} load Brings it. @returns {Promise<string>} What was typed meanwhile. */
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
