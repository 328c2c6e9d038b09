import RelayProtocol

/// Counts the pushes of each workspace in a day, by UTC, and says when one has sent as many as it may.
struct PushAllowance {
    private let standard: Int
    private var own: [WorkspaceID: Int] = [:]
    /// Since 1970.
    private var day: Int64 = 0
    private var counts: [WorkspaceID: Int] = [:]

    private static let dayLength: Int64 = 24 * 60 * 60 * 1000
    /// Of the day's pushes so many hundredths are for all; the rest is for what rings and for the ends of cards: a card that changes all day
    /// must not use up what an approval needs.
    private static let sharePercent = 75

    /// `standard`: for a workspace without a limit of its own; 0 is no limit.
    init(_ standard: Int) { self.standard = standard }

    mutating func replace(with limits: [WorkspaceID: Int]) { own = limits }

    /// A push of an earlier life of the relay.
    mutating func count(_ intent: PushIntent, at now: Int64) {
        turn(at: now)
        if intent.plannedAt / Self.dayLength == day { counts[intent.workspace, default: 0] += 1 }
    }

    /// Nil if it may be sent, which counts it; otherwise how many may be in a day.
    mutating func take(_ intent: PushIntent, at now: Int64) -> Int? {
        turn(at: now)
        let max = own[intent.workspace] ?? standard
        guard max > 0, intent.purpose != .channel else { return nil }
        let isUrgent = intent.purpose == .alert || intent.purpose == .end
        let count = counts[intent.workspace, default: 0]
        guard count < (isUrgent ? max : max * Self.sharePercent / 100) else { return max }
        counts[intent.workspace] = count + 1
        return nil
    }

    mutating func forget(_ workspace: WorkspaceID) { counts[workspace] = nil }

    private mutating func turn(at now: Int64) {
        guard now / Self.dayLength != day else { return }
        day = now / Self.dayLength
        counts = [:]
    }
}
