internal import RelayModel
internal import RelayProtocol

/// Facts that earlier commits read from the file, so that the next one need not: each query is a statement, and a small commit is made of
/// little else (decision record 0013).
///
/// Only the relay writes sessions and approvals, and only in commits. The command line adds audit records, too, so the remembered
/// position is a guess, which the position that a record takes proves or disproves.
///
/// A commit takes the memory and gives it back. One that fails does not, and the next begins without.
package struct CommitMemory: Sendable {
    struct Session: Sendable {
        let number: Int64
        let host: HostID?
        let seq: Int64
    }

    struct ApprovalKey: Hashable {
        /// The session's number in the file.
        let session: Int64
        let approval: ApprovalID
    }

    struct Approval: Sendable {
        let number: Int64
        let stage: String
        /// Nothing can happen to it any more.
        let isOver: Bool
    }

    private(set) var sessions: [SessionKey: Session] = [:]
    private(set) var approvals: [ApprovalKey: Approval] = [:]
    var audits: [WorkspaceID: AuditTable.Place] = [:]
    /// Approvals that this commit took: see `SessionLog.commit`.
    var taken: [ApprovalName] = []

    /// Entries for sessions, and for approvals: what is beyond is asked for again. Some 200 bytes each.
    package static let entriesMax = 4_096

    mutating func remember(_ session: Session, as key: SessionKey) {
        if sessions.count >= Self.entriesMax, sessions[key] == nil { sessions.removeAll(keepingCapacity: true) }
        sessions[key] = session
    }

    mutating func remember(_ approval: Approval, as key: ApprovalKey) {
        if approvals.count >= Self.entriesMax, approvals[key] == nil { approvals.removeAll(keepingCapacity: true) }
        approvals[key] = approval
    }

    /// Nothing more comes of most approvals that are over.
    mutating func forget(_ key: ApprovalKey) { approvals[key] = nil }

    mutating func forget(_ session: SessionKey) {
        guard let number = sessions.removeValue(forKey: session)?.number else { return approvals.removeAll() }
        for key in approvals.keys where key.session == number { approvals[key] = nil }
    }
}

extension CommitMemory.Session {
    init(_ stored: StoredSession) { self.init(number: stored.number, host: stored.host, seq: stored.seq) }
}
