internal import HeliographHTTP2

/// Requests that may be sent, those of high priority first, else in their order.
struct RequestQueue {
    private var urgent = Line()
    private var others = Line()

    var count: Int { urgent.count + others.count }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ request: LaneRequest) {
        if request.isUrgent { urgent.append(request) } else { others.append(request) }
    }

    mutating func popFirst() -> LaneRequest? { urgent.popFirst() ?? others.popFirst() }

    /// Time at which the first of them expires.
    var firstEnd: MonotonicTime? { [urgent.firstEnd, others.firstEnd].compactMap(\.self).min() }

    /// Removes and returns the matching requests.
    mutating func remove(where matches: (LaneRequest) -> Bool) -> [LaneRequest] {
        urgent.remove(where: matches) + others.remove(where: matches)
    }

    /// An array from whose front elements are taken.
    private struct Line {
        private var requests: [LaneRequest?] = []
        private var start = 0
        var count: Int { requests.count - start }

        var firstEnd: MonotonicTime? { requests[start...].lazy.compactMap { $0?.until }.min() }

        mutating func append(_ request: LaneRequest) { requests.append(request) }

        mutating func popFirst() -> LaneRequest? {
            guard start < requests.count else { return nil }
            let first = requests[start]
            requests[start] = nil
            start += 1
            // Half of the array is used: moving the rest costs each request one move at most.
            if start * 2 >= requests.count {
                requests.removeFirst(start)
                start = 0
            }
            return first
        }

        mutating func remove(where matches: (LaneRequest) -> Bool) -> [LaneRequest] {
            let all = requests[start...].compactMap(\.self)
            let removed = all.filter(matches)
            if !removed.isEmpty {
                requests = all.filter { !matches($0) }
                start = 0
            }
            return removed
        }
    }
}
