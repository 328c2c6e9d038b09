internal import RelayProtocol

/// Choices of `heliograph cost`.
package struct CostOptions: Sendable, Equatable {
    package enum Dimension: String, Sendable, CaseIterable {
        case day, model, project, host, agent, session
    }

    package var dimension = Dimension.day
    /// The first day, in local time.
    package var since: LocalDay
    package var isCSV = false

    package init(since: LocalDay) { self.since = since }

    /// Reads `--since`: `2026-11-01`, or `30d` for today and the 29 days before. Nil for other text, a day in the future, or one
    /// longer ago than a relay sums up at once.
    package static func since(_ text: String, today: LocalDay) -> LocalDay? {
        var day: LocalDay?
        if text.hasSuffix("d"), let count = Int(text.dropLast()), count >= 1 {
            day = today.advanced(by: 1 - count)
        } else {
            day = LocalDay(text)
        }
        guard let day, day <= today, day > today.advanced(by: -daysMax) else { return nil }
        return day
    }

    package static let daysMax = CostQuery.daysMax
}
