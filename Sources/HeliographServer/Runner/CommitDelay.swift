import RelayCore

/// How long the next commit waits after one has ended. Hosts that hear that much is on disk say more at once, and what a commit costs by
/// itself is more than what twenty events do: without a wait commits take turns, each with half of what is under way.
///
/// It waits only after two commits of many, one after the other: hosts that say little are never kept waiting, nor is what comes after a
/// single burst. It never waits for longer than `nanosecondsMax`, and not at all where a person or an agent waits for it.
struct CommitDelay {
    /// What was staged when the last commit ended, and an answer to each event that it had; nil: the last commit was no reason to wait, and where
    /// the loop waits for one of its own it waits for as much as comes.
    private var enough: Int?
    private var lastHadMany = false

    /// A commit has ended, and its hosts are told. For how many nanoseconds the next one is to wait.
    mutating func committed(events: Int, in nanoseconds: Int64, _ backlog: Relay.Backlog) -> Int64 {
        let hadMany = events >= Self.eventsMin
        defer { lastHadMany = hadMany }
        enough = nil
        let sum = backlog.stagedEvents + events
        guard hadMany, lastHadMany, sum <= Self.enoughMax, backlog.stagedCost < Self.costMax else { return 0 }
        enough = sum
        return min(max(0, nanoseconds) / Self.part, Self.nanosecondsMax)
    }

    /// A commit has failed: nobody says more because of it.
    mutating func failed() { (enough, lastHadMany) = (nil, false) }

    /// Whether more is to come that is worth waiting for.
    func isGathering(_ backlog: Relay.Backlog) -> Bool {
        guard !backlog.isAwaited else { return false }
        guard let enough else { return true }
        return backlog.stagedEvents < enough && backlog.stagedCost < Self.costMax
    }

    /// Of the time that the last commit took: waiting costs no more than a part of what it spares.
    private static let part: Int64 = 2
    static let nanosecondsMax: Int64 = 200_000
    /// Fewer come from hosts that do not say all they can.
    static let eventsMin = 16
    /// What a commit costs by itself is then a small part of it.
    static let enoughMax = 256
    /// Likewise in bytes, as `Relay.Backlog.stagedCost` has them. Far below where hosts are read no further until the batch is cut, and would be
    /// waited for in vain (`FairShares.batchCostMax`).
    static let costMax = 1 << 17
}
