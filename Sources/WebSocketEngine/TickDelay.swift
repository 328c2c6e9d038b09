/// For how long a tick is put off so that what comes meanwhile belongs to it. Facts in, answers out: it is told the time.
///
/// A tick is put off once: when its time has come it goes in that turn, whatever would rather wait for more by then. So nothing waits for
/// longer than the one delay that was asked for first. While nothing waits, what is asked for anew begins then.
struct TickDelay {
    /// Until when; nil: it is not put off.
    private(set) var end: MonotonicTime?
    /// Something waits for the end.
    private(set) var holdsTick = false
    /// It held a tick, and is over: this turn has that tick.
    private var isOver = false
    /// How many nanoseconds were asked for, from when the turn has written what it has.
    private var asked: Int64 = 0

    mutating func ask(forNanoseconds nanoseconds: Int64) { asked = max(asked, nanoseconds) }

    /// It is now, which has to be told only where there is an `end`.
    mutating func reached(_ now: MonotonicTime) {
        guard let end, now >= end else { return }
        cancel()
    }

    mutating func cancel() {
        isOver = holdsTick
        end = nil
    }

    /// What it was asked for is over: where nothing waits for the end, it comes by then, or now (nil).
    mutating func shorten(to latest: MonotonicTime?) {
        guard !holdsTick, let end else { return }
        self.end = latest.map { min($0, end) }
    }

    /// Whether a delay begins with what this turn is about to write: `wrote` is then to follow. `lingers`: it also does without having been asked for.
    func begins(lingers: Bool) -> Bool { !isOver && !holdsTick && (asked > 0 || lingers && end == nil) }

    /// The delay begins: for this long, or for as long as was asked for.
    mutating func wrote(at now: MonotonicTime, lingers nanoseconds: Int64) {
        let new = now + .nanoseconds(max(nanoseconds, asked))
        end = max(new, end ?? new)
    }

    /// All that the turn asked for was heard. Whether its tick waits for the end; `hasMore` is asked only where there is one.
    mutating func holds(_ hasMore: () -> Bool) -> Bool {
        (asked, isOver) = (0, false)
        holdsTick = end != nil && hasMore()
        return holdsTick
    }
}
