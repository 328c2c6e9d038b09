import RelayModel
import RelayProtocol

/// Sessions with an open approval, and some that had one, so that a new request does not search all sessions.
struct Asking {
    private var keys: [WorkspaceID: Set<SessionKey>] = [:]

    mutating func add(_ key: SessionKey) { keys[key.workspace, default: []].insert(key) }

    mutating func remove(_ key: SessionKey) { keys[key.workspace]?.remove(key) }

    func sessions(in workspace: WorkspaceID) -> Set<SessionKey> { keys[workspace] ?? [] }

    /// The quota that prevents another approval of this size in a session of this host; nil if there is none. `look`: the session's
    /// staged view; nil if it has no open approval, with or without the staged changes.
    mutating func quotaReached(
        byAnother bytes: Int, in workspace: WorkspaceID, of host: HostID, _ quotas: Quotas, look: (SessionKey) -> SessionView?
    ) -> Quota? {
        var ofHost = (count: 1, bytes: bytes)
        var ofWorkspace = ofHost
        for other in sessions(in: workspace) {
            guard let view = look(other) else {
                keys[workspace]?.remove(other)
                continue
            }
            let approvals = view.approvals
            ofWorkspace.count += approvals.openCount
            ofWorkspace.bytes += approvals.openBytes
            if view.hostID == host {
                ofHost.count += approvals.openCount
                ofHost.bytes += approvals.openBytes
            }
        }
        if ofHost.count > quotas.openApprovalsPerHost || ofHost.bytes > Limits.openApprovalBytesPerHostMax {
            return .openApprovalsPerHost
        }
        if ofWorkspace.count > quotas.openApprovalsPerWorkspace || ofWorkspace.bytes > Limits.openApprovalBytesPerWorkspaceMax {
            return .openApprovalsPerWorkspace
        }
        return nil
    }
}
