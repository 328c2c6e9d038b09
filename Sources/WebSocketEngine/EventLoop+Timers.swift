extension EventLoop {
    /// Runs `body` once, on this thread, not before `after` has passed by the monotonic clock.
    @discardableResult
    package func schedule(after: Duration, _ body: @escaping () -> Void) -> TimerID {
        preconditionOnLoop()
        return armTimer(after: after) { [unowned self] in
            noteActivity()
            body()
        }
    }

    /// For the loop's own use: does not count as activity of the turn.
    @discardableResult
    func armTimer(after: Duration, _ body: @escaping () -> Void) -> TimerID { armTimer(at: .now + after, body) }

    @discardableResult
    func armTimer(at due: MonotonicTime, _ body: @escaping () -> Void) -> TimerID {
        let id = makeID()
        timers.add(id, due: due, body)
        return TimerID(rawValue: id)
    }

    /// No effect if the timer has run or was cancelled.
    package func cancel(_ timer: TimerID) {
        preconditionOnLoop()
        timers.cancel(timer.rawValue)
    }

    func runDueTimers() {
        guard let earliest = timers.earliest else { return }
        let now = MonotonicTime.now
        guard earliest <= now else { return }
        // A zero-length timer armed by a body runs in the next turn, because `now` does not move.
        while let body = timers.popDue(at: now) { body() }
    }
}
