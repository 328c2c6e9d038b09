import RelayCore
import Testing
import WebSocketEngine

@testable import HeliographServer

@Suite("When the next commit is cut") struct CommitDelayTests {
    private func backlog(_ events: Int, cost: Int = 0, isAwaited: Bool = false) -> Relay.Backlog {
        var backlog = Relay.Backlog()
        backlog.stagedEvents = events
        backlog.stagedCost = cost
        backlog.isAwaited = isAwaited
        return backlog
    }

    /// The delay after a commit of many.
    private func delay() -> CommitDelay {
        var delay = CommitDelay()
        #expect(delay.committed(events: 32, in: 200_000, backlog(32)) == 0)
        return delay
    }

    @Test("after two commits of many the next waits until its hosts have said as much again")
    func gathers() {
        var delay = delay()
        #expect(delay.committed(events: 32, in: 200_000, backlog(32)) == 100_000)
        #expect(delay.isGathering(backlog(63)))
        #expect(!delay.isGathering(backlog(64)))
    }

    @Test(
        "it never waits for long, however long the last one took, nor for less than nothing",
        arguments: [.max, 500_000_000, -1, 0] as [Int64])
    func waitIsBounded(_ nanoseconds: Int64) {
        var delay = delay()
        #expect((0...CommitDelay.nanosecondsMax).contains(delay.committed(events: 32, in: nanoseconds, backlog(32))))
    }

    @Test("what comes after a commit of few, or after a single burst, does not wait")
    func few() {
        var delay = CommitDelay()
        for events in [1, CommitDelay.eventsMin - 1, 5_000, 1, 64, 0, 64] {
            #expect(delay.committed(events: events, in: 200_000, backlog(0)) == 0, "\(events)")
        }
    }

    @Test("where commits are large by themselves, in events or in bytes, nothing waits for more")
    func large() {
        var delay = delay()
        #expect(delay.committed(events: CommitDelay.enoughMax, in: 200_000, backlog(1)) == 0)
        #expect(delay.committed(events: 32, in: 200_000, backlog(1, cost: CommitDelay.costMax)) == 0)
        #expect(delay.committed(events: CommitDelay.enoughMax - 1, in: 200_000, backlog(1)) > 0)
        #expect(delay.isGathering(backlog(CommitDelay.enoughMax - 1)))
        #expect(!delay.isGathering(backlog(CommitDelay.enoughMax)))
        #expect(!delay.isGathering(backlog(2, cost: CommitDelay.costMax)))
    }

    @Test("a wait that is the loop's own, after it wrote to many, is for as much as comes")
    func otherWaits() {
        var delay = delay()
        for events in [1, 5_000, 5_000] { _ = delay.committed(events: events, in: 200_000, backlog(0)) }
        #expect(delay.isGathering(backlog(10_000, cost: 10 * CommitDelay.costMax)))
        #expect(!delay.isGathering(backlog(1, isAwaited: true)))
    }

    @Test("a step of an approval, or a command, is not kept waiting")
    func awaited() {
        var delay = delay()
        _ = delay.committed(events: 32, in: 200_000, backlog(0))
        #expect(delay.isGathering(backlog(1)))
        #expect(!delay.isGathering(backlog(1, isAwaited: true)))
    }

    private static let crowdWait = 1_000 * CommitDelay.nanosecondsForEach

    @Test("where another node writes to a crowd, the next waits for what follows on that, and goes as soon as it is there")
    func crowd() {
        var delay = delay()
        #expect(!delay.waitsForCrowd(at: CommitDelay.start))
        #expect(delay.committed(events: 20, in: 200_000, backlog(44), crowd: 1_000) == Self.crowdWait)
        #expect(delay.waitsForCrowd(at: CommitDelay.start))
        #expect(delay.isGathering(backlog(63)))
        #expect(!delay.isGathering(backlog(64)))
        #expect(!delay.isGathering(backlog(44, isAwaited: true)))
        #expect(delay.committed(events: 60, in: 200_000, backlog(0), crowd: 1_000) == Self.crowdWait)
        #expect(delay.committed(events: 60, in: 200_000, backlog(0)) == 100_000)
        #expect(!delay.waitsForCrowd(at: CommitDelay.start))
    }

    @Test("it waits for no longer than so many take, and not for few, nor after a single burst")
    func crowdIsBounded() {
        var delay = delay()
        #expect(delay.committed(events: 60, in: 200_000, backlog(0), crowd: CommitDelay.crowdMin - 1) == 100_000)
        #expect(delay.committed(events: 60, in: 200_000, backlog(0), crowd: 1 << 20) == CommitDelay.crowdNanosecondsMax)
        var few = CommitDelay()
        for events in [64, 3, 64, 1] {
            #expect(few.committed(events: events, in: 200_000, backlog(0), crowd: 1_000) == 0, "\(events)")
            #expect(!few.waitsForCrowd(at: CommitDelay.start))
        }
    }

    @Test("where waiting for a crowd is in vain it is tried less and less often, and as before when it pays again")
    func inVain() {
        var delay = delay()
        // The commit has 32 and 32 wait; the next has 32 again, and not all.
        func isKept() -> Bool { delay.committed(events: 32, in: 200_000, backlog(32), crowd: 1_000) == Self.crowdWait }
        let kept = (0..<300).filter { _ in isKept() }
        #expect(kept == [0, 3, 8, 17, 34, 67, 132, 197, 262])
        while !isKept() {}
        for _ in 0..<10 {
            #expect(delay.committed(events: 64, in: 200_000, backlog(0), crowd: 1_000) == Self.crowdWait)
        }
    }

    @Test("it waits for a crowd until the commit begins, and for as long as that may last")
    func crowdWaitEnds() {
        func begins(_ delay: inout CommitDelay) -> Bool { delay.begun() }
        func time(_ nanoseconds: Int64) -> MonotonicTime {
            MonotonicTime(nanoseconds: CommitDelay.start.nanoseconds + nanoseconds)
        }
        var delay = delay()
        #expect(begins(&delay) == false)
        #expect(delay.committed(events: 32, in: 200_000, backlog(32), crowd: 1_000) == Self.crowdWait)
        #expect(delay.crowdEnd == time(Self.crowdWait))
        #expect(delay.waitsForCrowd(at: time(Self.crowdWait - 1)))
        #expect(!delay.waitsForCrowd(at: time(Self.crowdWait)), "its hosts have fallen silent")
        #expect(begins(&delay))
        #expect(!delay.waitsForCrowd(at: time(1)), "what comes now is of the commit after it")
        #expect(delay.crowdEnd == nil)
        #expect(begins(&delay) == false)
        #expect(delay.committed(events: 64, in: 200_000, backlog(0), crowd: 1_000) == Self.crowdWait, "it was not in vain")
    }

    @Test("after a commit that failed nothing is known of what comes")
    func failed() {
        var delay = delay()
        delay.failed()
        #expect(delay.committed(events: 32, in: 200_000, backlog(32)) == 0)
    }
}

extension CommitDelay {
    fileprivate static let start = MonotonicTime(nanoseconds: 1_000_000_000)

    /// The commit began before it ended.
    fileprivate mutating func committed(events: Int, in nanoseconds: Int64, _ backlog: Relay.Backlog, crowd: Int = 0) -> Int64 {
        _ = begun()
        return committed(events: events, in: nanoseconds, backlog, crowd: crowd, at: Self.start)
    }
}
