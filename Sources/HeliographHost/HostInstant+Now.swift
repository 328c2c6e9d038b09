internal import Glibc
internal import HostCore

extension HostInstant {
    static var now: HostInstant { HostInstant(wall: read(CLOCK_REALTIME), monotonic: read(CLOCK_MONOTONIC)) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
