/// The Git checkout that a folder is in.
package struct Checkout: Sendable, Equatable {
    /// Folder of the repository's main checkout, without what is above it: all worktrees of a repository have the same.
    package let repository: String
    /// Nil while a single commit is checked out.
    package let branch: String?

    /// `root` is the folder that has `.git`. `head` is the line in its `HEAD`, `common` the path of the repository that a linked
    /// worktree is of.
    package init(root: String, head: String, common: String?) {
        let folder = common.map { path in path.hasSuffix("/.git") ? String(path.dropLast("/.git".count)) : path } ?? root
        let name = ShownPaths.last(folder)
        // A bare repository is called `site.git`, and its worktrees stand beside it or in it.
        repository = name.hasSuffix(".git") && name != ".git" ? String(name.dropLast(".git".count)) : name
        let prefix = "ref: refs/heads/"
        branch = head.hasPrefix(prefix) ? String(head.dropFirst(prefix.count)) : nil
    }
}
