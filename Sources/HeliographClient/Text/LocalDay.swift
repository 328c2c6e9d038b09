internal import Glibc

/// A day of the calendar in this machine's time zone.
package struct LocalDay: Sendable, Comparable, CustomStringConvertible {
    private let year: Int32
    private let month: Int32
    private let day: Int32

    /// The day that contains this time, in milliseconds since 1970.
    package init(at milliseconds: Int64) {
        var seconds = time_t(milliseconds / 1_000)
        var moment = unsafe tm()
        unsafe localtime_r(&seconds, &moment)
        unsafe self.init(of: moment)
    }

    /// Reads `2026-11-21`; nil if there is no such day.
    package init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int32($0) }
        guard parts.count == 3, text.utf8.count == 10 else { return nil }
        self = Self(year: parts[0], month: parts[1], day: parts[2]).advanced(by: 0)
        guard description == text else { return nil }
    }

    private init(year: Int32, month: Int32, day: Int32) {
        self.year = year
        self.month = month
        self.day = day
    }

    private init(of moment: tm) {
        unsafe self.init(year: moment.tm_year + 1900, month: moment.tm_mon + 1, day: moment.tm_mday)
    }

    package func advanced(by days: Int) -> LocalDay {
        // Noon is on the right day, whatever change of the clocks there is at night.
        var moment = unsafe tm()
        unsafe moment.tm_year = year - 1900
        unsafe moment.tm_mon = month - 1
        unsafe moment.tm_mday = day + Int32(clamping: days)
        unsafe moment.tm_hour = 12
        unsafe moment.tm_isdst = -1
        unsafe mktime(&moment)
        return unsafe LocalDay(of: moment)
    }

    /// Beginning of the day, in milliseconds since 1970.
    package var begin: Int64 {
        var moment = unsafe tm()
        unsafe moment.tm_year = year - 1900
        unsafe moment.tm_mon = month - 1
        unsafe moment.tm_mday = day
        unsafe moment.tm_isdst = -1
        return unsafe Int64(mktime(&moment)) * 1_000
    }

    package static func < (one: LocalDay, other: LocalDay) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }

    package var description: String {
        func padded(_ number: Int32, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }
}
