import PushPlanner
import RelayModel
import RelayProtocol

/// What has been accepted and is not yet on disk.
struct Staging {
    /// In the order the sessions were first touched.
    private(set) var appends: [Staged] = []
    private var places: [SessionKey: Int] = [:]
    private(set) var eventBytes = 0
    private(set) var eventCount = 0
    private var hasApprovals = false
    /// About how much the batch makes the store write, in bytes. A session that goes on counts for nothing: it is in each batch, however
    /// small one is.
    private(set) var cost = 0
    /// Planned when the batch is cut: of sessions that it adds nothing to.
    var trims: [SessionTrim] = []
    var commands: [CommandRecord] = []
    var commandsForgottenBefore: Int64?
    /// What `trims` lets go of, and why.
    var removals = RemovalTally()
    var clock: AgeClockRecord?
    /// Records of pushes and budgets; where several have one name, the last holds.
    var records: [PushRecord] = []
    /// What its events add to costs.
    private(set) var spendings: [Spending] = []
    /// Sent when the records are on disk.
    var orders: [PushIntent] = []
    var recordWaiters: [RecordWaiter] = []
    /// Alerts about events of this very batch, by number: without it there is nothing to tell of.
    var tied: [DeviceKey: Set<Int64>] = [:]

    struct Staged {
        let key: SessionKey
        var firstSeq: Int64
        var events: [LogEvent] = []
        /// Every version of every approval that these events opened or changed, oldest first: each stage is history.
        var approvals: [Approval] = []

        /// One of these versions is a decision, of which a host may have to hear.
        var isDecided: Bool { approvals.contains { $0.stage.word == .decided } }
    }

    var isEmpty: Bool {
        appends.isEmpty && trims.isEmpty && commands.isEmpty && commandsForgottenBefore == nil && records.isEmpty
            && recordWaiters.isEmpty && clock == nil
    }

    /// A person or an agent waits for it: it holds a step of an approval, or a command.
    var isAwaited: Bool { hasApprovals || !commands.isEmpty || !recordWaiters.isEmpty }

    func has(_ key: SessionKey) -> Bool { places[key] != nil }

    /// `approval` as this event left it; nil where it changed none.
    mutating func add(_ event: Event, seq: Int64, to key: SessionKey, changing approval: Approval?) {
        let place = place(of: key, firstSeq: seq)
        appends[place].events.append(LogEvent(kind: event.head.kind, at: event.at, bytes: event.bytes))
        eventBytes += event.bytes.count
        eventCount += 1
        cost += event.bytes.count + Self.eventCost
        if let approval {
            appends[place].approvals.append(approval)
            hasApprovals = true
            cost += approval.requestBytes.count + Self.approvalCost
        }
    }

    mutating func spent(_ spending: Spending) { spendings.append(spending) }

    /// A number of the host's is used up by what is not recorded. `seq` is the session's last event.
    mutating func passOver(in key: SessionKey, after seq: Int64) { _ = place(of: key, firstSeq: seq + 1) }

    private mutating func place(of key: SessionKey, firstSeq: Int64) -> Int {
        // Events come in runs of one session. Compared where it is: what is taken out of the array is counted up and down.
        if !appends.isEmpty, appends[appends.count - 1].key == key { return appends.count - 1 }
        if let place = places[key] { return place }
        places[key] = appends.count
        appends.append(Staged(key: key, firstSeq: firstSeq))
        return appends.count - 1
    }

    /// The workspace was removed. That its devices are forgotten stays: a crash may come before its records go with the rest.
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

    /// It has not been on disk before.
    mutating func opened() { cost += Self.openingCost }

    /// Beside an event's bytes: its row. Without it a host with the smallest of events makes commits of seventeen thousand, four of which are a tenth of a
    /// second.
    private static let eventCost = 256
    /// Beside an approval's record: its line in the audit log.
    private static let approvalCost = 1_024
    /// What takes as long as a new session: a tenth of a millisecond.
    private static let openingCost = 8_192

    /// The transaction, with each session as it is staged now.
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
