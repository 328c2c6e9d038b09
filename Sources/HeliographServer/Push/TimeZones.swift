import Foundation

/// Local times, which the core cannot compute.
enum TimeZones {
    private static let week: Int64 = 7 * 1_440

    /// The minute of the week, from Monday 0:00 on, at `time` (milliseconds since 1970); nil if the tz database has no such zone.
    static func weekMinute(_ name: String, _ time: Int64) -> Int64? {
        guard let zone = TimeZone(identifier: name) else { return nil }
        let seconds = time / 1_000
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        // 1970 began on a Thursday, so three days are added.
        let minute = ((seconds + Int64(offset)) / 60 + 3 * 1_440) % week
        return minute < 0 ? minute + week : minute
    }
}
