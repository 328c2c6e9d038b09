internal import Glibc
internal import HostCore

extension HostInstant {
    /// CLOCK_MONOTONIC stops while the machine sleeps, CLOCK_BOOTTIME does not. The former is used because Claude Code's own
    /// time-out of a hook and the timers of our loop stop as well: after a laptop has slept, a question is still as open as its
    /// hook. The relay counts those hours, reports the question as expired, and accepts no decision for it.
    static var now: HostInstant { HostInstant(wall: read(CLOCK_REALTIME), monotonic: read(CLOCK_MONOTONIC)) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
