/// Open loop: event k is due at a moment that is known before the run, however late the others were. A latency counts from there, so
/// that a relay that stalls cannot hide the events that it kept from being sent (coordinated omission).
struct Pacer: Sendable {
    /// Nanoseconds of the monotonic clock.
    let start: Int64
    let perSecond: Int64

    /// When event `index`, from 0, is due.
    func due(_ index: Int64) -> Int64 {
        let (seconds, rest) = index.quotientAndRemainder(dividingBy: perSecond)
        return start + seconds * 1_000_000_000 + rest * 1_000_000_000 / perSecond
    }
}
