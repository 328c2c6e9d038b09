import RelayModel
import RelayProtocol

/// The resolved approvals that sessions keep in memory, by host, those resolved longest ago first; their bytes are limited. The log
/// has all of them.
struct ResolvedApprovals {
    private var ofHosts: [HostKey: Queue] = [:]
    private var bytesOfWorkspaces: [WorkspaceID: Int] = [:]

    private struct Queue {
        var entries: ArraySlice<Entry> = []
        var bytes = 0
    }

    private struct Entry {
        let name: ApprovalName
        let bytes: Int
    }

    /// Returns the approvals that have to be dropped: of this host, or, if the workspace has too many, of its host with the most.
    mutating func add(_ approval: Approval, in key: SessionKey, of host: HostKey) -> [ApprovalName] {
        let bytes = Self.bytes(of: approval)
        ofHosts[host, default: Queue()].entries.append(Entry(name: ApprovalName(key, approval.id), bytes: bytes))
        ofHosts[host]?.bytes += bytes
        bytesOfWorkspaces[host.workspace, default: 0] += bytes
        var gone: [ApprovalName] = []
        while (ofHosts[host]?.bytes ?? 0) > SessionLimits.resolvedApprovalBytesPerHostMax {
            gone.append(removeFirst(of: host))
        }
        while bytesOfWorkspaces[host.workspace, default: 0] > SessionLimits.resolvedApprovalBytesPerWorkspaceMax,
            let most = hostWithMost(in: host.workspace)
        {
            gone.append(removeFirst(of: most))
        }
        return gone
    }

    /// Drops approvals that the sessions no longer hold.
    mutating func forget(where isGone: (ApprovalName) -> Bool) {
        bytesOfWorkspaces = [:]
        for (host, queue) in ofHosts {
            let entries = ArraySlice(queue.entries.filter { !isGone($0.name) })
            let bytes = entries.reduce(0) { $0 + $1.bytes }
            ofHosts[host] = entries.isEmpty ? nil : Queue(entries: entries, bytes: bytes)
            if bytes > 0 { bytesOfWorkspaces[host.workspace, default: 0] += bytes }
        }
    }

    /// Memory of the request and its outcome, plus the decoded values.
    private static func bytes(of approval: Approval) -> Int { approval.requestBytes.count + approval.bytes.count + 1_024 }

    private func hostWithMost(in workspace: WorkspaceID) -> HostKey? {
        ofHosts.filter { $0.key.workspace == workspace }
            .max { ($0.value.bytes, $0.key.host.rawValue) < ($1.value.bytes, $1.key.host.rawValue) }?.key
    }

    private mutating func removeFirst(of host: HostKey) -> ApprovalName {
        guard let first = ofHosts[host]?.entries.popFirst() else { preconditionFailure("bytes are those of entries") }
        ofHosts[host]?.bytes -= first.bytes
        bytesOfWorkspaces[host.workspace]? -= first.bytes
        return first.name
    }
}
