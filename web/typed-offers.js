/** The commands and files that fit what is typed. Pure. */

/**
 * The agent's commands that a text may become, as long as it is one word: those that begin so, then those that have it in them.
 * @param {string} text @param {string[]} commands
 */
export function commandsFitting(text, commands) {
  if (!/^\/\S*$/.test(text)) return [];
  const word = text.slice(1).toLowerCase();
  const begins = commands.filter((name) => name.toLowerCase().startsWith(`/${word}`));
  return [...begins, ...commands.filter((name) => !begins.includes(name) && name.toLowerCase().includes(word))];
}

/** Files that are offered at once: more is no choice on a phone. */
export const filesMax = 20;

/**
 * The files that the word at the end of a text may become if it begins with `@`: those whose name begins so, then those with it in their path.
 * @param {string} text The text before the cursor. @param {string[]} paths
 * @returns {{from: number, paths: string[]}} `from`: the place of the `@`.
 */
export function filesFitting(text, paths) {
  const [, word] = text.match(/(?:^|\s)@(\S*)$/) ?? [];
  if (word === undefined) return { from: 0, paths: [] };
  const wanted = word.toLowerCase();
  // A path with a blank would end at it, for whoever reads the prompt.
  const fitting = paths.filter((path) => path && path !== word && !/\s/.test(path) && path.toLowerCase().includes(wanted));
  const begins = fitting.filter((path) => path.slice(path.lastIndexOf("/") + 1).toLowerCase().startsWith(wanted));
  return { from: text.length - word.length - 1, paths: [...begins, ...fitting.filter((path) => !begins.includes(path))].slice(0, filesMax) };
}
