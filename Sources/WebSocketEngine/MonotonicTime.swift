internal import Glibc

/// Nanoseconds of CLOCK_MONOTONIC: the wall clock may jump, deadlines may not.
package struct MonotonicTime: Comparable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static var now: MonotonicTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (sum, overflows) = time.nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return MonotonicTime(nanoseconds: overflows ? .max : sum)
    }
}

extension Duration {
    /// The duration in nanoseconds, clamped to 64 bits: 128-bit arithmetic costs hundreds of instructions.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflows ? .max : sum
    }
}
