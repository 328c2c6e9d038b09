/// Warnings about a git command.
enum GitRisks {
    private static let discards = "Throws away work that is not committed."

    @Sendable static func sentence(_ arguments: ProgramArguments) -> String? {
        let words = arguments.words
        let place = words.indices.first { index in
            !words[index].hasPrefix("-") && (index == 0 || !["-C", "-c"].contains(words[index - 1]))
        }
        guard let place else { return nil }
        let rest = ProgramArguments(Array(words[(place + 1)...]), isPiped: false)
        switch words[place] {
        case "push": return pushed(rest)
        case "reset": return rest.names("--hard", "--merge") ? discards : nil
        case "clean": return rest.has("fxX", "--force") ? discards : nil
        case "checkout", "switch":
            return rest.names("--", ".", "--discard-changes") || rest.has("f", "--force") ? discards : nil
        case "restore":
            let isOfIndexAlone = rest.names("--staged", "-S") && !rest.names("--worktree", "-W")
            return isOfIndexAlone ? nil : discards
        case "stash": return rest.names("drop", "clear") ? discards : nil
        case "branch", "tag": return rest.has("Dd", "--delete") ? "Deletes branches or tags." : nil
        case "filter-branch", "filter-repo": return "Rewrites the history of the repository."
        case "reflog", "gc", "update-ref":
            let deletes = rest.names("expire", "delete", "-d") || rest.has("", "--prune")
            return deletes ? "Deletes what undoing would need." : nil
        case "commit": return rest.has("n", "--no-verify") ? "Leaves out the repository's own checks." : nil
        default: return nil
        }
    }

    private static func pushed(_ rest: ProgramArguments) -> String? {
        let isForced =
            rest.has("f", "--force", "--force-with-lease", "--force-if-includes", "--mirror")
            || rest.contain { $0.hasPrefix("+") }
        if isForced { return "Overwrites what is on the remote: a forced push." }
        let deletes = rest.has("d", "--delete", "--prune") || rest.contain { $0.hasPrefix(":") }
        return deletes ? "Deletes branches or tags on the remote." : nil
    }
}
