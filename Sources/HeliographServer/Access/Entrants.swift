import RelayCore
import RelayProtocol

/// The peers that may come in, and where to, as the store has it at one moment.
struct Entrants: Sendable {
    let workspaces: [WorkspaceID: String]
    /// The oldest of them.
    let firstWorkspace: WorkspaceID?
    /// The number of those that strangers registered.
    let registered: Int
    /// Limits of single workspaces.
    let limits: [WorkspaceID: WorkspaceLimits]
    /// Workspaces that were removed.
    let removed: [WorkspaceID]
    /// Those of them of which nothing is to be left.
    let erased: [WorkspaceID]
    /// Those that are not revoked; and the revoked that let others in, since whoever is revoked takes along what was let in by way of them.
    let tokens: [Token]

    init(_ store: any CredentialStore, _ workspaces: any WorkspaceStore) throws {
        // Before the tokens: every peer that is let in has a workspace with a name.
        let named = try store.workspaces()
        self.workspaces = named.reduce(into: [:]) { $0[$1.id] = $1.name }
        firstWorkspace = named.first?.id
        registered = try workspaces.registrations().count
        limits = try workspaces.limits()
        removed = try workspaces.removedWorkspaces()
        erased = try workspaces.erasedWorkspaces()
        let all = try store.allTokens()
        let parents = Set(all.compactMap(\.parent))
        tokens = all.filter { $0.revokedAt == nil || parents.contains($0.id) }.map {
            // Not a change of who may come in.
            var token = $0
            token.lastUse = nil
            return token
        }
    }
}
