internal import HeliographHTTP2

/// Requests that are tried again later, and not before.
struct DelayedRequests {
    private var entries: [(request: LaneRequest, notBefore: MonotonicTime)] = []

    var count: Int { entries.count }
    /// When one of them is due, or over.
    var next: MonotonicTime? { entries.map { min($0.notBefore, $0.request.until) }.min() }

    mutating func add(_ request: LaneRequest, notBefore: MonotonicTime) { entries.append((request, notBefore)) }

    mutating func takeAll() -> [LaneRequest] {
        defer { entries = [] }
        return entries.map(\.request)
    }

    /// Takes out those that match.
    mutating func take(where matches: (LaneRequest) -> Bool) -> [LaneRequest] {
        let taken = entries.filter { matches($0.request) }
        if !taken.isEmpty { entries.removeAll { matches($0.request) } }
        return taken.map(\.request)
    }

    /// Those that nobody waits for any more, and those whose wait is over.
    mutating func take(at now: MonotonicTime) -> (over: [LaneRequest], due: [LaneRequest]) {
        let over = entries.filter { $0.request.until <= now }
        let due = entries.filter { $0.request.until > now && $0.notBefore <= now }
        entries.removeAll { $0.request.until <= now || $0.notBefore <= now }
        return (over.map(\.request), due.map(\.request))
    }
}
