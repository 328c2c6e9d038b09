import Foundation

/// Local times, which the core cannot know.
enum TimeZones {
    /// The minute of the day, 0 to 1,439, at `time` (milliseconds since 1970); nil if the tz database has no such zone.
    static func minute(_ name: String, _ time: Int64) -> Int64? {
        guard let zone = TimeZone(identifier: name) else { return nil }
        let seconds = time / 1_000
        let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        let minute = (seconds + Int64(offset)) / 60 % 1_440
        return minute < 0 ? minute + 1_440 : minute
    }
}
