import HeliographPlatform

/// Local times after the last change that a zone's file lists, by the POSIX `TZ` string in its footer, such as
/// `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule {
    private struct Change {
        enum Day {
            /// Day of the year from 1 to 365; 29 February is not counted.
            case julian(Int64)
            /// Day of the year from 0 to 365.
            case ofYear(Int64)
            /// The nth weekday of a month, 5 for the last; Sunday is 0.
            case ofMonth(Int64, week: Int64, weekday: Int64)
        }

        let day: Day
        /// Seconds after midnight by the clock before the change; may be negative or beyond a day.
        let time: Int64

        /// Seconds since 1970 by the clock before the change.
        func local(in year: Int64) -> Int64 {
            let first = UTCCalendar.day(ofYear: year, month: 1)
            let isLeap = UTCCalendar.day(ofYear: year, month: 13) - first == 366
            let number =
                switch day {
                case .julian(let day): first + day - 1 + (isLeap && day >= 60 ? 1 : 0)
                case .ofYear(let day): first + day
                case .ofMonth(let month, let week, let weekday): Self.day(year, month, week, weekday)
                }
            return number * 86_400 + time
        }

        private static func day(_ year: Int64, _ month: Int64, _ week: Int64, _ weekday: Int64) -> Int64 {
            let first = UTCCalendar.day(ofYear: year, month: month)
            let next = UTCCalendar.day(ofYear: year, month: month + 1)
            // 1 January 1970 was a Thursday.
            let shift = (weekday - (first + 4) % 7 + 14) % 7
            let day = first + shift + (week - 1) * 7
            return day < next ? day : day - 7
        }
    }

    /// Seconds east of UTC.
    private let standard: Int64
    private let summer: (offset: Int64, from: Change, to: Change)?

    /// Nil if the text has another form.
    init?(_ text: String) {
        var reader = Reader(text[...])
        guard reader.skipName(), let standard = reader.offset() else { return nil }
        self.standard = -standard
        if reader.isAtEnd {
            summer = nil
            return
        }
        guard reader.skipName() else { return nil }
        let offset = reader.isAt(",") ? -standard + 3_600 : reader.offset().map { -$0 }
        guard let offset, let from = reader.change(), let to = reader.change(), reader.isAtEnd else { return nil }
        summer = (offset, from, to)
    }

    /// Seconds east of UTC at a time in seconds since 1970.
    func offset(at time: Int64) -> Int64 {
        guard let summer, let year = UTCCalendar.year(of: time + standard) else { return standard }
        let from = summer.from.local(in: year) - standard
        let to = summer.to.local(in: year) - summer.offset
        let isSummer = from < to ? time >= from && time < to : time >= from || time < to
        return isSummer ? summer.offset : standard
    }

    private struct Reader {
        private var rest: Substring

        init(_ text: Substring) { rest = text }

        var isAtEnd: Bool { rest.isEmpty }
        func isAt(_ sign: Character) -> Bool { rest.first == sign }

        private mutating func skip(_ sign: Character) -> Bool {
            guard rest.first == sign else { return false }
            rest.removeFirst()
            return true
        }

        /// Skips `CET` or `<+03>`.
        mutating func skipName() -> Bool {
            if skip("<") {
                guard let end = rest.firstIndex(of: ">") else { return false }
                rest = rest[rest.index(after: end)...]
                return true
            }
            let name = rest.prefix(while: \.isLetter)
            rest = rest.dropFirst(name.count)
            return !name.isEmpty
        }

        private mutating func number() -> Int64? {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }.prefix(4)
            rest = rest.dropFirst(digits.count)
            return Int64(digits)
        }

        /// `[+-]hh[:mm[:ss]]`, in seconds.
        mutating func offset() -> Int64? {
            let sign: Int64 = skip("-") ? -1 : 1
            if sign == 1 { _ = skip("+") }
            guard let hours = number(), hours <= 167 else { return nil }
            var seconds = hours * 3_600
            for unit: Int64 in [60, 1] where skip(":") {
                guard let more = number(), more < 60 else { return nil }
                seconds += more * unit
            }
            return sign * seconds
        }

        /// `,M3.5.0/2`, `,J60` or `,59`; without a time it is 2 o'clock.
        mutating func change() -> Change? {
            guard skip(","), let day = day() else { return nil }
            guard skip("/") else { return Change(day: day, time: 7_200) }
            return offset().map { Change(day: day, time: $0) }
        }

        private mutating func day() -> Change.Day? {
            if skip("J") { return number().flatMap { (1...365).contains($0) ? .julian($0) : nil } }
            guard skip("M") else { return number().flatMap { $0 <= 365 ? .ofYear($0) : nil } }
            guard let month = number(), (1...12).contains(month), skip("."), let week = number(), (1...5).contains(week),
                skip("."),
                let weekday = number(), weekday <= 6
            else { return nil }
            return .ofMonth(month, week: week, weekday: weekday)
        }
    }
}

extension Int64 {
    /// The quotient, rounded down.
    func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
