internal import HeliographHTTP2

/// Requests that wait for one browser, in their order. One of each topic is on its way at a time, and one without a topic goes alone; the
/// next waits for its outcome.
struct EndpointQueue {
    private(set) var waiting: [WebPushAttempt] = []
    private var flyingTopics: Set<WebPushTopic> = []
    /// One without a topic is on its way.
    private var fliesAlone = false
    /// Nothing is sent to it before.
    private(set) var backOffUntil: MonotonicTime?

    var isEmpty: Bool { waiting.isEmpty && flyingTopics.isEmpty && !fliesAlone && backOffUntil == nil }

    /// The request that may be sent now.
    func next(_ limits: WebPushLimits) -> WebPushAttempt? { place(limits).map { waiting[$0] } }

    private func place(_ limits: WebPushLimits) -> Int? {
        guard backOffUntil == nil, !fliesAlone, flyingTopics.count < limits.endpointFlightsMax else { return nil }
        let place = waiting.firstIndex { $0.topic.map { !flyingTopics.contains($0) } ?? true }
        guard let place, waiting[place].topic == nil else { return place }
        return flyingTopics.isEmpty && place == 0 ? place : nil
    }

    var firstEnd: MonotonicTime? { waiting.lazy.map(\.until).min() }

    /// Hands back those whose place the new one takes.
    mutating func append(_ attempt: WebPushAttempt) -> [WebPushAttempt] {
        let superseded = attempt.topic.map { topic in remove { $0.topic == topic } } ?? []
        waiting.append(attempt)
        return superseded
    }

    mutating func takeNext(_ limits: WebPushLimits) -> WebPushAttempt? {
        guard let place = place(limits) else { return nil }
        let next = waiting.remove(at: place)
        if let topic = next.topic { flyingTopics.insert(topic) } else { fliesAlone = true }
        return next
    }

    mutating func landed(_ attempt: WebPushAttempt) {
        if let topic = attempt.topic { flyingTopics.remove(topic) } else { fliesAlone = false }
    }

    /// Returns a request that has landed to the head of the queue. False if a later one has its topic and is to be sent instead.
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
