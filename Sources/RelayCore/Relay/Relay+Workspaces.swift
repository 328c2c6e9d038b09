import PushPlanner
import RelayModel
import RelayProtocol

/// Removal of a workspace.
extension Relay {
    /// Disconnects the workspace's peers at once. The rest is removed when no batch is under way that may contain data of it.
    mutating func workspaceRemoved(_ workspace: WorkspaceID, at now: Instant) {
        leaving.insert(workspace)
        showOut(of: workspace, at: now)
        letGoOfLeaving(at: now)
    }

    /// Call when a batch has ended.
    mutating func letGoOfLeaving(at now: Instant) {
        guard committing == nil, !leaving.isEmpty else { return }
        let gone = leaving.sorted { $0.rawValue < $1.rawValue }
        leaving = []
        for workspace in gone {
            showOut(of: workspace, at: now)
            // Before the sessions, so that devices are notified as if their owner had removed each.
            tellPlanner(.workspaceRemoved(workspace), at: now)
            letGoOfSessions(of: workspace)
            staging.remove(workspace)
            budgets.forget(workspace)
            costs.forget(workspace)
            commands.forget(workspace)
            sweep.forget(workspace)
            removed.forget(workspace)
            subscriptions.forget(workspace)
            fullness.forget(workspace)
            orders.add(.workspaceLeft(workspace))
        }
    }

    private mutating func showOut(of workspace: WorkspaceID, at now: Instant) {
        let hosts = presence.hosts.filter { $0.value.identity.workspace == workspace }.keys
        let clients = presence.clients.filter { $0.value.workspace == workspace }.keys
        for peer in (Array(hosts) + Array(clients)).sorted() {
            orders.add(.close(peer, .revoked))
            disconnected(peer, at: now)
        }
    }

    private mutating func letGoOfSessions(of workspace: WorkspaceID) {
        for name in sessions.deadlines.keys where name.key.workspace == workspace {
            sessions.resolved(name.approval, in: name.key, &orders)
        }
        for key in sessions.inOrder(in: workspace) {
            sessions.removed(SessionTrim(key: key, through: 0, state: nil), isStaged: false)
        }
        sessions.forgetRecords(of: workspace)
    }
}
