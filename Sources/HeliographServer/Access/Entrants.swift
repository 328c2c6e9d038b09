import RelayCore
import RelayProtocol

/// Everything that decides who may connect, read from the store at one time.
struct Entrants: Sendable {
    let workspaces: [WorkspaceID: String]
    /// The oldest workspace.
    let firstWorkspace: WorkspaceID?
    /// Number of workspaces that strangers registered.
    let registered: Int
    /// Limits of single workspaces.
    let limits: [WorkspaceID: WorkspaceLimits]
    let removed: [WorkspaceID]
    /// Removed workspaces that are erased too.
    let erased: [WorkspaceID]
    /// Valid tokens, and also revoked ones that have paired others: these are needed to revoke tokens that were paired through
    /// them.
    let tokens: [Token]

    /// Digests of the tokens of removed workspaces, the newest.
    let departed: Set<[UInt8]>

    /// Limit of `departed`, of 32 bytes each.
    private static let departedMax = 10_000

    init(_ store: any CredentialStore, _ workspaces: any WorkspaceStore, _ rules: RegistrationRules) throws {
        // Read before the tokens, so that every token's workspace has a name here.
        let named = try store.workspaces()
        self.workspaces = named.reduce(into: [:]) { $0[$1.id] = $1.name }
        firstWorkspace = named.first?.id
        let registrations = try workspaces.registrations()
        registered = registrations.count
        limits = try registrations.reduce(into: workspaces.limits()) { limits, registration in
            var own = limits[registration.workspace] ?? WorkspaceLimits()
            own.sessionMegabytes = rules.newcomer.sessionMegabytes
            own.recordMegabytesPerDay = rules.newcomer.recordMegabytesPerDay
            limits[registration.workspace] = own
        }
        removed = try workspaces.removedWorkspaces()
        erased = try workspaces.erasedWorkspaces()
        let all = try store.allTokens()
        let removedSet = Set(removed)
        departed = Set(all.lazy.filter { removedSet.contains($0.workspace) }.prefix(Self.departedMax).map(\.digest))
        let parents = Set(all.compactMap(\.parent))
        tokens = all.filter { $0.revokedAt == nil || parents.contains($0.id) }.map {
            // Left out, as it is no change of access.
            var token = $0
            token.lastUse = nil
            return token
        }
    }
}
