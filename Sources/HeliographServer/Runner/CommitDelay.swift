import RelayCore
import WebSocketEngine

/// The next commit's wait after one has ended. Hosts that hear that much is on disk say more at once, and a commit by itself costs more
/// than twenty events: without a wait commits take turns, each with half of what is under way.
///
/// There is a wait only after two commits of many events in a row: hosts that say little are never delayed, nor is what follows a single
/// burst. It is never longer than `nanosecondsMax`, and there is none if a person or an agent waits for the commit.
///
/// If another node writes a commit to a crowd, hosts that go by the crowd's progress say more only after that. In a relay that writes
/// itself, these writes hold up the loop, and what comes meanwhile is one commit. This node would go on, and each half of what is under
/// way would be written to each of the crowd by itself. So it waits for the hosts for longer then, and less and less often if that is in
/// vain.
struct CommitDelay {
    /// Number of staged events to wait for: those staged when the last commit ended, and an answer to each that it had; nil: the last
    /// commit gives no reason to wait, and the loop's own waits end with whatever comes.
    private var enough: Int?
    private var lastHadMany = false
    /// Number of events that the next commit should have if it waits for a crowd; nil: it does not.
    private var hopedFor: Int?
    /// Until when the next commit is kept waiting for a crowd; nil: it is not, or has been cut.
    private(set) var crowdEnd: MonotonicTime?
    /// Waits for a crowd that brought less than that, one after the other, and how many commits are not kept waiting after them.
    private var inVain = 0
    private var passes = 0

    /// A commit has ended, and its hosts are told. For how many nanoseconds the next one is to wait. `crowd`: to so many another node writes it.
    mutating func committed(
        events: Int, in nanoseconds: Int64, _ backlog: Relay.Backlog, crowd: Int, at now: MonotonicTime
    ) -> Int64 {
        judge(events)
        let hadMany = events >= Self.eventsMin
        defer { lastHadMany = hadMany }
        enough = nil
        let sum = backlog.stagedEvents + events
        guard hadMany, lastHadMany, sum <= Self.enoughMax, backlog.stagedCost < Self.costMax else { return 0 }
        enough = sum
        if crowd >= Self.crowdMin {
            guard passes > 0 else {
                hopedFor = sum
                let wait = min(Int64(crowd) * Self.nanosecondsForEach, Self.crowdNanosecondsMax)
                crowdEnd = MonotonicTime(nanoseconds: now.nanoseconds + wait)
                return wait
            }
            passes -= 1
        }
        return min(max(0, nanoseconds) / Self.part, Self.nanosecondsMax)
    }

    /// Judges the result of a wait for a crowd.
    private mutating func judge(_ events: Int) {
        guard let hopedFor else { return }
        self.hopedFor = nil
        guard events < hopedFor - hopedFor / 8 else { return inVain = 0 }
        inVain = min(inVain + 1, Self.inVainMax)
        passes = 1 << inVain
    }

    /// A commit has failed: nobody says more because of it.
    mutating func failed() { (enough, lastHadMany, hopedFor) = (nil, false, nil) }

    /// A commit begins. True if it waited for a crowd: later input does not.
    mutating func begun() -> Bool {
        defer { crowdEnd = nil }
        return crowdEnd != nil
    }

    /// True if the next commit may wait for a crowd. Not if its hosts have said nothing for that long.
    func waitsForCrowd(at now: MonotonicTime) -> Bool { crowdEnd.map { now < $0 } ?? false }

    /// True if more input is expected that is worth waiting for.
    func isGathering(_ backlog: Relay.Backlog) -> Bool {
        guard !backlog.isAwaited else { return false }
        guard let enough else { return true }
        return backlog.stagedEvents < enough && backlog.stagedCost < Self.costMax
    }

    /// Of the time that the last commit took: waiting costs no more than a part of what it spares.
    private static let part: Int64 = 2
    static let nanosecondsMax: Int64 = 200_000
    /// As many as make a loop wait that writes to them itself.
    static let crowdMin = EventLoop.manyWrites
    /// Time for a busy node to write to one peer, and for the client to read it.
    static let nanosecondsForEach: Int64 = 25_000
    static let crowdNanosecondsMax: Int64 = 50_000_000
    /// At the least one commit in so many (a power of two) is kept waiting to see whether it pays now.
    private static let inVainMax = 6
    /// Fewer come from hosts that do not say all they can.
    static let eventsMin = 16
    /// Beyond this, a commit's own cost is a small part.
    static let enoughMax = 256
    /// Likewise in bytes, as `Relay.Backlog.stagedCost` has them. Far below where hosts are read no further until the batch is cut, and would be
    /// waited for in vain (`FairShares.batchCostMax`).
    static let costMax = 1 << 17
}
