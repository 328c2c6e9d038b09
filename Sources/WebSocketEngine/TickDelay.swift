/// Decides how long a tick is delayed so that input arriving in the meantime belongs to it. Pure: it is given the time.
///
/// A tick is delayed once: when the delay ends, it runs in that turn, whatever else asks for a delay. So no tick waits longer than
/// the first delay requested. If no tick waits, a new request starts a new delay.
struct TickDelay {
    /// End of the delay; nil if the tick is not delayed.
    private(set) var end: MonotonicTime?
    /// True if a tick waits for the end.
    private(set) var holdsTick = false
    /// True if a delay that held a tick has ended: this turn runs that tick.
    private var isOver = false
    /// Nanoseconds requested, counted from when the turn has written its output.
    private var asked: Int64 = 0

    mutating func ask(forNanoseconds nanoseconds: Int64) { asked = max(asked, nanoseconds) }

    /// Ends the delay once `now` has reached its end. Needed only if there is an `end`.
    mutating func reached(_ now: MonotonicTime) {
        guard let end, now >= end else { return }
        cancel()
    }

    mutating func cancel() {
        isOver = holdsTick
        end = nil
    }

    /// The reason for the delay is gone: if it holds no tick, it ends at `latest`, or now if that is nil.
    mutating func shorten(to latest: MonotonicTime?) {
        guard !holdsTick, let end else { return }
        self.end = latest.map { min($0, end) }
    }

    /// True if a delay begins with this turn's output: `wrote` is then to follow. `lingers`: also without a request.
    func begins(lingers: Bool) -> Bool { !isOver && !holdsTick && (asked > 0 || lingers && end == nil) }

    /// Starts the delay: for the given nanoseconds, or as long as was requested, whichever is longer.
    mutating func wrote(at now: MonotonicTime, lingers nanoseconds: Int64) {
        let new = now + .nanoseconds(max(nanoseconds, asked))
        end = max(new, end ?? new)
    }

    /// Ends the turn's requests. Returns true if its tick has to wait; `hasMore` is called only if there is a delay.
    mutating func holds(_ hasMore: () -> Bool) -> Bool {
        (asked, isOver) = (0, false)
        holdsTick = end != nil && hasMore()
        return holdsTick
    }
}
