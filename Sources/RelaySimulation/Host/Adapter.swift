import RelayProtocol

/// What the daemon knows of approvals: in memory, and as notes in the spool that the next life reads.
struct Adapter {
    enum Phase: Equatable {
        /// The hook waits.
        case open(token: Int)
        /// The daemon that it waited on is gone; its hook may call again until this, by the clock that never jumps.
        case orphaned(until: Int64)
        case answered
    }

    struct Open {
        let id: ApprovalID
        let session: SessionID
        let run: Int
        /// The hook that asked.
        let token: Int
        let digest: InputDigest
        /// By the host's wall clock.
        let expiresAt: Int64
        /// The same by the clock that never jumps; nil where an earlier life asked.
        var steadyEnd: Int64?
        var phase: Phase
        /// What was handed to the hook, which may not have got it.
        var handed: Bool?
        /// Came while the hook was away.
        var held: (digest: InputDigest, decision: Decision)?

        var note: [UInt8] {
            let hand = handed.map { $0 ? "allow" : "deny" } ?? ""
            return Array("\(session)|\(run)|\(token)|\(digest.rawValue)|\(expiresAt)|\(hand)".utf8)
        }
    }

    static let reclaimWithin: Int64 = 10_000

    var open: [ApprovalID: Open] = [:]
    /// Resolved, and whether the relay was told by us.
    var closed: [ApprovalID: Bool] = [:]

    var inOrder: [Open] { open.values.sorted { $0.token < $1.token } }

    func runs(of agent: Agent) -> [Int] { Set(open.values.filter { agent.owns($0.session) }.map(\.run)).sorted() }

    mutating func restore(_ notes: [String: [UInt8]], until: Int64) {
        for (key, note) in notes {
            let parts = String(decoding: note, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false)
            guard let id = ApprovalID(key), parts.count == 6, let session = SessionID(String(parts[0])),
                let run = Int(parts[1]),
                let token = Int(parts[2]), let digest = InputDigest(String(parts[3])), let expiresAt = Int64(parts[4])
            else { preconditionFailure("a note is as it was written: the spool checks its bytes") }
            var approval = Open(
                id: id, session: session, run: run, token: token, digest: digest, expiresAt: expiresAt,
                phase: .orphaned(until: until))
            approval.handed = parts[5].isEmpty ? nil : parts[5] == "allow"
            open[id] = approval
        }
    }

    static func approval(of head: EventHead) -> ApprovalID? {
        switch head {
        case .approvalRequested(let request): request.approval
        case .approvalDelivered(let id), .approvalApplied(let id, _), .approvalCancelled(let id, _), .approvalStale(let id, _):
            id
        default: nil
        }
    }
}
