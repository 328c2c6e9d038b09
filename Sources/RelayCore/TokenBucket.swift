/// A token bucket: `rate` per second, and at once as much as has accumulated, at most the amount of `burst`.
///
/// Stored as the time at which the bucket would be full again, so that nothing has to be refilled. Times are nanoseconds of a clock
/// that never jumps.
package struct TokenBucket: Equatable, Sendable {
    /// Tokens per second, at least 1.
    let rate: Int64
    /// Nanoseconds in which an empty bucket fills.
    let burst: Int64
    private var fullAt: Int64 = .min

    private static let second: Int64 = 1_000_000_000
    /// Limit for the cost of one take, in seconds of the rate; a higher cost counts as this.
    private static let costSecondsMax: Int64 = 3_600

    /// `rate`: as in the settings; 0 is no limit, and gives nil. The burst is `Quotas.burst`.
    package init?(limit rate: Int) {
        guard rate > 0 else { return nil }
        self.init(perSecond: rate, burst: Quotas.burst)
    }

    package init(perSecond rate: Int, burst: Duration) {
        precondition(rate > 0, "a bucket fills")
        self.rate = Int64(rate)
        self.burst = burst.components.seconds * Self.second
    }

    /// Takes in any case, even more than there is. Returns the nanoseconds for which nothing more should be taken; 0 if some is
    /// left.
    package mutating func take(_ amount: Int, at now: Int64) -> Int64 {
        let amount = min(Int64(amount), rate * Self.costSecondsMax)
        fullAt = max(fullAt, now) + amount / rate * Self.second + amount % rate * Self.second / rate
        return wait(at: now)
    }

    /// Takes only if there is enough. Otherwise takes nothing, and returns the nanoseconds after which to try again.
    package mutating func takeIfThere(_ amount: Int, at now: Int64) -> Int64 {
        var after = self
        let wait = after.take(amount, at: now)
        if wait == 0 { self = after }
        return wait
    }

    /// True if at least half of the burst is available.
    package func isHalfFull(at now: Int64) -> Bool { max(fullAt, now) - burst / 2 <= now }

    package func isFull(at now: Int64) -> Bool { fullAt <= now }

    /// Nanoseconds until something is available; 0 if something is.
    package func wait(at now: Int64) -> Int64 { max(0, max(fullAt, now) - burst - now) }
}

extension TokenBucket? {
    /// Takes one token, from a full bucket if there is none yet. False if there is no token; then nothing changes.
    mutating func takeOne(of full: TokenBucket, at now: Int64) -> Bool {
        var taken = self ?? full
        guard taken.takeIfThere(1, at: now) == 0 else { return false }
        self = taken
        return true
    }
}
