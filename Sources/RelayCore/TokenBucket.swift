/// So much a second, and at once what was saved up, at most as much as comes in in `burst`.
///
/// Kept as the moment at which the bucket would be full again: nothing has to be refilled. Moments are nanoseconds of a clock that never
/// jumps.
package struct TokenBucket: Equatable, Sendable {
    /// A second's worth, at least 1.
    let rate: Int64
    /// In nanoseconds.
    let burst: Int64
    private var fullAt: Int64 = .min

    private static let second: Int64 = 1_000_000_000
    /// Largest cost of one take, in seconds of the rate; more counts as this much.
    private static let costSecondsMax: Int64 = 3_600

    /// `rate` as in the settings: 0 is no limit, and makes no bucket. `Quotas.burst` is what is saved up.
    package init?(limit rate: Int) {
        guard rate > 0 else { return nil }
        self.init(perSecond: rate, burst: Quotas.burst)
    }

    package init(perSecond rate: Int, burst: Duration) {
        precondition(rate > 0, "a bucket fills")
        self.rate = Int64(rate)
        self.burst = burst.components.seconds * Self.second
    }

    /// Takes in any case, also what is not there yet. Returns for how long to take no more, 0 where more is there.
    package mutating func take(_ amount: Int, at now: Int64) -> Int64 {
        let amount = min(Int64(amount), rate * Self.costSecondsMax)
        fullAt = max(fullAt, now) + amount / rate * Self.second + amount % rate * Self.second / rate
        return wait(at: now)
    }

    /// Takes only what is there; else returns after how long to try again, and takes nothing.
    package mutating func takeIfThere(_ amount: Int, at now: Int64) -> Int64 {
        var after = self
        let wait = after.take(amount, at: now)
        if wait == 0 { self = after }
        return wait
    }

    /// At least half of what is saved up at most.
    package func isHalfFull(at now: Int64) -> Bool { max(fullAt, now) - burst / 2 <= now }

    package func isFull(at now: Int64) -> Bool { fullAt <= now }

    /// For how long to take no more, 0 where something is there.
    package func wait(at now: Int64) -> Int64 { max(0, max(fullAt, now) - burst - now) }
}

extension TokenBucket? {
    /// Takes one token; without a bucket, of a `full` one. Returns false if there is none; nothing is kept then.
    mutating func takeOne(of full: TokenBucket, at now: Int64) -> Bool {
        var taken = self ?? full
        guard taken.takeIfThere(1, at: now) == 0 else { return false }
        self = taken
        return true
    }
}
