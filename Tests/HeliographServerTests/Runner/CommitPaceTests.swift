import RelayCore
import Testing

@testable import HeliographServer

@Suite("When the next commit is cut") struct CommitPaceTests {
    private func backlog(_ events: Int, isAwaited: Bool = false) -> Relay.Backlog {
        var backlog = Relay.Backlog()
        backlog.stagedEvents = events
        backlog.isAwaited = isAwaited
        return backlog
    }

    @Test("after a commit of many the next waits until its hosts have said as much again")
    func gathers() {
        var pace = CommitPace()
        #expect(pace.committed(events: 32, in: 200_000, backlog(32)) == 100_000)
        #expect(pace.isGathering(backlog(63)))
        #expect(!pace.isGathering(backlog(64)))
    }

    @Test("it never waits for long, however long the last one took")
    func waitIsBounded() {
        var pace = CommitPace()
        #expect(pace.committed(events: 32, in: 500_000_000, backlog(32)) == 200_000)
    }

    @Test("after a commit of few, or where many are staged, nothing waits")
    func doesNotWait() {
        var pace = CommitPace()
        #expect(pace.committed(events: 15, in: 200_000, backlog(0)) == 0)
        #expect(pace.committed(events: 5_000, in: 200_000, backlog(256)) == 0)
    }

    @Test("a step of an approval, or a command, is not kept waiting")
    func awaited() {
        var pace = CommitPace()
        _ = pace.committed(events: 32, in: 200_000, backlog(0))
        #expect(pace.isGathering(backlog(1)))
        #expect(!pace.isGathering(backlog(1, isAwaited: true)))
    }
}
