internal import Synchronization

/// Events in order; a test awaits one instead of sleeping.
package final class EventLog<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var consumed: Set<Int> = []
        var isFinished = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var nextWaiter = 0
    }

    private let state = Mutex(State())

    package init() {}

    package func append(_ event: Event) {
        wake { $0.events.append(event) }
    }

    /// Ends the log: no more events follow.
    package func finish() {
        wake { $0.isFinished = true }
    }

    package var all: [Event] {
        state.withLock { $0.events }
    }

    /// The first event, not yet taken, that matches; waits for it.
    package func next(within limit: Duration = .seconds(20), _ matches: @Sendable (Event) -> Bool) async throws -> Event {
        try await first(within: limit) { matches($0) ? $0 : nil }
    }

    /// Waits for the first event, not yet taken, for which `pick` returns a value; returns that value.
    package func first<Picked: Sendable>(
        within limit: Duration = .seconds(20), _ pick: @Sendable (Event) -> Picked?
    ) async throws -> Picked {
        let end = ContinuousClock.now + limit
        while true {
            let (found, isFinished, seen) = state.withLock { state -> (Picked?, Bool, Int) in
                for (index, event) in state.events.enumerated() where !state.consumed.contains(index) {
                    guard let picked = pick(event) else { continue }
                    state.consumed.insert(index)
                    return (picked, false, state.events.count)
                }
                return (nil, state.isFinished, state.events.count)
            }
            if let found { return found }
            guard !isFinished, ContinuousClock.now < end else {
                throw TestFailure("waited in vain; so far: \(String(describing: all).prefix(2000))")
            }
            await change(after: seen, before: end)
        }
    }

    /// Waits until the number of events differs from `count`, which the caller has seen.
    private func change(after count: Int, before end: ContinuousClock.Instant) async {
        await withTaskGroup(of: Void.self) { group in
            let id = state.withLock { state -> Int in
                defer { state.nextWaiter += 1 }
                return state.nextWaiter
            }
            group.addTask {
                await withCheckedContinuation { continuation in
                    let isDone = self.state.withLock { state -> Bool in
                        if state.isFinished || state.events.count != count { return true }
                        state.waiters[id] = continuation
                        return false
                    }
                    if isDone { continuation.resume() }
                }
            }
            group.addTask {
                try? await Task.sleep(until: end, clock: .continuous)
                self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            change(&state)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }
}
