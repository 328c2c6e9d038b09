internal import HeliographHTTP2

/// The current connection to a push service, and old ones with requests in flight. A connection has a number, its generation.
struct OriginLink {
    enum State: Equatable {
        /// No connection, and none is needed. Becomes connecting, or pausing.
        case idle
        /// Connecting. Becomes open, idle or pausing.
        case connecting
        /// Open for as many requests as the server allows. Becomes idle or pausing.
        case open
        /// Does not connect for a while. Becomes idle.
        case pausing(until: MonotonicTime)
    }

    private(set) var state = State.idle
    /// Number of the current connection, or of the next one.
    private(set) var generation = 1
    private var flightsHere = 0
    private var streamsMax = 1
    /// Old connections, with the number of requests in flight on each.
    private var draining: [Int: Int] = [:]
    /// True if this connection has brought a response.
    private(set) var isProven = false
    private var lastUsed: MonotonicTime?
    /// Consecutive connections that were of no use.
    private(set) var failures = 0

    var isUnused: Bool { state == .idle && draining.isEmpty }
    /// The connections' generations, the newest last.
    var generations: [Int] { draining.keys.sorted() + [generation] }

    func hasRoom(_ limits: WebPushLimits) -> Bool { state == .open && flightsHere < min(streamsMax, limits.streamsMax) }

    /// Time at which the state changes by itself.
    func dueAt(_ limits: WebPushLimits) -> MonotonicTime? {
        switch state {
        case .idle, .connecting: nil
        case .open: flightsHere == 0 ? lastUsed.map { $0 + limits.idleMax } : nil
        case .pausing(let until): until
        }
    }

    mutating func begin() { (state, streamsMax, isProven) = (.connecting, 1, false) }

    mutating func connected(_ generation: Int, streamsMax: Int, _ now: MonotonicTime) {
        guard generation == self.generation else { return }
        self.streamsMax = streamsMax
        guard state == .connecting else { return }
        (state, lastUsed) = (.open, now)
    }

    mutating func took() { flightsHere += 1 }

    /// A request on this connection has ended.
    /// - Returns: true if that was the last one of an old connection.
    mutating func landed(_ generation: Int, _ now: MonotonicTime) -> Bool {
        if generation == self.generation {
            flightsHere -= 1
            lastUsed = now
        } else if let count = draining[generation] {
            draining[generation] = count > 1 ? count - 1 : nil
            return count == 1
        }
        return false
    }

    mutating func answered(_ generation: Int) {
        if generation == self.generation { (isProven, failures) = (true, 0) }
    }

    mutating func closed(_ generation: Int) { draining[generation] = nil }

    /// Sends no new request on the current connection. Returns its number if it has none in flight and is to be closed; `isFailure`
    /// counts it as failed.
    mutating func retire(isFailure: Bool) -> Int? {
        guard state == .connecting || state == .open else { return nil }
        let old = generation
        if flightsHere > 0 { draining[old] = flightsHere }
        let isEmpty = flightsHere == 0
        (flightsHere, state) = (0, .idle)
        generation += 1
        if isFailure { failures += 1 }
        return isEmpty ? old : nil
    }

    /// To be called only without a connection.
    mutating func pause(until: MonotonicTime) {
        if case .pausing(let end) = state { state = .pausing(until: max(until, end)) } else { state = .pausing(until: until) }
    }

    /// - Returns: true if the connection has been unused for so long that it is to be retired.
    mutating func timePassed(_ limits: WebPushLimits, _ now: MonotonicTime) -> Bool {
        guard let due = dueAt(limits), due <= now else { return false }
        if state == .open { return true }
        state = .idle
        return false
    }

    mutating func stop() { (state, flightsHere, draining) = (.idle, 0, [:]) }
}
