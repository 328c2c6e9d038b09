internal import RelayModel
internal import RelayProtocol

/// Facts that earlier commits read from the database, so that the next one need not.
///
/// Only the owner writes sessions and approvals, and only in commits. Others add audit records, too, so the remembered position is a
/// guess, which the position that a record takes proves or disproves.
///
/// A commit takes the memory and gives it back. One that fails does not, and the next begins without.
struct CommitMemory: Sendable {
    struct Session: Sendable {
        let workspace: Int32
        /// Within its workspace.
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
        /// Nothing can happen to it any more.
        let isOver: Bool
    }

    struct Workspace: Sendable {
        var audit: AuditTable.Place
        /// The number of its next session.
        var nextSession: Int32
        var number: Int32 { audit.number }
    }

    /// The log's own position, if it was read.
    var workspaces: [WorkspaceID: Workspace] = [:]
    private(set) var sessions: [SessionKey: Session] = [:]
    private(set) var approvals: [ApprovalKey: Approval] = [:]

    /// Entries for sessions, and for approvals: what is beyond is asked for again. Some 200 bytes each.
    static let entriesMax = 4_096

    mutating func remember(_ session: Session, as key: SessionKey) {
        if sessions.count >= Self.entriesMax, sessions[key] == nil { sessions.removeAll(keepingCapacity: true) }
        sessions[key] = session
    }

    /// Nothing more comes of most approvals that are over.
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
