import Foundation

/// The `Date` header of RFC 9110: the page computes the difference of its clock from it.
enum HTTPDate {
    private static let format = Date.VerbatimFormatStyle(
        format: """
            \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
            """,
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))

    static var now: String { Date.now.formatted(format) }

    /// Seconds since 1970; nil if the text has another format.
    static func seconds(_ text: String) -> Int64? {
        (try? format.parseStrategy.parse(text)).map { Int64($0.timeIntervalSince1970) }
    }
}
