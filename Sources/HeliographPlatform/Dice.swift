/// A seeded random generator that spreads waits, so that clients that were disconnected together do not reconnect together. The
/// same seed gives the same numbers.
package struct Dice {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    /// A number in 0..<1, by SplitMix64.
    package mutating func next() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(1 << 53)
    }

    /// Exponential back-off: `base`, doubled for each of `count` beyond the first, at most `max`; returns a random duration from a
    /// half of that to the whole.
    package mutating func backoff(_ base: Duration, doubled count: Int, max: Duration) -> Duration {
        let whole = min(base * (1 << min(count - 1, 20)), max)
        return whole / 2 + whole / 2 * next()
    }
}
