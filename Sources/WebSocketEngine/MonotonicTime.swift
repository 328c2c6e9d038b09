internal import Glibc

/// Nanoseconds of CLOCK_MONOTONIC: the wall clock may jump, deadlines may not.
struct MonotonicTime: Comparable {
    var nanoseconds: Int64

    static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return MonotonicTime(nanoseconds: seconds < 0 ? .min : .max) }
        let (sum, overflows) = time.nanoseconds.addingReportingOverflow(product + attoseconds / 1_000_000_000)
        return MonotonicTime(nanoseconds: overflows ? .max : sum)
    }
}
