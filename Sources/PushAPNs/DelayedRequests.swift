internal import HeliographHTTP2

/// Requests that wait for their next attempt.
struct DelayedRequests {
    private var entries: [(request: LaneRequest, notBefore: MonotonicTime)] = []

    var count: Int { entries.count }
    /// Time at which the first of them is due or expires.
    var next: MonotonicTime? { entries.map { min($0.notBefore, $0.request.until) }.min() }

    mutating func add(_ request: LaneRequest, notBefore: MonotonicTime) { entries.append((request, notBefore)) }

    mutating func takeAll() -> [LaneRequest] {
        defer { entries = [] }
        return entries.map(\.request)
    }

    /// Removes and returns the matching requests.
    mutating func take(where matches: (LaneRequest) -> Bool) -> [LaneRequest] {
        let taken = entries.filter { matches($0.request) }
        if !taken.isEmpty { entries.removeAll { matches($0.request) } }
        return taken.map(\.request)
    }

    /// Removes and returns the expired requests and those that are due.
    mutating func take(at now: MonotonicTime) -> (over: [LaneRequest], due: [LaneRequest]) {
        let over = entries.filter { $0.request.until <= now }
        let due = entries.filter { $0.request.until > now && $0.notBefore <= now }
        entries.removeAll { $0.request.until <= now || $0.notBefore <= now }
        return (over.map(\.request), due.map(\.request))
    }
}
