import RelayProtocol

/// What has been accepted and is not yet on disk.
struct Staging {
    /// In the order the sessions were first touched.
    private(set) var order: [SessionKey] = []
    private(set) var appends: [SessionKey: Staged] = [:]

    struct Staged {
        var firstSeq: Int64
        var events: [LogEvent] = []
        var changedApprovals: Set<ApprovalID> = []
    }

    var isEmpty: Bool { order.isEmpty }

    mutating func add(_ event: Event, seq: Int64, to key: SessionKey, changing approval: ApprovalID?) {
        if appends[key] == nil {
            order.append(key)
            appends[key] = Staged(firstSeq: seq)
        }
        appends[key]?.events.append(LogEvent(kind: event.head.kind, at: event.at, bytes: event.bytes))
        if let approval { appends[key]?.changedApprovals.insert(approval) }
    }

    /// The transaction, with each session as it is staged now.
    func batch(_ sessions: [SessionKey: Session]) -> LogBatch {
        LogBatch(
            appends: order.map { key in
                guard let staged = appends[key], let view = sessions[key]?.staged else {
                    preconditionFailure("a session with staged events is held until they are committed or dropped")
                }
                return SessionAppend(
                    key: key, firstSeq: staged.firstSeq, events: staged.events, state: view.state,
                    approvals: staged.changedApprovals.compactMap { view.approvals[$0] })
            })
    }
}
