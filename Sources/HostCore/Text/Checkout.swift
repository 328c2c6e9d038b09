/// The Git checkout that a folder is in.
package struct Checkout: Sendable, Equatable {
    /// Name of the folder of the repository's main checkout, without its path: the same for all worktrees of a repository.
    package let repository: String
    /// The branch; nil while a single commit is checked out.
    package let branch: String?

    /// `root`: the folder that contains `.git`. `head`: the line in its `HEAD`. `common`: the path of the repository to which a
    /// linked worktree belongs.
    package init(root: String, head: String, common: String?) {
        let folder = common.map { path in path.hasSuffix("/.git") ? String(path.dropLast("/.git".count)) : path } ?? root
        let name = ShownPaths.last(folder)
        // A bare repository is called `site.git`, and its worktrees are beside it or in it.
        repository = name.hasSuffix(".git") && name != ".git" ? String(name.dropLast(".git".count)) : name
        let prefix = "ref: refs/heads/"
        branch = head.hasPrefix(prefix) ? String(head.dropFirst(prefix.count)) : nil
    }
}
