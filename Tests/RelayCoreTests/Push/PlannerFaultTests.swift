import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

/// Faults that the simulation found, each as a test of its own.
@Suite("Pushes when things go wrong")
struct PlannerFaultTests {
    private typealias T = RelayTranscript

    @Test("a clock that is set back puts nothing off")
    func clockBack() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(rig.tool(1))
        rig.pass(1_000)
        rig.transcript.clockOffset = -315_360_000_000
        rig.agent(rig.tool(2))
        rig.pass(61_000)
        #expect(try #require(rig.take().last).text.contains(#""operations":2"#))
    }

    @Test("a card whose token was dropped is brought up to date when its app tells another")
    func revived() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(T.request("a1"))
        rig.pass(100, answering: false)
        _ = rig.take(.refused(.dropToken, text: "Unregistered"))
        rig.report(token: "dd")
        rig.pass(2_000)
        let update = try #require(rig.take().last { $0.purpose == .update })
        #expect(update.target == .device(token: "dd"))
        #expect(update.text.contains(#""approvals":1"#))
    }

    @Test("the card before, told of late as if it were live, does not take the place of the one that was started since")
    func lateCard() throws {
        let rig = try PlannerRig { $0.starts = .always }
        try rig.withCard()
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(700_000)
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(120_000)
        #expect(rig.take().map(\.purpose).suffix(2) == [.end, .start])
        rig.report(token: "cc")
        rig.agent(T.request("a1"))
        rig.pass(2_000)
        #expect(!rig.take().contains { $0.target == .device(token: "cc") })
        rig.report(card: "card2", token: "dd")
        rig.report(token: "cc")
        rig.pass(2_000)
        #expect(rig.take().contains { $0.target == .device(token: "dd") && $0.purpose == .update })
    }

    @Test("the card before, which APNs knew no longer, is the one if its app says that it is there still")
    func cardFoundAgain() throws {
        let rig = try PlannerRig { $0.starts = .always }
        try rig.withCard()
        rig.agent(T.request("a1"))
        rig.pass(100, answering: false)
        _ = rig.take(.refused(.dropToken, text: "Unregistered"))
        rig.register {
            $0.starts = .always
            $0.address.alerts = "ab"
        }
        rig.pass(120_000)
        #expect(rig.take().contains { $0.purpose == .start })
        rig.report(token: "dd")
        rig.pass(2_000)
        #expect(rig.take().contains { $0.target == .device(token: "dd") && $0.purpose == .update })
    }

    @Test("what APNs says of the token of a card before is nothing against the one that is there now")
    func tokenOfAnother() throws {
        let rig = try PlannerRig { $0.starts = .always }
        try rig.withCard()
        rig.agent(T.request("a1"))
        rig.transcript.settle()
        let late = try #require(rig.transcript.takePushes().first { $0.target == .device(token: "cc") })
        rig.report(card: "card2", token: "dd")
        rig.transcript.handle(.pushAnswered(late.id, .refused(.dropToken, text: "Unregistered")))
        rig.pass(20_000)
        let sent = rig.take()
        #expect(!sent.contains { $0.purpose == .start })
        #expect(sent.contains { $0.target == .device(token: "dd") && $0.text.contains(#""approvals":1"#) })
    }

    @Test("a start that is refused says nothing of the card that the app began by itself meanwhile")
    func refusedStart() throws {
        let rig = try PlannerRig { $0.starts = .always }
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.pass(120_000, answering: false)
        rig.report(token: "cc")
        #expect(rig.take(.refused(.dropToken, text: "Unregistered")).map(\.purpose).contains(.start))
        rig.agent(T.request("a1"))
        rig.pass(4_000)
        #expect(rig.take().contains { $0.target == .device(token: "cc") && $0.text.contains(#""approvals":1"#) })
    }

    @Test("a card that was over before its token came is ended with it")
    func lateToken() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.report(token: nil)
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(10_000)
        _ = rig.take()
        rig.report(token: "dd")
        rig.pass(1_000)
        #expect(rig.take().map(\.purpose) == [.end])
    }

    @Test(
        "the token of a card that another device tells is moved there",
        arguments: [RelayTranscript.home.id, WorkspaceID("work")!])
    func movedCardToken(_ workspace: WorkspaceID) throws {
        let rig = try PlannerRig()
        try rig.withCard()
        let other = rig.transcript.client("other", in: Named(id: workspace, name: "w"))
        let host = rig.transcript.host("tower", in: workspace)
        rig.transcript.send([T.started, .statusChanged(.running, reason: nil)], to: SessionID("s2")!, first: 1, by: host)
        rig.transcript.commit()
        let device = Device(
            id: DeviceID("d2")!, name: "Tablet", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "17.5")
        rig.command(.device(device), by: other)
        let report = CardReport(card: CardID("card2")!, session: SessionID("s2"), token: "cc", state: .active)
        rig.command(.card(DeviceID("d2")!, report), by: other)
        rig.pass(120_000)
        _ = rig.take()
        rig.agent(T.request("a1"))
        rig.pass(120_000)
        #expect(!rig.take().contains { $0.target == .device(token: "cc") && $0.device == PlannerRig.device })
        rig.transcript.send([T.request("b1")], to: SessionID("s2")!, first: 3, by: host)
        rig.transcript.commit()
        rig.pass(120_000)
        #expect(rig.take().contains { $0.target == .device(token: "cc") && $0.device == DeviceID("d2")! })
    }

    @Test("another card is not sent to where the one before it listened")
    func otherCard() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.report(card: "card2", token: nil)
        rig.agent(T.request("a1"))
        rig.pass(1_000)
        #expect(!rig.take().contains { $0.target == .device(token: "cc") })
    }

    @Test("the card of all sessions ends with the last of them")
    func aggregateEnd() throws {
        let rig = try PlannerRig { $0.cards = .aggregate }
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.command(.card(PlannerRig.device, CardReport(card: CardID("all")!, session: nil, token: "cc", state: .active)))
        rig.pass(120_000)
        _ = rig.take()
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(1_000)
        #expect(rig.take().contains { $0.purpose == .end })
    }

    @Test("an end waits until nobody looks at the device, by word or by silence")
    func sparedEnd() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(20_000)
        #expect(!rig.take().contains { $0.purpose == .end })
        rig.pass(15_000)
        #expect(rig.take().contains { $0.purpose == .end })
    }

    @Test("what is asked while there is no token for alerts rings when there is one")
    func lateAlertToken() throws {
        let rig = try PlannerRig { $0.address.alerts = nil }
        rig.agent(T.started, T.request("a1"))
        rig.pass(10_000)
        #expect(rig.take().isEmpty)
        rig.register()
        rig.pass(1_000)
        #expect(rig.take().compactMap(\.code?.approval) == [ApprovalID("a1")!])
    }

    @Test("an alert to a token that is dead rings again on the next, an older token's answer at once")
    func deadToken() throws {
        for advice in [PushAdvice.dropToken, .keepToken] {
            let rig = try PlannerRig()
            rig.agent(T.started, T.request("a1"))
            rig.pass(100, answering: false)
            #expect(rig.take(.refused(advice, text: "Unregistered")).count == 1)
            rig.register { $0.address.alerts = "ee" }
            rig.pass(31_000)
            #expect(rig.take().compactMap(\.code?.approval) == [ApprovalID("a1")!], "\(advice)")
        }
    }

    @Test("an approval that is pending still though a set clock says it is over rings again on the next token")
    func clockBeyondExpiry() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1"))
        rig.pass(100, answering: false)
        rig.transcript.clockOffset = 315_360_000_000
        #expect(rig.take(.refused(.dropToken, text: "Unregistered")).count == 1)
        rig.register { $0.address.alerts = "ee" }
        rig.pass(31_000)
        let again = rig.take()
        #expect(again.compactMap(\.code?.approval) == [ApprovalID("a1")!])
        #expect(again.allSatisfy { $0.worthUntil > rig.transcript.now })
    }

    @Test("nobody hears of the end of what they were not rung for")
    func mutedEnd() throws {
        let rig = try PlannerRig { $0.muted = [PlannerRig.session] }
        rig.agent(T.started, T.request("a1"))
        rig.pass(1_000)
        rig.agent(.approvalCancelled(ApprovalID("a1")!, reason: "local"))
        rig.pass(10_000)
        #expect(rig.take().isEmpty)
    }

    @Test("a code whose decision the disk did not take may be used again")
    func codeGivenBack() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100)
        let push = try #require(rig.take().first).id
        let peer = PeerID(rawValue: 2_000_000)
        rig.transcript.handle(.codePresented(peer, CommandID("code1")!, push, .allow))
        rig.transcript.failCommit()
        #expect(rig.transcript.take(peer).first?.contains("unavailable") == true)
        rig.transcript.handle(.disconnected(peer))
        #expect(rig.present(push, .allow).contains(#""stage":"decided""#))
    }

    @Test("a card whose session retention removes has its end, though APNs takes it late and the relay restarts")
    func endWithoutSession() throws {
        let rig = try PlannerRig(retention: Retention(ageMax: 60_000))
        try rig.withCard()
        rig.agent(.statusChanged(.idle, reason: nil), .sessionEnded(reason: nil, failed: false))
        rig.transcript.handle(.disconnected(rig.host))
        rig.pass(1_000, answering: false)
        #expect(rig.take(.notSent("no network")).contains { $0.purpose == .end })
        rig.transcript.now += 100_000
        rig.transcript.fire(.housekeeping)
        rig.transcript.settle()
        #expect(rig.transcript.states.isEmpty)
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        again.resume(rig.transcript)
        again.pass(60_000)
        let end = try #require(again.takePushes().last { $0.purpose == .end })
        #expect(end.target == .device(token: "cc"))
        again.handle(.pushAnswered(end.id, .accepted(.sandbox, channel: nil)))
        again.settle()
        #expect(again.records.values.count { $0.kind == .card } == 0)
    }

    @Test("a card whose session retention removes waits until nobody looks at its device")
    func endWithoutSessionSpared() throws {
        let rig = try PlannerRig(retention: Retention(ageMax: 60_000))
        try rig.withCard()
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        rig.transcript.handle(.disconnected(rig.host))
        rig.transcript.now += 100_000
        rig.command(.ping)
        rig.transcript.fire(.housekeeping)
        rig.transcript.settle()
        #expect(rig.transcript.states.isEmpty && rig.take().isEmpty)
        rig.command(.presence(isForeground: false, session: nil, device: PlannerRig.device))
        #expect(rig.take().map(\.purpose) == [.end])
    }

    @Test("a card that told no token before retention removed its session is ended when its app tells one")
    func endWithLateToken() throws {
        let rig = try PlannerRig(retention: Retention(ageMax: 60_000))
        rig.agent(RelayTranscript.started, .statusChanged(.running, reason: nil))
        rig.report(token: nil)
        rig.transcript.handle(.disconnected(rig.host))
        rig.transcript.now += 100_000
        rig.command(.ping)
        rig.transcript.fire(.housekeeping)
        rig.transcript.settle()
        _ = rig.take()
        #expect(rig.transcript.states.isEmpty)
        #expect(rig.transcript.records.values.count { $0.kind == .card } == 1, "it is on the screen for all that we know")
        rig.report()
        #expect(rig.take().map(\.target) == [.device(token: "cc")])
        #expect(rig.transcript.records.values.count { $0.kind == .card } == 0)
    }

    @Test("a card that was forgotten is ended later than all that it was sent, though the clock was years ahead then")
    func endAfterAClockAhead() throws {
        let rig = try PlannerRig(retention: Retention(ageMax: 60_000))
        rig.transcript.clockOffset = 315_360_000_000
        try rig.withCard()
        rig.agent(.statusChanged(.idle, reason: nil), .sessionEnded(reason: nil, failed: false))
        rig.pass(1_000)
        let end = try #require(rig.take().last { $0.purpose == .end })
        rig.transcript.handle(.disconnected(rig.host))
        rig.transcript.now += 100_000
        rig.command(.ping)
        rig.transcript.fire(.housekeeping)
        rig.transcript.settle()
        #expect(rig.transcript.records.values.count { $0.kind == .card } == 0, "it is forgotten")
        rig.transcript.clockOffset = 0
        rig.report(token: "dd")
        let again = try #require(rig.take().last { $0.purpose == .end })
        func timestamp(_ intent: PushIntent) throws -> Int64 {
            try JSONDocument(parsing: intent.payload).root.required("aps").integer("timestamp")
        }
        #expect(try timestamp(again) > timestamp(end))
    }

    @Test("what ends for nobody leaves the reserve alone")
    func endsSpareReserve() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        for number in 1...6 {
            rig.agent(.error(message: "e\(number)", recoverable: true))
            rig.pass(5_000)
        }
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.pass(1_000)
        #expect(rig.take().last { $0.purpose == .end }?.priority == 5)
    }
}
