package import RelayModel
package import RelayProtocol

/// The port to the durable log. The core never calls it: an adapter carries `.append` and `.read` effects to it.
///
/// What the planner of pushes keeps (devices, cards, channels, budgets) comes in the batch of the events that changed it, so it is part
/// of this port: see `PushRecord`. One contract suite (`SessionLogContract`, `RetentionContract`, `PushRecordContract`) runs on every
/// implementation.
package protocol SessionLog {
    /// The present life of the log. Created once; a restored or replaced file has another.
    var epoch: Epoch { get }

    /// Everything that the core holds in memory, as of the last commit: every session, at least `Limits.removedSessionsMax` of the places of those
    /// that were removed where there are so many, the approvals that are open or were
    /// resolved at or after `resolvedSince`, and the commands that were recorded at or after `commandsSince` (both in
    /// milliseconds since 1970).
    func load(resolvedSince: Int64, commandsSince: Int64) throws(LogError) -> LogState

    /// Makes a batch durable, all of it or nothing; it is on disk when this returns. Called from one thread at a time.
    ///
    /// After `inDoubt` nobody knows whether it is there, and the same batch may be committed again; after any other error it is not there.
    ///
    /// An approval that is over never changes again: what a batch says of one is left out, and its name handed back. It asks again under
    /// a name that the log has had.
    @discardableResult func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName]

    /// The same; `told` is called with the names once the batch is on disk, before the rest of the work after a commit, because somebody
    /// waits. Throws only if it was not called.
    func commit(_ batch: LogBatch, told: ([ApprovalName]) -> Void) throws(LogError)

    /// Events with `after < seq`, ascending, at most `limit` and, beyond the first, at most `bytesMax` bytes in sum; throws `damaged` if
    /// the first of them is. An unknown session has none. Safe to call while another thread commits.
    func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage

    /// The last events with `seq < before`, ascending, under the same limits (those nearest to `before` are kept).
    func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage

    /// Positions at which these sessions would continue, as of the last commit. Unknown ones are left out. Safe to call while another
    /// thread commits.
    func places(of sessions: [SessionKey]) throws(LogError) -> [SessionKey: RemovedSession]

    /// One approval as of the last commit, however long ago it was resolved; nil if there is none or it was removed.
    /// Safe to call while another thread commits.
    func approval(_ id: ApprovalID, of session: SessionKey) throws(LogError) -> Approval?

    /// The approvals that this host's sessions have asked for, the newest first, of those whose numbers are below `before`; those that are
    /// damaged or too large are left out. Safe to call while another thread commits.
    func approvals(
        of host: HostID, in workspace: WorkspaceID, before: Int64, limit: Int, bytesMax: Int
    ) throws(LogError) -> ApprovalPage
}

extension SessionLog {
    package func commit(_ batch: LogBatch, told: ([ApprovalName]) -> Void) throws(LogError) { told(try commit(batch)) }
}

/// Changes of one tick: committed in one transaction, in this order.
package struct LogBatch: Sendable {
    package var appends: [SessionAppend]
    /// Removals by retention. No session is in both lists.
    package var trims: [SessionTrim]
    /// Commands with an effect outside the log, so that each has it once.
    package var commands: [CommandRecord]
    /// Commands that were recorded before this time (milliseconds since 1970) are forgotten; nil forgets none.
    package var commandsForgottenBefore: Int64?
    /// Records of the planner of pushes. If several have one name, the last holds.
    package var records: [PushRecord]
    /// Takes the place of the one before; nil leaves that.
    package var clock: AgeClockRecord?

    package init(
        appends: [SessionAppend] = [], trims: [SessionTrim] = [], commands: [CommandRecord] = [],
        commandsForgottenBefore: Int64? = nil, records: [PushRecord] = [], clock: AgeClockRecord? = nil
    ) {
        self.appends = appends
        self.trims = trims
        self.commands = commands
        self.commandsForgottenBefore = commandsForgottenBefore
        self.records = records
        self.clock = clock
    }

    /// The workspaces that the batch writes to.
    package var workspaces: Set<WorkspaceID> {
        var found = Set(appends.lazy.map(\.key.workspace))
        found.formUnion(trims.lazy.map(\.key.workspace))
        found.formUnion(commands.lazy.map(\.workspace))
        found.formUnion(records.lazy.map(\.workspace))
        return found
    }

    /// Something of it is of no workspace, or of each.
    package var concernsAll: Bool { clock != nil || commandsForgottenBefore != nil }
}

extension LogBatch {
    package var eventBytes: Int { appends.reduce(0) { $0 + $1.events.reduce(0) { $0 + $1.bytes.count } } }
}

/// Removes the oldest events of a session. Its numbering goes on as if nothing had happened.
package struct SessionTrim: Sendable {
    package var key: SessionKey
    /// Events `1...through` are no longer in the log. Not beyond the session's last event.
    package var through: Int64
    /// The session without these events. Nil removes the session: all its events, its approvals and its state; its position (host, `seq`,
    /// `hostSeq`) and its `usage` stay, so that it can continue there, no position means two things, and no cost counts twice.
    package var state: SessionState?
    /// See `RemovedSession.usage`; empty unless the session is removed.
    package var usage: [UInt8]

    package init(key: SessionKey, through: Int64, state: SessionState?, usage: [UInt8] = []) {
        self.key = key
        self.through = through
        self.state = state
        self.usage = usage
    }
}

/// A client's command that has an effect outside the log, recorded before it has it.
package struct CommandRecord: Sendable, Hashable {
    package var workspace: WorkspaceID
    package var client: ClientID
    package var command: CommandID
    /// Milliseconds since 1970.
    package var at: Int64

    package init(workspace: WorkspaceID, client: ClientID, command: CommandID, at: Int64) {
        self.workspace = workspace
        self.client = client
        self.command = command
        self.at = at
    }
}

/// The place of a session that retention removed.
package struct RemovedSession: Sendable, Equatable {
    package var host: HostID
    package var seq: Int64
    package var hostSeq: Int64
    /// Its usage, as `SessionState.usage`: a host that continues it counts from there. Empty: none.
    package var usage: [UInt8]

    /// Bytes that its row takes, for ever.
    package static let placeBytes: Int64 = 512

    package init(host: HostID, seq: Int64, hostSeq: Int64, usage: [UInt8] = []) {
        self.host = host
        self.seq = seq
        self.hostSeq = hostSeq
        self.usage = usage
    }
}

/// One tick's additions to one session.
package struct SessionAppend: Sendable {
    package var key: SessionKey
    /// The number of `events[0]`; the log holds exactly `firstSeq - 1` events of this session before it.
    package var firstSeq: Int64
    package var events: [LogEvent]
    /// The session after these events.
    package var state: SessionState
    /// Every version of the approvals that these events opened or changed, oldest first: the last is what it is now, and each
    /// new stage is a line of its history.
    package var approvals: [Approval]

    package init(key: SessionKey, firstSeq: Int64, events: [LogEvent], state: SessionState, approvals: [Approval]) {
        self.key = key
        self.firstSeq = firstSeq
        self.events = events
        self.state = state
        self.approvals = approvals
    }
}

/// One event as the log keeps it.
package struct LogEvent: Sendable, Equatable {
    package var kind: String
    /// Milliseconds since 1970, as the event says.
    package var at: Int64
    /// The whole event, byte for byte.
    package var bytes: [UInt8]

    package init(kind: String, at: Int64, bytes: [UInt8]) {
        self.kind = kind
        self.at = at
        self.bytes = bytes
    }
}

/// A run of stored events.
package struct LogPage: Sendable, Equatable {
    /// The number of the first; meaningless where `events` is empty.
    package var first: Int64
    package var events: [[UInt8]]

    package init(first: Int64, events: [[UInt8]]) {
        self.first = first
        self.events = events
    }

    /// One that was read backwards, the right way round: its `first` was the greatest of its numbers.
    package var turned: LogPage { LogPage(first: first - Int64(max(events.count - 1, 0)), events: events.reversed()) }
}

/// The core's initial state.
package struct LogState: Sendable {
    package var sessions: [(key: SessionKey, state: SessionState)]
    package var removed: [(key: SessionKey, place: RemovedSession)]
    /// The log has more of them.
    package var hasMoreRemoved = false
    /// Bytes of audit lines and places of all of them.
    package private(set) var bytesOfRemoved: [WorkspaceID: Int64] = [:]
    package var approvals: [(workspace: WorkspaceID, approval: Approval)]
    package var commands: [CommandRecord]
    /// Every record that the planner of pushes keeps, in the order of their names.
    package var records: [PushRecord]
    /// Nil if no relay has left one.
    package var clock: AgeClockRecord?

    package init(
        sessions: [(key: SessionKey, state: SessionState)] = [], removed: [(key: SessionKey, place: RemovedSession)] = [],
        approvals: [(workspace: WorkspaceID, approval: Approval)] = [], commands: [CommandRecord] = [],
        records: [PushRecord] = [], clock: AgeClockRecord? = nil
    ) {
        self.sessions = sessions
        self.clock = clock
        self.removed = []
        self.approvals = approvals
        self.commands = commands
        self.records = records
        for (key, place) in removed { addRemoved(key, place) }
    }

    /// Adds a position that the log returns, up to as many as the core keeps in memory.
    package mutating func addRemoved(_ key: SessionKey, _ place: RemovedSession) {
        let bytes = SessionState.auditBytes(ofUsage: place.usage) + RemovedSession.placeBytes
        bytesOfRemoved[key.workspace, default: 0] += bytes
        if removed.count < Limits.removedSessionsMax { removed.append((key, place)) } else { hasMoreRemoved = true }
    }
}
