internal import Glibc
internal import HostCore

extension HostInstant {
    /// CLOCK_MONOTONIC stands still while the machine sleeps, and CLOCK_BOOTTIME does not. The former: Claude Code's own time-out
    /// of a hook and the timers of our loop stand still as well, so a question that a laptop slept over is as open after it as
    /// its hook is. The relay counts the hours meanwhile, says that it expired, and takes no decision for it.
    static var now: HostInstant { HostInstant(wall: read(CLOCK_REALTIME), monotonic: read(CLOCK_MONOTONIC)) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
