/// How long to wait before the next attempt: doubling, capped, and spread so that clients do not come back all at once.
package struct Backoff: Equatable, Sendable {
    package static let first = Duration.milliseconds(500)
    package static let most = Duration.seconds(30)

    private var attempts = 0

    package init() {}

    /// `jitter` in 0..<1. The wait lies between half the step and the whole.
    package mutating func next(jitter: Double) -> Duration {
        let step = min(Self.most, Self.first * (1 << min(attempts, 10)))
        attempts += 1
        return step / 2 + step / 2 * jitter
    }

    package mutating func reset() { attempts = 0 }
}
