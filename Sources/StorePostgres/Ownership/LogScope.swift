internal import RelayProtocol

/// The part of the database that a process owns, loads and commits to.
enum LogScope: Sendable, Equatable {
    /// For commands, and for a relay that is alone on the database.
    case everything
    /// For a node, which is one of several. `number`: the workspace's number in its row.
    case workspace(WorkspaceID, number: Int32)

    /// Scope of the process's own row of `owners`: the workspace's, or that of data of no workspace.
    var row: String { workspace?.rawValue ?? Ownership.whole }

    /// Nil: all workspaces.
    var workspace: WorkspaceID? { if case .workspace(let workspace, _) = self { workspace } else { nil } }

    var number: Int32? { if case .workspace(_, let number) = self { number } else { nil } }

    func includes(_ other: WorkspaceID) -> Bool { workspace.map { $0 == other } ?? true }

    /// Name of the connection that commits. To settle a commit in doubt, only connections with this name are ended: commits of
    /// other workspaces continue.
    var connection: String { number.map { "log/\($0)" } ?? "log" }
}
