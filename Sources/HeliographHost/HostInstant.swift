internal import Glibc

/// A moment by both clocks: the wall's for people and the wire, the other for waiting.
struct HostInstant: Sendable, Equatable {
    /// Milliseconds since 1970.
    var wall: Int64
    /// Milliseconds of a clock that never jumps.
    var monotonic: Int64

    static func - (left: HostInstant, right: HostInstant) -> Duration { .milliseconds(left.monotonic - right.monotonic) }

    static var now: HostInstant { HostInstant(wall: read(CLOCK_REALTIME), monotonic: read(CLOCK_MONOTONIC)) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
