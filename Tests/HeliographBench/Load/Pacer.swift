/// Open loop: the time of each event is fixed before the run, however late the others were. Latency is counted from that time, so
/// that a stalled relay cannot hide events that were sent late because of it (coordinated omission).
struct Pacer: Sendable {
    /// Monotonic time, in nanoseconds.
    let start: Int64
    let perSecond: Int64

    /// Time of event `index`, which counts from 0.
    func due(_ index: Int64) -> Int64 {
        let (seconds, rest) = index.quotientAndRemainder(dividingBy: perSecond)
        return start + seconds * 1_000_000_000 + rest * 1_000_000_000 / perSecond
    }
}
