internal import Glibc

/// Times, durations, money and counts as people read them.
package enum Moment {
    /// The current time, in milliseconds since 1970.
    package static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Local time: `14:03:59` for today, `11-20 14:03:59` for another day.
    package static func clock(_ milliseconds: Int64, now: Int64) -> String {
        let moment = local(milliseconds)
        let today = local(now)
        return moment.day == today.day ? moment.time : "\(moment.day.suffix(5)) \(moment.time)"
    }

    /// An age such as `3 s`, `5 min`, `2 h`, `4 d`. A time in the future, as clocks of two machines differ, is `0 s`.
    package static func age(_ milliseconds: Int64) -> String {
        let seconds = max(0, milliseconds / 1_000)
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min" }
        if seconds < 86_400 { return "\(seconds / 3_600) h" }
        return "\(seconds / 86_400) d"
    }

    /// A duration such as `840 ms`, `1.2 s`, `3 min 20 s`.
    package static func duration(_ milliseconds: Int64) -> String {
        if milliseconds < 1_000 { return "\(milliseconds) ms" }
        if milliseconds < 60_000 { return "\(milliseconds / 1_000).\(milliseconds % 1_000 / 100) s" }
        return "\(milliseconds / 60_000) min \(milliseconds % 60_000 / 1_000) s"
    }

    package static func money(microUSD: Int64) -> String {
        if microUSD > 0, microUSD < 10_000 { return "<$0.01" }
        let cents = (abs(microUSD) + 5_000) / 10_000
        return (microUSD < 0 ? "-" : "") + "$\(cents / 100)." + two(Int32(cents % 100))
    }

    /// A number with its noun: `1 line`, `2 lines`.
    package static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

    private static func local(_ milliseconds: Int64) -> (day: String, time: String) {
        var seconds = time_t(milliseconds / 1_000)
        var moment = unsafe tm()
        unsafe localtime_r(&seconds, &moment)
        return unsafe (
            "\(moment.tm_year + 1900)-\(two(moment.tm_mon + 1))-\(two(moment.tm_mday))",
            "\(two(moment.tm_hour)):\(two(moment.tm_min)):\(two(moment.tm_sec))"
        )
    }

    private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
