internal import RelayModel
internal import RelayProtocol

/// Facts about stored rows, known from earlier commits, so that the next one need not read them.
///
/// Only the owner writes sessions and approvals, and only in commits. Others add audit records, too, so the remembered end of the
/// audit log is a guess, which is checked when a record is inserted with the next number.
///
/// A commit takes the memory and returns it. One that fails does not, and the next begins with an empty one.
struct CommitMemory: Sendable {
    struct Session: Sendable {
        let workspace: Int32
        /// Number of the session within its workspace.
        let number: Int32
        let host: HostID?
        let seq: Int64
    }

    struct ApprovalKey: Hashable, Sendable {
        let session: SessionKey
        let approval: ApprovalID
    }

    struct Approval: Sendable {
        let stage: String
        /// True if the approval cannot change any more.
        let isOver: Bool
    }

    struct Workspace: Sendable {
        var audit: AuditTable.Place
        /// Number for the workspace's next new session.
        var nextSession: Int32
        var number: Int32 { audit.number }
    }

    /// The workspaces whose audit log's end is known.
    var workspaces: [WorkspaceID: Workspace] = [:]
    private(set) var sessions: [SessionKey: Session] = [:]
    private(set) var approvals: [ApprovalKey: Approval] = [:]

    /// Limit for sessions, and for approvals; others are read again. Some 200 bytes each.
    static let entriesMax = 4_096

    mutating func remember(_ session: Session, as key: SessionKey) {
        if sessions.count >= Self.entriesMax, sessions[key] == nil { sessions.removeAll(keepingCapacity: true) }
        sessions[key] = session
    }

    /// Forgets a resolved approval, as most of them are not needed again.
    mutating func remember(_ approval: Approval, as key: ApprovalKey) {
        guard !approval.isOver else { return approvals[key] = nil }
        if approvals.count >= Self.entriesMax, approvals[key] == nil { approvals.removeAll(keepingCapacity: true) }
        approvals[key] = approval
    }

    mutating func forget(_ session: SessionKey) {
        sessions[session] = nil
        for key in approvals.keys where key.session == session { approvals[key] = nil }
    }
}
