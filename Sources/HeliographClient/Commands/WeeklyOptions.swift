internal import RelayProtocol

/// The time of the week at which a device gets its report of costs.
package struct WeeklyOptions {
    /// The day: `monday`, or its first letters.
    package var day: String
    /// The time of day: `09:00`.
    package var at: String
    /// Name in the tz database.
    package var timeZone: String

    package init(day: String, at: String, timeZone: String) {
        self.day = day
        self.at = at
        self.timeZone = timeZone
    }

    func weekly() throws(ClientError) -> WeeklyCosts {
        let days = WeeklyCosts.days.map { $0.lowercased() }
        // Two letters distinguish a Tuesday from a Thursday.
        guard day.count >= 2, let place = days.firstIndex(where: { $0.hasPrefix(day.lowercased()) }) else {
            throw ClientError(.usage, "a day is monday to sunday")
        }
        let parts = at.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].count == 2, let hour = Int64(parts[0]), let minute = Int64(parts[1]),
            (0...23).contains(hour), (0...59).contains(minute)
        else { throw ClientError(.usage, "a time is like 09:00") }
        return WeeklyCosts(weekday: Int64(place) + 1, at: hour * 60 + minute, timeZone: timeZone)
    }
}
