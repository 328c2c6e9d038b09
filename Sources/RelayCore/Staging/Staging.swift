import PushPlanner
import RelayModel
import RelayProtocol

/// Changes that were accepted and are not on disk yet.
struct Staging {
    /// Appends, in the order in which their sessions were first touched.
    private(set) var appends: [Staged] = []
    private var places: [SessionKey: Int] = [:]
    private(set) var eventBytes = 0
    private(set) var eventCount = 0
    private var hasApprovals = false
    /// Approximate bytes that the store writes for this batch. A session that exists already counts as nothing: it is in each
    /// batch, however small that is.
    private(set) var cost = 0
    /// Removals, planned when the batch is cut; of sessions that it adds nothing to.
    var trims: [SessionTrim] = []
    var commands: [CommandRecord] = []
    var commandsForgottenBefore: Int64?
    /// Events that `trims` removes, counted by reason.
    var removals = RemovalTally()
    var clock: AgeClockRecord?
    /// Records of pushes and budgets; if several have the same name, the last one counts.
    var records: [PushRecord] = []
    /// Costs of the batch's events.
    private(set) var spendings: [Spending] = []
    /// Pushes that are sent when the records are on disk.
    var orders: [PushIntent] = []
    var recordWaiters: [RecordWaiter] = []
    /// Numbers of alerts about events of this batch: if the batch is lost, they have nothing to report.
    var tied: [DeviceKey: Set<Int64>] = [:]

    struct Staged {
        let key: SessionKey
        var firstSeq: Int64
        var events: [LogEvent] = []
        /// Every version of every approval that these events opened or changed, oldest first: each stage is history.
        private(set) var approvals: [Approval] = []
        /// True if one of these versions is a decision, which may have to be sent to a host.
        private(set) var isDecided = false

        mutating func add(_ approval: Approval) {
            approvals.append(approval)
            if approval.stage.word == .decided { isDecided = true }
        }
    }

    var isEmpty: Bool {
        appends.isEmpty && trims.isEmpty && commands.isEmpty && commandsForgottenBefore == nil && records.isEmpty
            && recordWaiters.isEmpty && clock == nil
    }

    /// True if a person or an agent waits for the batch: it has a step of an approval, or a command.
    var isAwaited: Bool { hasApprovals || !commands.isEmpty || !recordWaiters.isEmpty }

    func has(_ key: SessionKey) -> Bool { places[key] != nil }

    /// `approval`: its version after this event; nil if the event changes none.
    mutating func add(_ event: Event, seq: Int64, to key: SessionKey, changing approval: Approval?) {
        let place = place(of: key, firstSeq: seq)
        appends[place].events.append(LogEvent(kind: event.head.kind, at: event.at, bytes: event.bytes))
        eventBytes += event.bytes.count
        eventCount += 1
        cost += event.bytes.count + Self.eventCost
        if let approval {
            appends[place].add(approval)
            hasApprovals = true
            cost += approval.requestBytes.count + Self.approvalCost
        }
    }

    mutating func spent(_ spending: Spending) { spendings.append(spending) }

    /// Records that a number of the host's was used without an event in the log. `seq`: the session's last event.
    mutating func passOver(in key: SessionKey, after seq: Int64) { _ = place(of: key, firstSeq: seq + 1) }

    private mutating func place(of key: SessionKey, firstSeq: Int64) -> Int {
        // Consecutive events mostly belong to one session. Compared in place, as taking the element out of the array would cost
        // reference counting.
        if !appends.isEmpty, appends[appends.count - 1].key == key { return appends.count - 1 }
        if let place = places[key] { return place }
        places[key] = appends.count
        appends.append(Staged(key: key, firstSeq: firstSeq))
        return appends.count - 1
    }

    /// Drops a removed workspace's changes. Removals of its devices are kept: a crash may come before their records are deleted
    /// with the rest.
    mutating func remove(_ workspace: WorkspaceID) {
        let kept = appends.filter { $0.key.workspace != workspace }
        if kept.count < appends.count {
            appends = kept
            places = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1.key, $0) })
            eventBytes = kept.reduce(0) { $0 + $1.events.reduce(0) { $0 + $1.bytes.count } }
            eventCount = kept.reduce(0) { $0 + $1.events.count }
        }
        commands.removeAll { $0.workspace == workspace }
        records.removeAll { $0.workspace == workspace && $0.kind.isCount }
        spendings.removeAll { $0.key.workspace == workspace }
        tied = tied.filter { $0.key.workspace != workspace }
    }

    /// Counts the cost of a session that was not on disk before.
    mutating func opened() { cost += Self.openingCost }

    /// Cost of an event's row, besides its bytes. Without it a host with the smallest events makes commits of seventeen thousand,
    /// four of which take a tenth of a second.
    private static let eventCost = 256
    /// Cost of an approval's line in the audit log, besides its record.
    private static let approvalCost = 1_024
    /// Bytes that the store writes in the time that a new session takes it: a tenth of a millisecond.
    private static let openingCost = 8_192

    /// The batch for the log, with each session's staged state.
    func batch(_ staged: (SessionKey) -> SessionView?) -> LogBatch {
        LogBatch(
            appends: appends.map { append in
                guard let view = staged(append.key) else {
                    preconditionFailure("a session with staged events is held until they are committed or dropped")
                }
                return SessionAppend(
                    key: append.key, firstSeq: append.firstSeq, events: append.events, state: view.state,
                    approvals: append.approvals)
            },
            trims: trims, commands: commands, commandsForgottenBefore: commandsForgottenBefore,
            records: PushRecord.latest(records), clock: clock)
    }
}

/// A command that is answered when its records are on disk.
struct RecordWaiter {
    let peer: PeerID
    let command: CommandID
}
