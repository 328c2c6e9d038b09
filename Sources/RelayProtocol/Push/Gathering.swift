/// When a device gets alerts that need no answer: not at once, but together in one notification.
package enum Gathering: Sendable, Equatable {
    /// So many minutes after the first alert.
    case interval(minutes: Int64)
    /// Once a day, at this minute of the day in this time zone of the tz database.
    case daily(at: Int64, timeZone: String)

    package enum Word: String, Sendable, CaseIterable {
        case interval, daily
    }

    /// A shorter interval is hardly better than no gathering; a longer one is `daily`.
    package static let minutesMin: Int64 = 5
    package static let minutesMax: Int64 = 1_440

    /// The time zone; nil if none is needed.
    package var timeZone: String? {
        switch self {
        case .interval: nil
        case .daily(_, let timeZone): timeZone
        }
    }

    package init(from value: JSONValue) throws(WireError) {
        switch try value.object().word("when", Word.self) {
        case .interval: self = .interval(minutes: try value.integer("minutes", in: Self.minutesMin...Self.minutesMax))
        case .daily:
            self = .daily(
                at: try value.integer("at", in: 0...1_439),
                timeZone: try value.string("timeZone", bytesMax: WireLimits.nameBytesMax))
        }
    }

    package func write(to writer: inout JSONWriter) {
        switch self {
        case .interval(let minutes):
            writer.field("when", Word.interval.rawValue)
            writer.field("minutes", minutes)
        case .daily(let minute, let timeZone):
            writer.field("when", Word.daily.rawValue)
            writer.field("at", minute)
            writer.field("timeZone", timeZone)
        }
    }
}
