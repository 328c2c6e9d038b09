internal import Glibc

/// The Gregorian calendar in UTC, by the C library.
package enum UTCCalendar {
    /// The year of a time in seconds since 1970; nil if it is too large for a year.
    package static func year(of time: Int64) -> Int64? {
        var (time, parts) = unsafe (time_t(time), tm())
        return unsafe gmtime_r(&time, &parts) == nil ? nil : unsafe Int64(parts.tm_year) + 1_900
    }

    /// Days from 1970 to the first day of a month, from 1; month 13 is the next year's first. `year`: one of those of `year(of:)`.
    package static func day(ofYear year: Int64, month: Int64) -> Int64 {
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1_900), Int32(month - 1), 1)
        return unsafe Int64(timegm(&parts)) / 86_400
    }
}
