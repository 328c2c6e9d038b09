internal import Glibc

/// Monotonic nanoseconds, which also advance while the machine sleeps: the wall clock may jump, deadlines may not.
///
/// Not `ContinuousClock.Instant`: its layout is opaque to the compiler, so that every copy of a value that contains one is a call,
/// which showed in the profile of a push.
package struct MonotonicTime: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Clamps at the ends of the range.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return MonotonicTime(nanoseconds: seconds < 0 ? .min : .max) }
        let (sum, overflows) = time.nanoseconds.addingReportingOverflow(product + attoseconds / 1_000_000_000)
        return MonotonicTime(nanoseconds: overflows ? (product < 0 ? .min : .max) : sum)
    }

    package func duration(to other: MonotonicTime) -> Duration { .nanoseconds(other.nanoseconds - nanoseconds) }
}
