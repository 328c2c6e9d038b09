import RelayCore
import RelayModel
import RelayProtocol

/// An operator's changes to workspaces while nodes run, made through the database.
extension ClusterWorld {
    /// Number of workspaces that ever exist.
    private static let workspacesMax = 6

    func administer() {
        if dice.chance(faults.adding), workspaces.count < Self.workspacesMax { whenDurable { $0.addWorkspace() } }
        if dice.chance(faults.renaming) { whenDurable { $0.renameWorkspace() } }
        if dice.chance(faults.removing) { whenDurable { $0.removeWorkspace() } }
    }

    /// Acts once both database machines are up, so that a change reported as done is on both.
    private func whenDurable(_ action: @escaping (ClusterWorld) -> Void) {
        guard !isCalm else { return }
        guard !database.isAway, !database.changes.isStandbyAway else {
            return after(500) { $0.whenDurable(action) }
        }
        action(self)
    }

    private func renameWorkspace() {
        let workspace = dice.pick(standing)
        let name = self.name("renamed ")
        trace.note(now, "operator", "renames", "\(workspace.id) to \(name)")
        database.rename(workspace.id, to: name)
    }

    /// Removes any workspace but the first.
    func removeWorkspace() {
        guard let first = standing.first?.id else { return }
        let removable = standing.filter { $0.id != first }
        guard !removable.isEmpty else { return }
        let workspace = dice.pick(removable)
        trace.note(now, "operator", "removes", workspace.id.rawValue)
        database.remove(workspace.id)
    }

    /// A peer was closed because its token was revoked.
    func wasShownOut(_ name: String, of workspace: WorkspaceID) {
        trace.note(now, name, "is shown out")
        if !database[workspace].isRemoved { report(.removal, "\(name) is shown out of \(workspace), which stands") }
    }

    /// The first remains of a removed workspace; nil for none.
    var leftover: String? {
        for workspace in database.workspaces where workspace.isRemoved {
            if let owner = nodes.first(where: { $0.placement.isHolding(workspace.id) }) {
                return "\(owner.name) owns \(workspace.id), which was removed"
            }
            if workspace.isLeft { return "something is left of \(workspace.id), which was removed" }
            if let host = hosts.first(where: { $0.identity.workspace == workspace.id && $0.isConnected }) {
                return "\(host.name) is connected, and \(workspace.id) was removed"
            }
            if let client = clients.first(where: { $0.identity.workspace.id == workspace.id && $0.isConnected }) {
                return "\(client.name) is connected, and \(workspace.id) was removed"
            }
        }
        return nil
    }
}
