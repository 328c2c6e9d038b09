package import RelayProtocol

/// The port to the durable log. The core never calls it: an adapter carries `.append` and `.read` effects to it.
///
/// One contract suite (`SessionLogContract`) runs on every implementation.
package protocol SessionLog: Sendable {
    /// Which life of the log this is. Made once; a restored or replaced file has another.
    var epoch: Epoch { get }

    /// Everything that the core holds in memory, as of the last commit: every session, and the approvals that are open or were
    /// resolved at or after `resolvedSince` (milliseconds since 1970).
    func load(resolvedSince: Int64) throws -> LogState

    /// Makes a batch durable, all of it or nothing; it is on disk when this returns. Called from one thread at a time.
    func commit(_ batch: LogBatch) throws

    /// Events with `after < seq`, ascending, at most `limit` and, beyond the first, at most `bytesMax` bytes in sum.
    /// An unknown session has none. Safe to call while another thread commits.
    func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws -> LogPage

    /// The last events with `seq < before`, ascending, under the same limits (those nearest to `before` are kept).
    func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws -> LogPage
}

/// A session's name in the log: nothing is ever looked up without its workspace.
package struct SessionKey: Hashable, Sendable {
    package let workspace: WorkspaceID
    package let session: SessionID

    package init(workspace: WorkspaceID, session: SessionID) {
        self.workspace = workspace
        self.session = session
    }
}

/// What one tick made: to be committed in one transaction.
package struct LogBatch: Sendable {
    package var appends: [SessionAppend]

    package init(appends: [SessionAppend] = []) { self.appends = appends }
}

/// What one tick added to one session.
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
}

/// What the core starts from.
package struct LogState: Sendable {
    package var sessions: [(key: SessionKey, state: SessionState)]
    package var approvals: [(workspace: WorkspaceID, approval: Approval)]

    package init(
        sessions: [(key: SessionKey, state: SessionState)] = [],
        approvals: [(workspace: WorkspaceID, approval: Approval)] = []
    ) {
        self.sessions = sessions
        self.approvals = approvals
    }
}
