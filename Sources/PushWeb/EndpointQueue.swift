internal import HeliographHTTP2

/// What waits for one browser, in its order: one request at a time is on its way, and whatever follows it waits for its outcome.
struct EndpointQueue {
    private(set) var waiting: [WebPushAttempt] = []
    private var isFlying = false
    /// Nothing is sent to it before.
    private(set) var backOffUntil: MonotonicTime?

    var isEmpty: Bool { waiting.isEmpty && !isFlying && backOffUntil == nil }
    /// Whether its first request may be sent now.
    var isReady: Bool { !isFlying && backOffUntil == nil && !waiting.isEmpty }
    var firstEnd: MonotonicTime? { waiting.lazy.map(\.until).min() }

    /// Hands back those whose place the new one takes.
    mutating func append(_ attempt: WebPushAttempt) -> [WebPushAttempt] {
        let superseded = attempt.topic.map { topic in remove { $0.topic == topic } } ?? []
        waiting.append(attempt)
        return superseded
    }

    mutating func takeFirst() -> WebPushAttempt {
        isFlying = true
        return waiting.removeFirst()
    }

    mutating func landed() { isFlying = false }

    /// Puts one that has landed back to the head. False where a later one has its topic: that one is to be sent in its place.
    mutating func putBack(_ attempt: WebPushAttempt) -> Bool {
        guard attempt.topic == nil || !waiting.contains(where: { $0.topic == attempt.topic }) else { return false }
        waiting.insert(attempt, at: 0)
        return true
    }

    mutating func backOff(until: MonotonicTime) { backOffUntil = max(backOffUntil ?? until, until) }

    mutating func release(at now: MonotonicTime) {
        if let backOffUntil, backOffUntil <= now { self.backOffUntil = nil }
    }

    /// Takes out those that match.
    mutating func remove(where matches: (WebPushAttempt) -> Bool) -> [WebPushAttempt] {
        let removed = waiting.filter(matches)
        if !removed.isEmpty { waiting.removeAll(where: matches) }
        return removed
    }
}
