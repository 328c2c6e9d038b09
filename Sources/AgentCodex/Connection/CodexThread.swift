internal import HostCore
internal import RelayProtocol

/// Progress of watching one thread on this connection.
struct CodexThread {
    enum Phase {
        /// Cannot be resumed before its first turn. Tried at `due`, or at its next sign of life; becomes resuming.
        case waiting(due: Int64?)
        /// Becomes catchingUp, or waiting if it cannot be resumed.
        case resuming
        /// Resumed before the thread that has spawned it: its messages are buffered until that one is, or this is over. Becomes catchingUp.
        case awaitingParent(String, resumed: JSONValue, due: Int64)
        /// The earlier items of its turn are being sent to us; newer ones are buffered. Becomes watched.
        case catchingUp(due: Int64)
        case watched
        /// A side thread of Codex's own, such as the one that finds a title.
        case ignored
    }

    var phase = Phase.waiting(due: nil)
    var checkout: Checkout?
    private(set) var attempts = 0
    /// The thread rested, and we unsubscribed. It can be watched again at any time.
    var isLetGo = false
    /// The thread began to work while we looked: the items of its turn are news.
    var wasSeenActive = false
    private(set) var buffered: [(message: JSONDocument, token: HookToken)] = []

    var isWatched: Bool { if case .watched = phase { true } else { false } }
    /// Codex has let us in on this connection.
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

    mutating func showsLife() { attempts = 0 }

    /// The thread could not be resumed: schedules another attempt, if there is one before its next sign of life.
    mutating func failed(_ limits: CodexLimits, at now: Int64) {
        attempts += 1
        isLetGo = false
        let isHopeful = wasSeenActive && attempts < limits.resumeAttemptsMax
        phase = .waiting(due: isHopeful ? now + limits.resumeRetry.milliseconds << Int64(attempts - 1) : nil)
    }

    /// False if there is no more room: then the buffered messages are processed now.
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
