internal import Glibc

/// A time on the monotonic clock.
struct Deadline {
    private let nanoseconds: Int64

    init(seconds: Int64) { nanoseconds = Self.now + seconds * 1_000_000_000 }

    /// The timeout for poll(2); 0 once the deadline has passed.
    var millisecondsLeft: Int32 { Int32(clamping: max(0, (nanoseconds - Self.now + 999_999) / 1_000_000)) }

    private static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
