import RelayCore
import RelayProtocol

/// The peers that may come in, and where to, as the store has it at one moment.
struct Entrants: Sendable {
    let workspaces: [WorkspaceID: String]
    /// Workspaces that were removed.
    let removed: [WorkspaceID]
    /// Those that are not revoked.
    let tokens: [Token]

    init(_ store: any CredentialStore, _ workspaces: any WorkspaceStore) throws {
        // Before the tokens: every peer that is let in has a workspace with a name.
        self.workspaces = try store.workspaces().reduce(into: [:]) { $0[$1.id] = $1.name }
        removed = try workspaces.removedWorkspaces()
        tokens = try store.tokens()
    }
}
