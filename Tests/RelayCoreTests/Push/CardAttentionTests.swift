import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Cards that say that a person is waited for, and when they no longer are")
struct CardAttentionTests {
    private typealias T = RelayTranscript

    /// An approval has been shown, and is decided elsewhere.
    private func decided(_ profile: String = "heliograph", _ id: String = "a1") throws -> PlannerRig {
        let rig = try PlannerRig { $0.profile = profile }
        try rig.withCard()
        rig.ask(id)
        rig.pass(1_000)
        #expect(rig.take().contains { $0.purpose == .update })
        rig.command(T.decide(.allow, id), by: rig.transcript.client("laptop"))
        return rig
    }

    private func updates(_ rig: PlannerRig) -> [PushIntent] { rig.take().filter { $0.purpose == .update } }
    private func status(_ order: PushIntent) throws -> String {
        try order.json.required("aps").required("content-state").string("status")
    }

    @Test(
        "after a decision the next push says what the agent does, at once",
        arguments: [("heliograph", "running"), ("codingbridge", "processing"), ("epic", "running")])
    func decision(_ profile: String, _ running: String) throws {
        let rig = try decided(profile)
        rig.pass(60)
        let delivered = rig.transcript.now
        rig.agent(.approvalDelivered(ApprovalID("a1")!))
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(60_000)
        let first = try #require(updates(rig).first)
        #expect(try status(first) == running)
        #expect(first.plannedAt - delivered <= 10)
        #expect(first.priority == 10 && first.expiration != 0)
        #expect(try first.json.required("aps").integer("relevance-score") == 50)
    }

    @Test("also where the session waited at its terminal meanwhile")
    func terminal() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(.statusChanged(.waitingApproval, reason: "at the terminal"))
        rig.pass(10)
        #expect(try updates(rig).map(status) == ["waitingApproval"])
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(10)
        #expect(try updates(rig).map(status) == ["running"])
    }

    @Test("a host that takes its time is given a second, and then the card says what it waits for")
    func slowHost() throws {
        let rig = try decided()
        rig.agent(.error(message: "e1", recoverable: true))
        rig.pass(900)
        #expect(updates(rig).isEmpty)
        rig.pass(200)
        #expect(updates(rig).first?.text.contains("decided, waits for the host") == true)
    }

    @Test("a decision for a host that is away leaves nothing to a person: the card says so at once")
    func hostAway() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.ask("a1")
        rig.pass(1_000)
        rig.transcript.handle(.disconnected(rig.host))
        rig.pass(60_000)
        _ = rig.take()
        rig.command(T.decide(.allow), by: rig.transcript.client("laptop"))
        rig.pass(10)
        let update = try #require(updates(rig).first)
        #expect(try status(update) == "stale" && update.priority == 10)
        #expect(try update.json.required("aps").integer("relevance-score") == 20)
    }

    @Test("a host that is away with a prompt at its terminal may be back in a moment")
    func hostGone() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(.statusChanged(.waitingApproval, reason: "at the terminal"))
        rig.pass(5_000)
        _ = rig.take()
        rig.transcript.handle(.disconnected(rig.host))
        rig.pass(20_000)
        #expect(updates(rig).isEmpty)
        rig.pass(45_000)
        #expect(try updates(rig).map(status) == ["stale"])
    }

    @Test("however often it asks, that it waits no longer waits for nothing, and that it waits again for two seconds")
    func often() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        let laptop = rig.transcript.client("laptop")
        for number in 1...12 {
            let asked = rig.transcript.now
            rig.ask("a\(number)")
            rig.pass(2_200)
            let shown = try #require(updates(rig).last)
            #expect(try status(shown) == "waitingApproval")
            #expect(shown.plannedAt - asked <= 2_000)
            rig.command(T.decide(.allow, "a\(number)"), by: laptop)
            rig.agent(.approvalDelivered(ApprovalID("a\(number)")!))
            let delivered = rig.transcript.now
            rig.pass(100)
            let over = try #require(updates(rig).last)
            #expect(try status(over) == "running")
            #expect(over.plannedAt - delivered <= 10 && over.expiration != 0)
        }
    }

    @Test("the last urgent push is kept for who is waited for: the end before it goes at once, at a lower priority")
    func reserve() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        let laptop = rig.transcript.client("laptop")
        var priorities: [Int64] = []
        for number in 1...3 {
            rig.ask("a\(number)")
            rig.pass(2_200)
            priorities += updates(rig).map(\.priority)
            rig.command(T.decide(.allow, "a\(number)"), by: laptop)
            rig.agent(.approvalDelivered(ApprovalID("a\(number)")!))
            rig.pass(100)
            priorities += updates(rig).map(\.priority)
        }
        #expect(priorities == [10, 10, 10, 10, 10, 5])
        rig.ask("a4")
        rig.pass(2_200)
        #expect(updates(rig).map(\.priority) == [10])
    }

    @Test("a relay that was restarted between decision and push says it within two seconds")
    func restart() throws {
        let rig = try decided()
        rig.transcript.settle()
        rig.agent(.approvalDelivered(ApprovalID("a1")!))
        // The push under way at the restart is not sent again to a card that has ended its wait.
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        let host = again.host()
        again.commit()
        again.pass(2_000)
        _ = host
        let orders = again.takePushes().filter { $0.purpose == .update }
        #expect(try orders.last.map(status) == "running")
    }
}
