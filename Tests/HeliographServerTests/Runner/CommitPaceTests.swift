import RelayCore
import Testing

@testable import HeliographServer

@Suite("When the next commit is cut") struct CommitPaceTests {
    private func backlog(_ events: Int, cost: Int = 0, isAwaited: Bool = false) -> Relay.Backlog {
        var backlog = Relay.Backlog()
        backlog.stagedEvents = events
        backlog.stagedCost = cost
        backlog.isAwaited = isAwaited
        return backlog
    }

    /// After a commit of many.
    private func pace() -> CommitPace {
        var pace = CommitPace()
        #expect(pace.committed(events: 32, in: 200_000, backlog(32)) == 0)
        return pace
    }

    @Test("after two commits of many the next waits until its hosts have said as much again")
    func gathers() {
        var pace = pace()
        #expect(pace.committed(events: 32, in: 200_000, backlog(32)) == 100_000)
        #expect(pace.isGathering(backlog(63)))
        #expect(!pace.isGathering(backlog(64)))
    }

    @Test("it never waits for long, however long the last one took, nor for less than nothing", arguments: [.max, 500_000_000, -1, 0] as [Int64])
    func waitIsBounded(_ nanoseconds: Int64) {
        var pace = pace()
        #expect((0...CommitPace.nanosecondsMax).contains(pace.committed(events: 32, in: nanoseconds, backlog(32))))
    }

    @Test("what comes after a commit of few, or after a single burst, does not wait")
    func few() {
        var pace = CommitPace()
        for events in [1, CommitPace.eventsMin - 1, 5_000, 1, 64, 0, 64] {
            #expect(pace.committed(events: events, in: 200_000, backlog(0)) == 0, "\(events)")
        }
    }

    @Test("where commits are large by themselves, in events or in bytes, nothing waits for more")
    func large() {
        var pace = pace()
        #expect(pace.committed(events: CommitPace.enoughMax, in: 200_000, backlog(1)) == 0)
        #expect(pace.committed(events: 32, in: 200_000, backlog(1, cost: CommitPace.costMax)) == 0)
        #expect(pace.committed(events: CommitPace.enoughMax - 1, in: 200_000, backlog(1)) > 0)
        #expect(pace.isGathering(backlog(CommitPace.enoughMax - 1)))
        #expect(!pace.isGathering(backlog(CommitPace.enoughMax)))
        #expect(!pace.isGathering(backlog(2, cost: CommitPace.costMax)))
    }

    @Test("a wait that is the loop's own, after it wrote to many, is for as much as comes")
    func otherWaits() {
        var pace = pace()
        for events in [1, 5_000, 5_000] { _ = pace.committed(events: events, in: 200_000, backlog(0)) }
        #expect(pace.isGathering(backlog(10_000, cost: 10 * CommitPace.costMax)))
        #expect(!pace.isGathering(backlog(1, isAwaited: true)))
    }

    @Test("a step of an approval, or a command, is not kept waiting")
    func awaited() {
        var pace = pace()
        _ = pace.committed(events: 32, in: 200_000, backlog(0))
        #expect(pace.isGathering(backlog(1)))
        #expect(!pace.isGathering(backlog(1, isAwaited: true)))
    }

    @Test("after a commit that failed nothing is known of what comes")
    func failed() {
        var pace = pace()
        pace.failed()
        #expect(pace.committed(events: 32, in: 200_000, backlog(32)) == 0)
    }
}
