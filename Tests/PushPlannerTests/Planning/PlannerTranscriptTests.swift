import PushPlanner
import RelayModel
import RelayProtocol
import Testing

@Suite("The planner alone: facts in, orders out") struct PlannerTranscriptTests {
    private typealias S = PlannerStage

    @Test("a device is staged, and its app hears so when that is on disk")
    func registers() {
        let stage = S()
        #expect(stage.take().filter { !$0.contains("card") } == ["stage device d1", "reply c1 when staged"])
        stage.ask(.testPush(DeviceID("d9")!))
        #expect(stage.take() == ["reply c2: no"])
    }

    @Test("an approval is staged as a push, sent when that is on disk, and not again when it is answered")
    func rings() throws {
        let stage = S()
        _ = stage.take()
        stage.asks()
        let order = try #require(stage.staged)
        #expect(stage.take().filter { $0.contains("push") } == ["stage push 1", "stage push 1: alert"])
        stage.tell(.committed([order]))
        #expect(stage.take() == ["push 1"])
        stage.tell(.pushAnswered(order.id, .accepted(.sandbox, channel: nil)))
        #expect(stage.take() == ["stage push 1", "stage device d1"])
        stage.tell(.pushAnswered(order.id, .unknown("late")))
        stage.tell(.sessionsChanged([S.session]))
        #expect(stage.take().filter { $0.contains("push") } == [])
    }

    @Test("what the disk did not take goes with the next batch, once")
    func isKept() throws {
        let stage = S()
        _ = stage.take()
        stage.asks()
        let order = try #require(stage.staged)
        let records = stage.records
        _ = stage.take()
        stage.tell(.commitFailed(LostPlan(records: records, orders: [order], tied: [:])))
        #expect(stage.take() == ["arm owed after 30000"])
        stage.tell(.batchCut)
        #expect(stage.take() == ["stage first \(Set(records.map(\.name)).count) records, 1 pushes", "cancel owed"])
        stage.tell(.batchCut)
        #expect(stage.take() == [])
    }

    @Test("a code that is presented is an order to decide, and is used up when that was taken")
    func code() throws {
        let stage = S()
        stage.asks()
        let order = try #require(stage.staged)
        stage.tell(.committed([order]))
        _ = stage.take()
        let command = CommandID("k1")!
        stage.tell(.codePresented(order.id, .allow, command, S.peer))
        #expect(stage.take() == ["reply k1: no"], "the words did not show the whole input")
        for _ in 1...2 {
            stage.tell(.codePresented(order.id, .deny(message: nil), command, S.peer))
            #expect(stage.take() == ["decide a1 as phone for k1 with 1"], "a decision that was refused has not used it up")
        }
        stage.tell(.codePresented(order.id, .deny(message: nil), command, S.peer, signature: "by key"))
        #expect(stage.take() == ["decide a1 as phone for k1 with 1, signed by key"])
        stage.tell(.codeDecided(order.id))
        #expect(stage.take() == ["stage push 1"])
        stage.tell(.codePresented(order.id, .deny(message: nil), command, S.peer))
        #expect(stage.take() == ["reply k1: no"])
        stage.pass(3_600_001)
        stage.tell(.codePresented(order.id, .deny(message: nil), command, S.peer))
        #expect(stage.take() == ["reply k1: no"])
    }

    @Test("who looks is not rung where they have seen it, and is when they look away")
    func presence() {
        let stage = S()
        stage.ask(.presence(isForeground: true, session: S.session.session, device: S.device.device))
        _ = stage.take()
        stage.asks()
        #expect(stage.take().contains("arm rings after 3000"))
        stage.ask(.seen(S.session.session, S.approval))
        stage.pass(3_000)
        stage.tell(.timerFired(.rings(S.home.id, S.device.device, S.session.session)))
        #expect(stage.staged == nil)
        stage.tell(.clientLeft(S.peer))
        #expect(stage.staged?.purpose == .alert)
    }

    @Test("a set clock is noticed, and only then")
    func clock() {
        var planner = PushPlanner(PushSettings(), firstWorkspace: S.home.id, restoring: [])
        _ = planner.handle(.started(holders: nil), seeing: Sight(), at: Instant(wall: 5_000, uptime: 1_000))
        #expect(planner.isIdle && !planner.isBehindClock(at: Instant(wall: 6_500, uptime: 2_000)))
        #expect(planner.isBehindClock(at: Instant(wall: 7_000, uptime: 2_000)))
        _ = planner.handle(.clockWasSet, seeing: Sight(), at: Instant(wall: 7_000, uptime: 2_000))
        #expect(!planner.isBehindClock(at: Instant(wall: 7_000, uptime: 2_000)))
    }
}
