internal import HeliographHTTP2

/// Requests that wait for one browser, in their order. Only one request of each topic is in flight at a time, and a request without
/// a topic is sent alone; the next waits for its outcome.
struct EndpointQueue {
    private(set) var waiting: [WebPushAttempt] = []
    private var flyingTopics: Set<WebPushTopic> = []
    /// True if a request without a topic is in flight.
    private var fliesAlone = false
    /// Nothing is sent to this endpoint before this time.
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

    /// Adds a request. Returns the ones that it replaces.
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

    /// Puts a request that was in flight back to the head of the queue. Returns false if a later one of its topic is to be sent
    /// instead.
    mutating func putBack(_ attempt: WebPushAttempt) -> Bool {
        guard attempt.topic == nil || !waiting.contains(where: { $0.topic == attempt.topic }) else { return false }
        waiting.insert(attempt, at: 0)
        return true
    }

    mutating func backOff(until: MonotonicTime) { backOffUntil = max(backOffUntil ?? until, until) }

    mutating func release(at now: MonotonicTime) {
        if let backOffUntil, backOffUntil <= now { self.backOffUntil = nil }
    }

    /// Removes and returns the matching requests.
    mutating func remove(where matches: (WebPushAttempt) -> Bool) -> [WebPushAttempt] {
        let removed = waiting.filter(matches)
        if !removed.isEmpty { waiting.removeAll(where: matches) }
        return removed
    }
}
