import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HeliographLink

struct ClientViewTests {
    private var view: ClientView

    init() {
        view = ClientView()
        _ = view.reduce(Fixtures.welcome())
    }

    private mutating func hear(_ message: MessageToClient) -> [String] { told(view.reduce(message)) }

    @Test mutating func eventsThatContinueAreTaken() {
        view.follow(Fixtures.session, after: nil)
        #expect(hear(Fixtures.snapshot(1...4)) == ["session sess-1 0→4", "events 1…4", "known sess-1"])
        #expect(hear(Fixtures.events(5...6)) == ["events 5…6"])
        #expect(view.logs[Fixtures.session]?.position == Position(epoch: Fixtures.epoch, seq: 6))
        #expect(view.logs[Fixtures.session]?.events.count == 6)
    }

    @Test mutating func aSnapshotSaysHowMuchItLeavesOut() {
        view.follow(Fixtures.session, after: nil)
        #expect(hear(Fixtures.snapshot(101...104)) == ["session sess-1 0→104", "events 101…104 skipped 100", "known sess-1"])
    }

    @Test mutating func aHoleIsRefusedAndAskedForOnce() {
        view.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 10))
        #expect(hear(Fixtures.events(12...13)) == ["resubscribe sess-1 after 10"])
        #expect(hear(Fixtures.events(14...14)) == [])
        #expect(view.logs[Fixtures.session]?.isBroken == true)
        #expect(hear(Fixtures.events(11...14)) == ["events 11…14"])
        #expect(view.logs[Fixtures.session]?.isBroken == false)
        #expect(hear(Fixtures.events(16...16)) == ["resubscribe sess-1 after 14"])
    }

    @Test mutating func whatIsRepeatedIsDroppedAndTheRestIsTaken() {
        view.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 10))
        #expect(hear(Fixtures.events(8...10)) == [])
        #expect(hear(Fixtures.events(9...12)) == ["events 11…12"])
        #expect(view.logs[Fixtures.session]?.events == [Fixtures.event(11), Fixtures.event(12)])
    }

    @Test mutating func eventsOfAnotherEpochAskForASnapshot() {
        view.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 10))
        #expect(hear(Fixtures.events(11...11, epoch: Fixtures.laterEpoch)) == ["resubscribe sess-1 from a snapshot"])
        #expect(hear(Fixtures.events(12...12, epoch: Fixtures.laterEpoch)) == [])
        #expect(
            hear(Fixtures.snapshot(1...12, epoch: Fixtures.laterEpoch))
                == ["session sess-1 0→12", "events 1…12", "known sess-1"])
    }

    @Test mutating func aResetForgetsThePositionUntilTheSnapshot() {
        view.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 10))
        #expect(hear(.reset(Fixtures.session, .ahead)) == ["reset sess-1 ahead"])
        #expect(view.logs[Fixtures.session] == nil)
        #expect(hear(Fixtures.events(11...11)) == [])
        #expect(hear(Fixtures.snapshot(1...8)) == ["session sess-1 0→8", "events 1…8", "known sess-1"])
        #expect(hear(Fixtures.events(9...9)) == ["events 9…9"])
    }

    @Test mutating func whoFellBehindIsToldHowMuchItMissed() {
        view.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 10))
        #expect(hear(.reset(Fixtures.session, .behind)) == [])
        #expect(hear(Fixtures.snapshot(20...21)) == ["session sess-1 0→21", "events 20…21 skipped 9", "known sess-1"])
    }

    @Test mutating func aRemovedSessionIsForgotten() {
        view.follow(Fixtures.session, after: nil)
        _ = hear(Fixtures.snapshot(1...4))
        #expect(hear(.removed(Fixtures.session)) == ["gone sess-1"])
        #expect(view.sessions.isEmpty && view.logs.isEmpty)
        #expect(hear(.removed(Fixtures.session)) == [])
    }

    @Test mutating func aSnapshotAfterAKnownPositionTellsOnlyWhatIsNew() {
        view.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 10))
        #expect(hear(Fixtures.snapshot(5...12)) == ["session sess-1 0→12", "events 11…12", "known sess-1"])
        #expect(hear(Fixtures.snapshot(20...21)) == ["session sess-1 12→21", "events 20…21 skipped 7", "known sess-1"])
        #expect(hear(Fixtures.snapshot(1...3)) == [])
    }

    @Test mutating func aSnapshotWhoseNumbersDoNotAddUpIsUnusable() {
        view.follow(Fixtures.session, after: nil)
        let tail = SessionEvents(session: Fixtures.session, epoch: Fixtures.epoch, first: 3, events: [Fixtures.event(3)])
        let broken = MessageToClient.sessionSnapshot(tail, seq: 9, summary: Fixtures.summary(seq: 9), approvals: [])
        #expect(hear(broken) == ["unusable sess-1"])
    }

    @Test mutating func eventsOfASessionThatIsNotFollowedAreNoConcern() {
        #expect(hear(Fixtures.events(1...2)) == [])
        #expect(view.logs.isEmpty)
    }

    @Test mutating func onlyTheLastEventsAreKept() {
        view.follow(Fixtures.session, after: Position(epoch: Fixtures.epoch, seq: 0))
        for start in stride(from: Int64(1), through: 1_001, by: 100) { _ = hear(Fixtures.events(start...(start + 99))) }
        #expect(view.logs[Fixtures.session]?.events.count == ClientView.eventsKeptMax)
        #expect(view.logs[Fixtures.session]?.events.last == Fixtures.event(1_100))
    }

    @Test mutating func olderSummariesAndApprovalsAreIgnored() {
        #expect(hear(.summary(Fixtures.summary(seq: 5))) == ["session sess-1 0→5"])
        #expect(hear(.summary(Fixtures.summary(seq: 4))) == [])
        #expect(hear(.summary(Fixtures.summary(seq: 5) { $0.hostIsConnected = false })) == ["session sess-1 5→5"])
        #expect(hear(.approval(Fixtures.approval(seq: 6, stage: .decided))) == ["approval appr-1 none→decided"])
        #expect(hear(.approval(Fixtures.approval(seq: 3))) == [])
        #expect(view.pendingApprovals.isEmpty)
    }

    @Test mutating func theFirstWorkspaceSnapshotIsToldAsOneAndLaterOnesAsWhatChanged() {
        let first = MessageToClient.workspaceSnapshot(
            sessions: [Fixtures.summary(seq: 5), Fixtures.summary(Fixtures.other, seq: 9)], approvals: [Fixtures.approval()])
        #expect(hear(first) == ["workspace known"])
        #expect(view.pendingApprovals.map(\.id.rawValue) == ["appr-1"])
        let later = MessageToClient.workspaceSnapshot(
            sessions: [Fixtures.summary(seq: 7)], approvals: [Fixtures.approval("appr-2")])
        #expect(hear(later) == ["gone sess-2", "session sess-1 5→7", "approval appr-2 none→pending"])
        #expect(view.pendingApprovals.map(\.id.rawValue) == ["appr-2"])
    }

    @Test mutating func aSnapshotInPagesIsToldAsOneAtItsEnd() {
        let (one, other) = (Fixtures.summary(seq: 5), Fixtures.summary(Fixtures.other, seq: 9))
        #expect(hear(.workspaceSnapshot(sessions: [one], approvals: [], more: true)) == [])
        #expect(hear(.summary(other)) == [] && hear(.approval(Fixtures.approval())) == [] && !view.isWorkspaceKnown)
        #expect(hear(.snapshotEnd) == ["workspace known"])
        #expect(view.sessions.count == 2 && view.pendingApprovals.count == 1)
        #expect(hear(.snapshotEnd) == [])
    }

    @Test mutating func whatIsInNoPageOfALaterSnapshotIsGoneAtItsEnd() {
        let (one, other) = (Fixtures.summary(seq: 5), Fixtures.summary(Fixtures.other, seq: 9))
        _ = hear(
            .workspaceSnapshot(sessions: [one, other], approvals: [Fixtures.approval(), Fixtures.approval("appr-2")]))
        #expect(hear(.workspaceSnapshot(sessions: [one], approvals: [], more: true)) == [])
        #expect(view.sessions.count == 2 && view.pendingApprovals.count == 2 && view.isWorkspaceKnown)
        _ = hear(.approval(Fixtures.approval("appr-2")))
        #expect(hear(.snapshotEnd) == ["gone sess-2"])
        #expect(view.pendingApprovals.map(\.id.rawValue) == ["appr-2"])
        // The link broke within one: the next begins again.
        _ = hear(.workspaceSnapshot(sessions: [], approvals: [], more: true))
        _ = hear(Fixtures.welcome())
        #expect(hear(.snapshotEnd) == [] && view.sessions.count == 1)
    }

    @Test mutating func anotherEpochVoidsWhatWasKnown() {
        _ = hear(.workspaceSnapshot(sessions: [Fixtures.summary(seq: 50)], approvals: [Fixtures.approval()]))
        #expect(hear(Fixtures.welcome(Fixtures.laterEpoch)) == ["epoch changed"])
        #expect(view.sessions.isEmpty && view.approvals.isEmpty && !view.isWorkspaceKnown)
        #expect(hear(.workspaceSnapshot(sessions: [Fixtures.summary(seq: 2)], approvals: [])) == ["workspace known"])
        #expect(view.sessions[Fixtures.session]?.seq == 2)
    }
}
