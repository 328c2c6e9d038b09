/// Time at which a device gets a weekly alert about the cost of the previous seven days.
package struct WeeklyCosts: Sendable, Equatable {
    /// 1 is Monday, 7 is Sunday.
    package var weekday: Int64
    /// Minute of that day.
    package var at: Int64
    /// Name in the tz database, such as `Europe/Berlin`.
    package var timeZone: String

    package init(weekday: Int64, at: Int64, timeZone: String) {
        self.weekday = weekday
        self.at = at
        self.timeZone = timeZone
    }

    package init(from value: JSONValue) throws(WireError) {
        weekday = try value.object().integer("weekday", in: 1...7)
        at = try value.integer("at", in: 0...1_439)
        timeZone = try value.string("timeZone", bytesMax: WireLimits.nameBytesMax)
    }

    package func write(to writer: inout JSONWriter) {
        writer.field("weekday", weekday)
        writer.field("at", at)
        writer.field("timeZone", timeZone)
    }

    /// The minute of the week, which begins on Monday.
    package var minute: Int64 { (weekday - 1) * 1_440 + at }
}
