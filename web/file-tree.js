/** Files by their folders. Pure. */

/** @typedef {{name: string, path: string}} File */
/** @typedef {{name: string, folders: Folder[], files: File[]}} Folder `name` ends in a slash; folders that hold nothing but one folder are joined with it. */

/**
 * @param {string[]} paths
 * @returns {Folder} The root, whose name is empty or the folder that all files share.
 */
export function treeOf(paths) {
  /** @type {Folder} */
  const root = { name: "", folders: [], files: [] };
  /** Folders by path. */
  const known = new Map([["", root]]);
  for (const path of paths) {
    let folder = root;
    const end = path.lastIndexOf("/") + 1;
    for (let at = 0; at < end;) {
      const next = path.indexOf("/", at) + 1;
      const place = path.slice(0, next);
      const inner = known.get(place) ?? { name: path.slice(at, next), folders: [], files: [] };
      if (!known.has(place)) folder.folders.push(inner);
      known.set(place, inner);
      [folder, at] = [inner, next];
    }
    folder.files.push({ name: path.slice(end), path });
  }
  return joined(root);
}

/** @param {Folder} folder @returns {Folder} */
function joined(folder) {
  let one = folder;
  while (one.folders.length === 1 && !one.files.length) one = { ...one.folders[0], name: one.name + one.folders[0].name };
  return { ...one, folders: one.folders.map(joined) };
}
