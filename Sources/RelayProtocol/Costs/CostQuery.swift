/// The query of a `costs` command.
package struct CostQuery: Sendable, Equatable {
    /// Start of each day in the asker's time zone, in milliseconds since 1970, ascending; at least one.
    package var days: [Int64]
    /// The end of the last day.
    package var until: Int64
    /// Number of sessions to list.
    package var sessions = Self.sessionsDefault

    package static let sessionsDefault: Int64 = 10
    package static let sessionsMax: Int64 = 100
    /// The days of a leap year.
    package static let daysMax = 366

    package init(days: [Int64], until: Int64, sessions: Int64 = Self.sessionsDefault) {
        self.days = days
        self.until = until
        self.sessions = sessions
    }

    package init(from value: JSONValue) throws(WireError) {
        days = []
        let entries = try value.array("days", countMax: Self.daysMax)
        for entry in entries {
            let begin = try entry.integer(in: 0...JSONValue.integerMax)
            if let last = days.last, begin <= last { throw WireError(.badValue, at: entry.path, "days ascend") }
            days.append(begin)
        }
        let end = try value.required("until")
        until = try end.integer(in: 0...JSONValue.integerMax)
        guard let last = days.last else {
            throw WireError(.outOfRange, at: try value.required("days").path, "expected a day")
        }
        guard until >= last else { throw WireError(.badValue, at: end.path, "the last day ends after it begins") }
        sessions = try value.optionalInteger("sessions", in: 0...Self.sessionsMax) ?? Self.sessionsDefault
    }

    package func write(to writer: inout JSONWriter) {
        writer.array("days", days.map { Array(String($0).utf8) })
        writer.field("until", until)
        writer.field("sessions", sessions)
    }
}
