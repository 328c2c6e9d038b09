package import RelayProtocol

/// The port to the workspaces beyond the first, which `CredentialStore` makes.
///
/// A workspace is removed in two parts. The first is one transaction, after which nobody gets in: its tokens are revoked, its codes are
/// gone, and a load has nothing of it. The second takes its data away, some at a time, and can be gone on with after a crash, however
/// often. What is left is its audit log, and that it was there; of one that is erased, only the latter.
/// One contract suite (`WorkspaceStoreContract`) runs on every implementation.
package protocol WorkspaceStore: Sendable {
    /// `conflict` if its id or its name is taken, or there are `WorkspaceRules.countMax`. `at`, in milliseconds since 1970, is the time
    /// recorded in its audit log; nil: it is not recorded.
    func addWorkspace(_ workspace: Named<WorkspaceTag>, at: Int64?) throws(LogError)
    /// Adds a workspace for a stranger, with a newcomer's limits. If the rules refuse it, nothing is added and the reason is returned. `conflict` if
    /// its id or its name is taken.
    func register(
        _ workspace: Named<WorkspaceTag>, _ registration: Registration, by rules: RegistrationRules
    ) throws(LogError) -> RegistrationRules.Refusal?
    /// The existing workspaces that strangers registered, oldest first.
    func registrations() throws(LogError) -> [Registration]
    /// False if there is none; `conflict` if the name is another's.
    func renameWorkspace(_ id: WorkspaceID, to name: String, at: Int64) throws(LogError) -> Bool
    /// What each workspace takes, removed ones included as long as their data is there. One that takes nothing may be left out. Reads the rows of all
    /// sessions.
    func usage() throws(LogError) -> [WorkspaceID: WorkspaceUsage]
    /// The limits of every workspace that has any of its own, except removed ones.
    func limits() throws(LogError) -> [WorkspaceID: WorkspaceLimits]
    /// Returns the limits as they are after the change; nil if there is no such workspace.
    @discardableResult func changeLimits(
        of id: WorkspaceID, _ change: (inout WorkspaceLimits) -> Void
    ) throws(LogError) -> WorkspaceLimits?
    /// The first part. Returns the tokens that it ended; nil if there is no such workspace. `conflict`: it is the first.
    func removeWorkspace(_ id: WorkspaceID, at: Int64) throws(LogError) -> [Token]?
    /// Takes the audit log and all names of a workspace that was removed, too: marks it, and its data is not gone before these are. The digests of
    /// its tokens stay, revoked, so that no backup lets anybody in. `conflict` if it was not removed.
    func eraseWorkspace(_ id: WorkspaceID) throws(LogError)
    /// Those that are to be erased, or are.
    func erasedWorkspaces() throws(LogError) -> [WorkspaceID]
    /// Every workspace that was removed, even if its data is gone.
    func removedWorkspaces() throws(LogError) -> [WorkspaceID]
    /// Removed workspaces of which there is data: those that `removeData` is not done with.
    func workspacesToClear() throws(LogError) -> [WorkspaceID]
    /// The second part: takes away about `rowsMax` rows of the data of a workspace that was removed; true where nothing is left. Names
    /// of channels stay, as their service has to be told that nobody needs them.
    func removeData(of workspace: WorkspaceID, rowsMax: Int) throws(LogError) -> Bool
}

/// Rules for all workspaces of a store together.
package enum WorkspaceRules {
    /// Those that are there at once: each has hosts and people of its own, and all are listed together.
    package static let countMax = 1_000
    /// Rows of a removed workspace that go in one transaction: it must not hold up what is live.
    package static let removedRowsMax = 2_000

    /// Throws unless one more workspace of this name may be added to the existing ones.
    package static func check(_ name: String, beside others: [Named<WorkspaceTag>]) throws(LogError) {
        guard others.count < countMax else {
            throw LogError(.conflict, "There are \(countMax) workspaces, and no more may be added.")
        }
        guard !others.contains(where: { $0.name == name }) else {
            throw LogError(.conflict, "There is a workspace of that name already.")
        }
    }

    /// The first one has what was there before there were others, and what the relay's own machine does where nothing else is said.
    package static func checkRemoval(of id: WorkspaceID, first: WorkspaceID?) throws(LogError) {
        guard id != first else {
            throw LogError(.conflict, "The first workspace stays: `heliograph restore --anew` begins with nothing.")
        }
    }
}
