/// For how long a tick is put off so that what comes meanwhile belongs to it. Facts in, answers out: it is told the time.
///
/// A tick is put off once: when its time has come it goes in that turn, whatever would rather wait for more by then. So nothing waits for
/// longer than the one delay that was asked for first. While nothing waits, what is asked for anew begins then.
struct TickDelay {
    /// End of the delay; nil: the tick is not put off.
    private(set) var end: MonotonicTime?
    /// Something waits for the end.
    private(set) var holdsTick = false
    /// The delay held a tick and is over: this turn runs that tick.
    private var isOver = false
    /// Nanoseconds requested, from when the turn has written its output.
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

    /// The delay begins: for this long, or for as long as was asked for.
    mutating func wrote(at now: MonotonicTime, lingers nanoseconds: Int64) {
        let new = now + .nanoseconds(max(nanoseconds, asked))
        end = max(new, end ?? new)
    }

    /// Ends the turn's requests. True if its tick waits for the end; `hasMore` is called only if there is one.
    mutating func holds(_ hasMore: () -> Bool) -> Bool {
        (asked, isOver) = (0, false)
        holdsTick = end != nil && hasMore()
        return holdsTick
    }
}
