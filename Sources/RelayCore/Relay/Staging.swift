import RelayProtocol

/// What has been accepted and is not yet on disk.
struct Staging {
    /// In the order the sessions were first touched.
    private(set) var order: [SessionKey] = []
    private(set) var appends: [SessionKey: Staged] = [:]
    /// Planned when the batch is cut: of sessions that it adds nothing to.
    var trims: [SessionTrim] = []
    var commands: [CommandRecord] = []
    var commandsForgottenBefore: Int64?

    struct Staged {
        var firstSeq: Int64
        var events: [LogEvent] = []
        /// Every version of every approval that these events opened or changed, oldest first: each stage is history.
        var approvals: [Approval] = []
    }

    var isEmpty: Bool { order.isEmpty && trims.isEmpty && commands.isEmpty && commandsForgottenBefore == nil }

    /// `approval` as this event left it; nil where it changed none.
    mutating func add(_ event: Event, seq: Int64, to key: SessionKey, changing approval: Approval?) {
        if appends[key] == nil {
            order.append(key)
            appends[key] = Staged(firstSeq: seq)
        }
        appends[key]?.events.append(LogEvent(kind: event.head.kind, at: event.at, bytes: event.bytes))
        if let approval { appends[key]?.approvals.append(approval) }
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
                    approvals: staged.approvals)
            },
            trims: trims, commands: commands, commandsForgottenBefore: commandsForgottenBefore)
    }
}
