internal import RelayModel
internal import RelayProtocol

/// Facts about stored rows, known from earlier commits, so that the next one need not read them: each query is a statement, and a
/// small commit consists of little else (decision record 0013).
///
/// Only the relay writes sessions and approvals, and only in commits. The command line adds audit records, too, so the remembered
/// end of the audit log is a guess, which is checked when a record is inserted with the next number.
///
/// A commit takes the memory and returns it. One that fails does not, and the next begins with an empty one.
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
        /// True if the approval cannot change any more.
        let isOver: Bool
    }

    private(set) var sessions: [SessionKey: Session] = [:]
    private(set) var approvals: [ApprovalKey: Approval] = [:]
    var audits: [WorkspaceID: AuditTable.Place] = [:]
    /// Names in this commit that the log had already: see `SessionLog.commit`.
    var taken: [ApprovalName] = []

    /// Limit for sessions, and for approvals; others are read again. Some 200 bytes each.
    package static let entriesMax = 4_096

    mutating func remember(_ session: Session, as key: SessionKey) {
        if sessions.count >= Self.entriesMax, sessions[key] == nil { sessions.removeAll(keepingCapacity: true) }
        sessions[key] = session
    }

    mutating func remember(_ approval: Approval, as key: ApprovalKey) {
        if approvals.count >= Self.entriesMax, approvals[key] == nil { approvals.removeAll(keepingCapacity: true) }
        approvals[key] = approval
    }

    /// Forgets a resolved approval, as most of them are not needed again.
    mutating func forget(_ key: ApprovalKey) { approvals[key] = nil }

    mutating func forget(_ session: SessionKey) {
        guard let number = sessions.removeValue(forKey: session)?.number else { return approvals.removeAll() }
        for key in approvals.keys where key.session == number { approvals[key] = nil }
    }
}

extension CommitMemory.Session {
    init(_ stored: StoredSession) { self.init(number: stored.number, host: stored.host, seq: stored.seq) }
}
