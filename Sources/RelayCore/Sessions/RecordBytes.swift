import RelayModel
import RelayProtocol

/// What each workspace has on disk besides events: approvals, its audit log, and the places of removed sessions. As much as of events is its
/// bound; of all of it, retention can only remove approvals, with their sessions.
struct RecordBytes {
    private var allowances: Allowances
    /// Of sessions that are held.
    private(set) var ofSessions: [WorkspaceID: Int64] = [:]
    /// Of sessions that were removed.
    private var ofRemoved: [WorkspaceID: Int64] = [:]
    /// Nearly always none, and asked with every message.
    private var full: Set<WorkspaceID> = []

    init(_ allowances: Allowances) { self.allowances = allowances }

    mutating func allow(_ allowances: Allowances) {
        self.allowances = allowances
        for workspace in Set(ofSessions.keys).union(ofRemoved.keys) { judge(workspace) }
    }

    var ofWorkspaces: [WorkspaceID: Int64] { ofSessions.merging(ofRemoved, uniquingKeysWith: +) }

    func isFull(_ workspace: WorkspaceID) -> Bool { full.contains(workspace) }

    mutating func count(_ bytes: Int64, in workspace: WorkspaceID) {
        ofSessions[workspace, default: 0] += bytes
        if ofSessions[workspace] == 0 { ofSessions[workspace] = nil }
        judge(workspace)
    }

    mutating func leave(_ auditBytes: Int64, in workspace: WorkspaceID) {
        ofRemoved[workspace, default: 0] += auditBytes + RemovedSession.placeBytes
        judge(workspace)
    }

    mutating func resume(_ auditBytes: Int64, in workspace: WorkspaceID) {
        let rest = (ofRemoved[workspace] ?? 0) - auditBytes - RemovedSession.placeBytes
        ofRemoved[workspace] = rest > 0 ? rest : nil
        judge(workspace)
    }

    /// What the store had at the start.
    mutating func restore(removed bytes: [WorkspaceID: Int64]) {
        ofRemoved = bytes
        for workspace in bytes.keys { judge(workspace) }
    }

    mutating func forget(_ workspace: WorkspaceID) {
        ofRemoved[workspace] = nil
        judge(workspace)
    }

    private mutating func judge(_ workspace: WorkspaceID) {
        let held = ofSessions[workspace, default: 0] + ofRemoved[workspace, default: 0]
        if let max = allowances.bytesMax(in: workspace), held >= max { full.insert(workspace) } else { full.remove(workspace) }
    }
}
