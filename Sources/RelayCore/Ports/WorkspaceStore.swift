package import RelayProtocol

/// The port to the workspaces beyond the first, which `CredentialStore` makes.
///
/// A workspace is removed in two parts. The first is one transaction, after which nobody can connect: its tokens are revoked, its
/// codes are removed, and a load returns nothing of it. The second deletes its data in steps, and can be continued after any number
/// of crashes. Its audit log is kept, and the fact that it existed; if it is erased, only the latter.
/// One contract suite (`WorkspaceStoreContract`) runs on every implementation.
package protocol WorkspaceStore: Sendable {
    /// Throws `conflict` if its id or name is taken, or if there are `WorkspaceRules.countMax`. `at`, in milliseconds since 1970,
    /// is the time recorded in its audit log; nil: nothing is recorded.
    func addWorkspace(_ workspace: Named<WorkspaceTag>, at: Int64?) throws(LogError)
    /// Adds a workspace for a stranger, with a newcomer's limits. If the rules refuse it, nothing is added and the reason is
    /// returned. Throws `conflict` if its id or name is taken.
    func register(
        _ workspace: Named<WorkspaceTag>, _ registration: Registration, by rules: RegistrationRules
    ) throws(LogError) -> RegistrationRules.Refusal?
    /// The existing workspaces that strangers registered, oldest first.
    func registrations() throws(LogError) -> [Registration]
    /// False if there is no such workspace; throws `conflict` if the name is taken.
    func renameWorkspace(_ id: WorkspaceID, to name: String, at: Int64) throws(LogError) -> Bool
    /// Space that each workspace takes, including removed ones as long as they have data. One without data may be left out. Reads
    /// the rows of all sessions.
    func usage() throws(LogError) -> [WorkspaceID: WorkspaceUsage]
    /// The limits of every workspace that has any of its own, except removed ones.
    func limits() throws(LogError) -> [WorkspaceID: WorkspaceLimits]
    /// Changes a workspace's limits, and returns the new ones; nil if there is no such workspace.
    @discardableResult func changeLimits(
        of id: WorkspaceID, _ change: (inout WorkspaceLimits) -> Void
    ) throws(LogError) -> WorkspaceLimits?
    /// The first part of a removal. Returns the tokens that it revoked; nil if there is no such workspace. Throws `conflict` for
    /// the first workspace.
    func removeWorkspace(_ id: WorkspaceID, at: Int64) throws(LogError) -> [Token]?
    /// Marks a removed workspace so that its audit log and all names are deleted with its data. The digests of its tokens stay,
    /// revoked, so that no restored backup makes them valid. Throws `conflict` if it was not removed.
    func eraseWorkspace(_ id: WorkspaceID) throws(LogError)
    /// Workspaces that are marked to be erased, or have been.
    func erasedWorkspaces() throws(LogError) -> [WorkspaceID]
    /// Every workspace that was removed, even if its data is gone.
    func removedWorkspaces() throws(LogError) -> [WorkspaceID]
    /// Removed workspaces that still have data: those for which `removeData` has not returned true.
    func workspacesToClear() throws(LogError) -> [WorkspaceID]
    /// The second part of a removal: deletes about `rowsMax` rows of the data of a removed workspace; true if nothing is left.
    /// Names of push channels stay until their service has been told to delete them.
    func removeData(of workspace: WorkspaceID, rowsMax: Int) throws(LogError) -> Bool
}

/// Rules that apply to all workspaces of a store together.
package enum WorkspaceRules {
    /// Workspaces that exist at once: each has its own hosts and people, and all are listed together.
    package static let countMax = 1_000
    /// Rows of a removed workspace that are deleted in one transaction, so that live commits are not delayed.
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

    /// The first workspace cannot be removed: it has the data from before there were others, and commands on the relay's own
    /// machine use it by default.
    package static func checkRemoval(of id: WorkspaceID, first: WorkspaceID?) throws(LogError) {
        guard id != first else {
            throw LogError(.conflict, "The first workspace stays: `heliograph restore --anew` begins with nothing.")
        }
    }
}
