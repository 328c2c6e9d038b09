import RelayCore

/// How long the next commit waits after one has ended. Hosts that hear that much is on disk say more at once, and what a commit costs by
/// itself is more than what twenty events do: without a wait commits take turns, each with half of what is under way.
///
/// It is not made to wait where what ended was small, so that who says little is never kept waiting; nor where somebody waits for it.
struct CommitPace {
    /// What was staged when the last commit ended, and an answer to each event that it had.
    private var enough = Int.max

    /// A commit has ended, and its hosts are told. For how many nanoseconds the next one is to wait.
    mutating func committed(events: Int, in nanoseconds: Int64, _ backlog: Relay.Backlog) -> Int64 {
        guard events >= Self.eventsMin, backlog.stagedEvents < Self.enoughMax else {
            enough = .max
            return 0
        }
        enough = min(backlog.stagedEvents + events, Self.enoughMax)
        return min(nanoseconds / Self.part, Self.nanosecondsMax)
    }

    /// Whether more is to come that is worth waiting for.
    func isGathering(_ backlog: Relay.Backlog) -> Bool { !backlog.isAwaited && backlog.stagedEvents < enough }

    /// Of the time that the last commit took: waiting costs no more than a part of what it spares.
    private static let part: Int64 = 2
    private static let nanosecondsMax: Int64 = 200_000
    /// Fewer come from hosts that do not say all they can.
    private static let eventsMin = 16
    /// What a commit costs by itself is then a small part of it.
    private static let enoughMax = 256
}
