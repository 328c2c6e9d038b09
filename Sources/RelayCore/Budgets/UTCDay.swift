/// A calendar day in UTC.
struct UTCDay: Hashable {
    /// Days since 1970-01-01.
    let number: Int64

    init(number: Int64) { self.number = number }

    /// The day of this time, in milliseconds since 1970.
    init(at milliseconds: Int64) { number = (milliseconds - Self.timePassed(at: milliseconds)) / Self.length }

    /// Milliseconds until the day ends, at least one.
    static func timeLeft(at milliseconds: Int64) -> Int64 { length - timePassed(at: milliseconds) }

    /// Start of the day, in milliseconds since 1970.
    var begin: Int64 { number * Self.length }

    static let length: Int64 = 24 * 60 * 60 * 1000
    private static func timePassed(at milliseconds: Int64) -> Int64 { (milliseconds % length + length) % length }
}

extension UTCDay: CustomStringConvertible {
    /// The date, such as `2026-11-21`.
    var description: String {
        // Years that begin in March end with the leap day, and 400 of them always have 146,097 days: so there are no special cases.
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }
}
