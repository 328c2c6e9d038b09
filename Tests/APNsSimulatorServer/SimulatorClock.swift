internal import Glibc

/// Time of the service and the devices: the machine's clock, until a test sets, moves or stops it.
struct SimulatorClock {
    /// Milliseconds since 1970 at `origin`.
    private var base = Self.wallMilliseconds
    private var origin = ContinuousClock.now
    private(set) var isStopped = false

    /// Milliseconds since 1970.
    var now: Int64 { isStopped ? base : base + Self.milliseconds(origin.duration(to: .now)) }

    /// Sets the time. It never moves backwards, because devices have lived up to now already. Returns false for an earlier time.
    mutating func set(_ moment: Int64) -> Bool {
        guard moment >= now else { return false }
        base = moment
        origin = .now
        return true
    }

    mutating func stop(_ stops: Bool) {
        base = now
        origin = .now
        isStopped = stops
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    }

    private static var wallMilliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
