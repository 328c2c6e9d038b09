internal import HostCore
internal import RelayProtocol

/// Progress of watching one thread on this connection.
struct CodexThread {
    enum Phase {
        /// The thread cannot be resumed before its first turn. Tried at `due`, or at its next sign of life; becomes resuming.
        case waiting(due: Int64?)
        /// The thread is being resumed. Becomes catchingUp, or waiting if it cannot be resumed.
        case resuming
        /// The thread was resumed before its parent. Its messages are buffered until the parent is reported, or until `due`.
        /// Becomes catchingUp.
        case awaitingParent(String, resumed: JSONValue, due: Int64)
        /// The earlier items of the thread's turn are being sent to us, and newer ones are buffered. Becomes watched.
        case catchingUp(due: Int64)
        case watched
        /// An auxiliary thread of Codex's own, such as the one that finds a title.
        case ignored
    }

    var phase = Phase.waiting(due: nil)
    var checkout: Checkout?
    /// The last turn, until it is known if earlier ones were reverted while nobody here watched the thread.
    private var last: JSONValue?
    private(set) var attempts = 0
    /// True if the thread was idle and we unsubscribed. It can be watched again at any time.
    var isLetGo = false
    /// True if the thread began to work while we were joining: the items of its turn are news.
    var wasSeenActive = false
    private(set) var buffered: [(message: JSONDocument, token: HookToken)] = []

    var isWatched: Bool { if case .watched = phase { true } else { false } }
    /// True if Codex has let us join the thread on this connection.
    var isJoined: Bool {
        switch phase {
        case .awaitingParent, .catchingUp, .watched: true
        case .waiting, .resuming, .ignored: false
        }
    }

    var isCatchingUp: Bool {
        switch phase {
        case .awaitingParent, .catchingUp: true
        case .waiting, .resuming, .watched, .ignored: false
        }
    }

    var isIgnored: Bool { if case .ignored = phase { true } else { false } }
    var isWaiting: Bool { if case .waiting = phase { true } else { false } }

    /// Monotonic time at which something is due.
    var due: Int64? {
        switch phase {
        case .waiting(let due): due
        case .catchingUp(let due), .awaitingParent(_, _, let due): due
        case .resuming, .watched, .ignored: nil
        }
    }

    mutating func keep(last: JSONValue) { self.last = last }

    mutating func takeLast() -> JSONValue? {
        defer { last = nil }
        return last
    }

    mutating func showsLife() { attempts = 0 }

    /// The thread could not be resumed: schedules another attempt, if there is one before its next sign of life.
    mutating func failed(_ limits: CodexLimits, at now: Int64) {
        attempts += 1
        isLetGo = false
        let isHopeful = wasSeenActive && attempts < limits.resumeAttemptsMax
        phase = .waiting(due: isHopeful ? now + limits.resumeRetry.milliseconds << Int64(attempts - 1) : nil)
    }

    /// Buffers a message. Returns false if there is no more room: then the buffered messages are processed now.
    mutating func buffer(_ message: JSONDocument, _ token: HookToken, countMax: Int) -> Bool {
        guard buffered.count < countMax else { return false }
        buffered.append((message, token))
        return true
    }

    mutating func takeBuffered() -> [(message: JSONDocument, token: HookToken)] {
        defer { buffered = [] }
        return buffered
    }
}
