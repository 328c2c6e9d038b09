/// One removal by retention, for the log and metrics.
package struct Removal: Sendable, Equatable {
    package enum Reason: String, Sendable, CaseIterable {
        /// The session had no activity for longer than `Retention.ageMax`.
        case age
        /// The workspace had more than `Retention.bytesMax`.
        case bytes
        /// The host or the workspace had no room for another session.
        case room
        /// A client requested it.
        case request
    }

    package let reason: Reason
    package internal(set) var sessions = 0
    package internal(set) var events: Int64 = 0
    /// Time of the last activity of the removed session that was idle longest, in milliseconds since 1970; nil if only old events
    /// of continuing sessions were removed.
    package internal(set) var oldest: Int64?

    init(_ reason: Reason) { self.reason = reason }

    mutating func add(events count: Int64, endingSessionTouchedAt touched: Int64?) {
        events += count
        guard let touched else { return }
        sessions += 1
        oldest = min(oldest ?? touched, touched)
    }

    mutating func add(_ other: Removal) {
        sessions += other.sessions
        events += other.events
        if let touched = other.oldest { oldest = min(oldest ?? touched, touched) }
    }
}

/// Counts removals until they are reported.
struct RemovalTally {
    private var removals: [Removal.Reason: Removal] = [:]

    var isEmpty: Bool { removals.isEmpty }

    mutating func add(_ reason: Removal.Reason, events: Int64, endingSessionTouchedAt touched: Int64? = nil) {
        removals[reason, default: Removal(reason)].add(events: events, endingSessionTouchedAt: touched)
    }

    mutating func add(_ other: RemovalTally) {
        for (reason, removal) in other.removals { removals[reason, default: Removal(reason)].add(removal) }
    }

    mutating func take() -> [Removal] {
        defer { removals = [:] }
        return Removal.Reason.allCases.compactMap { removals[$0] }
    }
}
