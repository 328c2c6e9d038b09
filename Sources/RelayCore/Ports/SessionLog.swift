package import RelayModel
package import RelayProtocol

/// The port to the durable log. The core never calls it: an adapter passes `.append` and `.read` effects to it.
///
/// The push planner's records (devices, cards, channels, budgets) are in the batch of the events that changed them, so they are
/// part of this port: see `PushRecord`. One contract suite (`SessionLogContract`, `RetentionContract`, `PushRecordContract`) runs
/// on every implementation.
package protocol SessionLog {
    /// The log's current epoch. Created once; a restored or replaced file has another.
    var epoch: Epoch { get }

    /// Everything that the core holds in memory, as of the last commit: every session; at least `Limits.removedSessionsMax` of the
    /// removed sessions' positions, if there are so many; the approvals that are open or were resolved at or after `resolvedSince`
    /// (milliseconds since 1970); and all commands, because the core forgets old ones by a clock that does not jump.
    func load(resolvedSince: Int64) throws(LogError) -> LogState

    /// Makes a batch durable, all of it or nothing; it is on disk when this returns. Called on one thread at a time.
    ///
    /// After `inDoubt` it is unknown whether the batch is stored, and the same batch may be committed again; after any other error
    /// it is not stored.
    ///
    /// A resolved approval never changes again: what a batch says about one is left out, and its name returned. That happens when
    /// an approval is requested under a name that the log already has.
    @discardableResult func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName]

    /// Commits like `commit(_:)`; `told` is called with the names once the batch is on disk, before the other work after a commit,
    /// because peers wait for it. Throws only if `told` was not called.
    func commit(_ batch: LogBatch, told: ([ApprovalName]) -> Void) throws(LogError)

    /// Events with `after < seq`, ascending, at most `limit` and, beyond the first, at most `bytesMax` bytes in sum; throws
    /// `damaged` if the first of them is. Empty for an unknown session. Safe to call while another thread commits.
    func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage

    /// The last events with `seq < before`, ascending, under the same limits (the events nearest to `before` are returned).
    func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage

    /// Positions from which these sessions would continue, as of the last commit. Unknown sessions are left out. Safe to call while
    /// another thread commits.
    func places(of sessions: [SessionKey]) throws(LogError) -> [SessionKey: RemovedSession]

    /// One approval as of the last commit, however long ago it was resolved; nil if there is none or it was removed.
    /// Safe to call while another thread commits.
    func approval(_ id: ApprovalID, of session: SessionKey) throws(LogError) -> Approval?

    /// Approvals of this host's sessions with numbers below `before`, the newest first; damaged and too large ones are left out.
    /// Safe to call while another thread commits.
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
    /// Commands recorded before this time (milliseconds since 1970) are removed; nil removes none.
    package var commandsForgottenBefore: Int64?
    /// Records of the push planner. If several have the same name, the last one counts.
    package var records: [PushRecord]
    /// Replaces the stored record; nil leaves it.
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

    package var workspaces: Set<WorkspaceID> {
        var found = Set(appends.lazy.map(\.key.workspace))
        found.formUnion(trims.lazy.map(\.key.workspace))
        found.formUnion(commands.lazy.map(\.workspace))
        found.formUnion(records.lazy.map(\.workspace))
        return found
    }

    /// True if part of the batch belongs to no workspace, or to all.
    package var concernsAll: Bool { clock != nil || commandsForgottenBefore != nil }
}

extension LogBatch {
    package var eventBytes: Int { appends.reduce(0) { $0 + $1.events.reduce(0) { $0 + $1.bytes.count } } }
}

/// Removes the oldest events of a session. Its numbering continues unchanged.
package struct SessionTrim: Sendable {
    package var key: SessionKey
    /// Events `1...through` are removed from the log. At most the session's last event.
    package var through: Int64
    /// The session without these events. Nil removes the session: all its events, its approvals and its state. Its position (host,
    /// `seq`, `hostSeq`) and its `usage` are kept, so that it can continue there, no position is used twice, and no cost is counted
    /// twice.
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

/// A client's command with an effect outside the log, recorded before the effect.
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

/// The position of a session that retention removed.
package struct RemovedSession: Sendable, Equatable {
    package var host: HostID
    package var seq: Int64
    package var hostSeq: Int64
    /// The session's usage, as `SessionState.usage`: a host that resumes it counts from there. Empty if there was none.
    package var usage: [UInt8]

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
    /// Number of `events[0]`: the log has exactly `firstSeq - 1` events of this session before it.
    package var firstSeq: Int64
    package var events: [LogEvent]
    /// The session's state after these events.
    package var state: SessionState
    /// Every version of the approvals that these events opened or changed, oldest first: the last version is the current one, and
    /// each new stage is a line of the approval's history.
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
    /// Milliseconds since 1970, from the event.
    package var at: Int64
    /// The whole event, byte for byte.
    package var bytes: [UInt8]

    package init(kind: String, at: Int64, bytes: [UInt8]) {
        self.kind = kind
        self.at = at
        self.bytes = bytes
    }
}

/// Consecutive stored events.
package struct LogPage: Sendable, Equatable {
    /// Number of the first event; meaningless if `events` is empty.
    package var first: Int64
    package var events: [[UInt8]]

    package init(first: Int64, events: [[UInt8]]) {
        self.first = first
        self.events = events
    }

    /// Reverses a page that was read backwards, whose `first` is the greatest number.
    package var turned: LogPage { LogPage(first: first - Int64(max(events.count - 1, 0)), events: events.reversed()) }
}

/// The core's initial state.
package struct LogState: Sendable {
    package var sessions: [(key: SessionKey, state: SessionState)]
    package var removed: [(key: SessionKey, place: RemovedSession)]
    /// True if the log has more removed sessions.
    package var hasMoreRemoved = false
    package var approvals: [(workspace: WorkspaceID, approval: Approval)]
    package var commands: [CommandRecord]
    /// Every record of the push planner, ordered by name.
    package var records: [PushRecord]
    /// Nil if no relay has written one.
    package var clock: AgeClockRecord?

    package init(
        sessions: [(key: SessionKey, state: SessionState)] = [], removed: [(key: SessionKey, place: RemovedSession)] = [],
        approvals: [(workspace: WorkspaceID, approval: Approval)] = [], commands: [CommandRecord] = [],
        records: [PushRecord] = [], clock: AgeClockRecord? = nil
    ) {
        self.sessions = sessions
        self.clock = clock
        self.removed = removed
        self.approvals = approvals
        self.commands = commands
        self.records = records
    }

    /// Adds a removed session's position, up to as many as the core keeps in memory.
    package mutating func addRemoved(_ key: SessionKey, _ place: RemovedSession) {
        if removed.count < Limits.removedSessionsMax { removed.append((key, place)) } else { hasMoreRemoved = true }
    }
}
