import RelayProtocol

/// Counts each workspace's pushes per UTC day, against its limit.
struct PushAllowance {
    private let standard: Int
    private var own: [WorkspaceID: Int] = [:]
    /// The day of `counts`, in days since 1970.
    private var day: Int64 = 0
    private var counts: [WorkspaceID: Int] = [:]

    private static let dayLength: Int64 = 24 * 60 * 60 * 1000
    /// Percentage of the day's pushes open to all kinds. The rest is reserved for rings and ends of cards, so that a card that
    /// changes all day does not use up what an approval needs.
    private static let sharePercent = 75

    /// `standard` is the limit of workspaces without one of their own; 0 for none.
    init(_ standard: Int) { self.standard = standard }

    mutating func replace(with limits: [WorkspaceID: Int]) { own = limits }

    /// Counts a push of an earlier run of the relay.
    mutating func count(_ intent: PushIntent, at now: Int64) {
        turn(at: now)
        if intent.plannedAt / Self.dayLength == day { counts[intent.workspace, default: 0] += 1 }
    }

    /// Counts the push and returns nil if it may be sent; otherwise returns the limit.
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
