import RelayCore
import WebSocketEngine

/// The wait between one commit and the next. Hosts send more once much is acknowledged, and the fixed cost of a commit is that of
/// more than twenty events: without a wait commits alternate, each with half of the events.
///
/// It waits only after two commits of many events in a row: hosts that send little are never delayed, nor is what follows a single
/// burst. A wait is never longer than `nanosecondsMax`, and there is none if a person or an agent waits for the commit.
///
/// If another node sends a commit to many clients (a crowd), hosts whose speed depends on those clients send more only after that.
/// In a relay that sends the messages itself, sending blocks the loop, and what arrives meanwhile is one commit. This node would
/// not be blocked, and each half would be sent to each client separately. So it then waits longer for the hosts, and less often
/// each time that was useless.
struct CommitDelay {
    /// Number of staged events to wait for: those staged when the last commit ended, and one answer to each event in it. Nil: there
    /// is no reason to wait for a number, and the loop's own wait ends with any input.
    private var enough: Int?
    private var lastHadMany = false
    /// Number of events that the next commit should have if it waits for a crowd; nil: it does not.
    private var hopedFor: Int?
    /// Time until which the next commit waits for a crowd; nil: it does not, or has been cut.
    private(set) var crowdEnd: MonotonicTime?
    /// Number of useless waits for a crowd in a row, and below it the number of commits that do not wait because of them.
    private var inVain = 0
    private var passes = 0

    /// A commit has ended, and its hosts are acknowledged. Returns the nanoseconds for which the next one waits. `crowd`: number of
    /// peers that another node sends it to.
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

    /// A commit has failed: hosts send no more because of it.
    mutating func failed() { (enough, lastHadMany, hopedFor) = (nil, false, nil) }

    /// A commit begins. Returns true if it has waited for a crowd: later input is not waited for.
    mutating func begun() -> Bool {
        defer { crowdEnd = nil }
        return crowdEnd != nil
    }

    /// True if the next commit still waits for a crowd, as its time has not passed.
    func waitsForCrowd(at now: MonotonicTime) -> Bool { crowdEnd.map { now < $0 } ?? false }

    /// True if more input is expected that is worth waiting for.
    func isGathering(_ backlog: Relay.Backlog) -> Bool {
        guard !backlog.isAwaited else { return false }
        guard let enough else { return true }
        return backlog.stagedEvents < enough && backlog.stagedCost < Self.costMax
    }

    /// Divisor of the last commit's time for the longest wait, which must cost less than it saves.
    private static let part: Int64 = 2
    static let nanosecondsMax: Int64 = 200_000
    /// Least number of peers: as many as would make a loop wait that sends to them itself.
    static let crowdMin = EventLoop.manyWrites
    /// Time in which a busy node sends to one peer, and its client reads the message.
    static let nanosecondsForEach: Int64 = 25_000
    static let crowdNanosecondsMax: Int64 = 50_000_000
    /// After useless waits, at least one commit in so many (this power of two) still waits, to test whether it is useful again.
    private static let inVainMax = 6
    /// Least number of events of a commit: fewer come from hosts that do not send at their limit.
    static let eventsMin = 16
    /// Number of events beyond which a commit's fixed cost is a small part.
    static let enoughMax = 256
    /// The same limit in bytes, as `Relay.Backlog.stagedCost`. Far below the one at which hosts are not read until the batch is
    /// cut, so that waiting for them would be useless (`FairShares.batchCostMax`).
    static let costMax = 1 << 17
}
