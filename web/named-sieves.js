/** Changes to the list of saved filters. Pure: each returns the new list, or says what stands in the way. */

import { t } from "./language.js";
import { savedMax } from "./sieve.js";

/** @typedef {import("./sieve.js").Saved} Saved */
/** @typedef {{all: Saved[]}|{problem: string}} Changed */

/** The length of a name that a chip on a phone shows in full. */
export const nameMax = 32;

/** @param {string} name */
const tidy = (name) => name.trim().replace(/\s+/g, " ").slice(0, nameMax);

/** @param {Saved[]} all @param {string} name */
const problemOf = (all, name) => (!name ? t`Give it a name.` : all.some((one) => one.name === name) ? t`Another filter has this name.` : "");

/** @param {Saved[]} all @param {string} name @param {import("./sieve.js").Sieve} sieve @returns {Changed} */
export function withSieve(all, name, sieve) {
  const tidied = tidy(name);
  const problem = all.length >= savedMax ? t`${savedMax} filters are saved: remove one first.` : problemOf(all, tidied);
  return problem ? { problem } : { all: [...all, { name: tidied, sieve }] };
}

/** @param {Saved[]} all @param {string} from @param {string} to @returns {Changed} */
export function renamed(all, from, to) {
  const tidied = tidy(to);
  const problem = problemOf(all.filter(({ name }) => name !== from), tidied);
  return problem ? { problem } : { all: all.map((one) => (one.name === from ? { ...one, name: tidied } : one)) };
}

/** @param {Saved[]} all @param {string} name */
export const without = (all, name) => all.filter((one) => one.name !== name);
