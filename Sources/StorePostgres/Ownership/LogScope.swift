internal import RelayProtocol

/// The part of the database that a process owns, loads and commits to.
enum LogScope: Sendable, Equatable {
    /// For a relay that is alone on it, and for commands.
    case everything
    /// For a node, which is one of several. `number` is the workspace's in its row.
    case workspace(WorkspaceID, number: Int32)

    /// The scope of the row of `owners` that is always among those it is fenced by.
    var row: String { workspace?.rawValue ?? Ownership.whole }

    /// Nil: all of them.
    var workspace: WorkspaceID? { if case .workspace(let workspace, _) = self { workspace } else { nil } }

    var number: Int32? { if case .workspace(_, let number) = self { number } else { nil } }

    func includes(_ other: WorkspaceID) -> Bool { workspace.map { $0 == other } ?? true }

    /// Name of the connection that commits. Settling a commit in doubt ends connections of this name alone: commits of other workspaces
    /// go on.
    var connection: String { number.map { "log/\($0)" } ?? "log" }
}
