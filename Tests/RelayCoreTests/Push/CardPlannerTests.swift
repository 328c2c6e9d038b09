import PushPlanner
import RelayCore
import RelayProtocol
import Testing

@Suite("Cards")
struct CardPlannerTests {
    @Test("small changes are coalesced, and the last one is always sent")
    func trailingEdge() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        for number in 1...40 {
            rig.agent(rig.tool(number))
            rig.pass(1_000)
        }
        let first = rig.take()
        #expect((2...4).contains(first.count), "one each 15 seconds: \(first.count)")
        #expect(first.allSatisfy { $0.priority == 5 && $0.expiration == 0 && $0.purpose == .update })
        rig.pass(61_000)
        let last = try #require(rig.take().last)
        #expect(last.text.contains(#""operations":40"#))
        rig.pass(300_000)
        #expect(rig.take().isEmpty, "nothing new, nothing sent")
    }

    @Test("timestamps rise with every push, also when the clock goes back")
    func timestamps() throws {
        let rig = try PlannerRig { $0.hasFrequentPushes = true }
        try rig.withCard()
        var last: Int64 = 0
        for number in 1...10 {
            if number == 5 { rig.transcript.clockOffset = -7_200_000 }
            rig.agent(RelayTranscript.request("a\(number)"))
            rig.pass(1_000)
            for order in rig.take() where order.purpose == .update {
                let timestamp = try order.timestamp
                #expect(timestamp > last)
                last = timestamp
            }
        }
        #expect(last > 0)
    }

    @Test("an approval is urgent; the reserve is kept for approvals")
    func reserve() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        // Errors use up the pushes that are not reserved.
        for number in 1...6 {
            rig.agent(.error(message: "e\(number)", recoverable: true))
            rig.pass(5_000)
        }
        let errors = rig.take().filter { $0.purpose == .update }
        #expect(errors.count == 6)
        #expect(errors.count { $0.priority == 10 } == 3)
        rig.agent(RelayTranscript.request("a1"))
        rig.pass(100)
        let approval = try #require(rig.take().first { $0.purpose == .update })
        #expect(approval.priority == 10)
    }

    @Test("a session that ends ends its card, and nothing follows")
    func end() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(rig.tool(1), .sessionEnded(reason: nil, failed: false))
        rig.pass(1_000)
        let orders = rig.take().filter { $0.purpose != .alert }
        #expect(orders.map(\.purpose) == [.end])
        #expect(orders[0].priority == 10)
        rig.report()
        rig.agent(.message(.assistant, summary: "late"))
        rig.pass(3_600_000)
        #expect(rig.take().isEmpty)
    }

    @Test("an end that APNs did not get is sent again")
    func endAgain() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(.sessionEnded(reason: nil, failed: false))
        rig.transcript.pass(100)
        #expect(rig.take(.notSent("no network")).contains { $0.purpose == .end })
        rig.pass(60_000)
        #expect(rig.take().filter { $0.purpose == .end }.count == 1)
        rig.pass(600_000)
        #expect(rig.take().isEmpty)
    }

    @Test("the last state and the end are tried until APNs has them, at most five minutes apart", arguments: [false, true])
    func neverGivenUp(_ isEnd: Bool) throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(isEnd ? .sessionEnded(reason: nil, failed: false) : RelayTranscript.request("a1"))
        let end = rig.transcript.now + 6 * 3_600_000
        var tried = rig.transcript.now
        while rig.transcript.now < end {
            rig.transcript.pass(1_000)
            if rig.take(.notSent("the breaker is open")).contains(where: { $0.purpose == (isEnd ? .end : .update) }) {
                #expect(rig.transcript.now - tried <= 302_000)
                tried = rig.transcript.now
            }
        }
        rig.pass(302_000)
        let orders = rig.take().filter { $0.target == .device(token: "cc") }
        #expect(orders.map(\.purpose) == [isEnd ? .end : .update])
        #expect(isEnd || orders[0].text.contains(#""approvals":1"#))
    }

    @Test("an end is given up when the system has taken the card away")
    func endGivenUp() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(.sessionEnded(reason: nil, failed: false))
        for _ in 1...250 {
            rig.transcript.pass(180_000)
            _ = rig.take(.notSent("the breaker is open"))
        }
        rig.pass(3_600_000)
        #expect(!rig.take().contains { $0.purpose == .end })
    }

    @Test("a card ends at its profile's limit, and one alert says that the run goes on")
    func tooOld() throws {
        let rig = try PlannerRig()
        let start = rig.transcript.now
        try rig.withCard()
        while rig.transcript.now < start + 27_000_000 - 10_000 {
            rig.transcript.pass(10_000)
            rig.answer()
        }
        #expect(rig.take().allSatisfy { $0.purpose == .update })
        rig.pass(9_000)
        #expect(rig.take().allSatisfy { $0.purpose == .update })
        rig.pass(2_000)
        let orders = rig.take()
        #expect(orders.map(\.purpose) == [.end, .alert] && orders[1].collapse == "running.s1")
        #expect(try orders[1].json.required("aps").required("alert").string("title") == "claude-code is still working")
        #expect(orders.allSatisfy { abs($0.plannedAt - (start + 27_000_000)) <= 1_000 })
        for _ in 1...100 {
            rig.transcript.pass(60_000)
            rig.answer()
        }
        #expect(rig.take().isEmpty)
    }

    @Test("what is said while a push is under way is sent after its answer, once")
    func inFlight() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(RelayTranscript.request("a1"))
        rig.transcript.pass(100)
        let first = rig.transcript.takePushes().filter { $0.purpose == .update }
        #expect(first.count == 1)
        for number in 2...9 { rig.agent(RelayTranscript.request("a\(number)")) }
        rig.pass(10_000, answering: false)
        #expect(rig.transcript.takePushes().allSatisfy { $0.purpose != .update })
        rig.transcript.handle(.pushAnswered(first[0].id, .accepted(.sandbox, channel: nil)))
        rig.pass(1_000)
        let next = rig.take().filter { $0.purpose == .update }
        #expect(next.count == 1)
        #expect(next[0].text.contains(#""approvals":9"#))
    }

    @Test("a device that looks is sent nothing; when it turns away it is brought up to date at once")
    func presence() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        rig.agent(rig.tool(1))
        for _ in 1...20 {
            rig.pass(10_000)
            rig.command(.ping)
        }
        #expect(rig.take().isEmpty)
        rig.command(.presence(isForeground: false, session: nil, device: PlannerRig.device))
        #expect(rig.take().map(\.purpose) == [.update])
    }

    @Test("a device that has gone silent does not count as looking")
    func silent() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        rig.agent(rig.tool(1))
        rig.pass(29_000)
        #expect(rig.take().isEmpty)
        rig.pass(60_000)
        #expect(rig.take().count == 1)
    }

    @Test("another client's eyes, or its claim to be the device, spare the device nothing")
    func otherClient() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        let laptop = rig.transcript.client("laptop2")
        rig.command(.presence(isForeground: true, session: nil, device: PlannerRig.device), by: laptop)
        rig.agent(RelayTranscript.request("a1"))
        rig.pass(3_500)
        #expect(rig.take().map(\.purpose).sorted { $0.rawValue < $1.rawValue } == [.alert, .update])
    }

    @Test("a running card is refreshed before it goes stale")
    func refresh() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(rig.tool(1))
        rig.pass(5_000)
        #expect(rig.take().count == 1)
        rig.pass(590_000)
        #expect(rig.take().isEmpty)
        rig.pass(20_000)
        #expect(rig.take().map(\.priority) == [5])
    }

    @Test("an idle card ends after ten minutes")
    func ages() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(.statusChanged(.idle, reason: nil))
        rig.pass(580_000)
        #expect(!rig.take().contains { $0.purpose == .end })
        rig.pass(30_000)
        #expect(rig.take().map(\.purpose) == [.end])
    }

    @Test("a start needs a person who is waited for, rings, and is one at a time")
    func start() throws {
        let rig = try PlannerRig { $0.starts = .whenNeeded }
        rig.agent(RelayTranscript.started, .statusChanged(.running, reason: nil))
        rig.pass(120_000)
        #expect(rig.take().isEmpty)
        rig.agent(RelayTranscript.request("a1"))
        rig.pass(1_000)
        let start = try #require(rig.take().first { $0.purpose == .start })
        #expect(start.target == .device(token: "bb"))
        #expect(start.topic == "org.heliograph.app.push-type.liveactivity")
        rig.agent(RelayTranscript.request("a2"))
        rig.pass(290_000)
        #expect(!rig.take().contains { $0.purpose == .start || $0.purpose == .update })
        rig.report()
        rig.pass(1_000)
        #expect(rig.take().contains { $0.purpose == .update && $0.target == .device(token: "cc") })
    }

    @Test("a dead token ends the card until the app tells another; a 410 about an older token does not")
    func deadToken() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(RelayTranscript.request("a1"))
        rig.transcript.pass(100)
        let refused = rig.take(.refused(.dropToken, text: "ExpiredToken"))
        #expect(refused.contains { $0.purpose == .update })
        rig.agent(RelayTranscript.request("a2"))
        rig.pass(60_000)
        #expect(!rig.take().contains { $0.purpose == .update })
        rig.report(card: "card2", token: "dd")
        rig.pass(3_000)
        #expect(rig.take().contains { $0.target == .device(token: "dd") })
    }

    @Test("a restart neither loses nor repeats what a card was sent")
    func restart() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(RelayTranscript.request("a1"))
        rig.pass(2_000)
        _ = rig.take()
        let calm = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        calm.pass(1_000)
        #expect(calm.takePushes().isEmpty)

        rig.agent(RelayTranscript.request("a2"))
        rig.transcript.pass(100)
        let ordered = rig.transcript.takePushes()
        #expect(!ordered.isEmpty)
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        again.pass(1_000)
        #expect(again.takePushes() == ordered)
    }

    @Test("an aggregate card stands for all sessions, and shows the one that waits")
    func aggregate() throws {
        let rig = try PlannerRig { $0.cards = .aggregate }
        rig.agent(RelayTranscript.started, .statusChanged(.running, reason: nil))
        let other = SessionID("s2")!
        rig.transcript.send([RelayTranscript.started, RelayTranscript.request("b1")], to: other, first: 1, by: rig.host)
        rig.transcript.commit()
        rig.command(.card(PlannerRig.device, CardReport(card: CardID("all")!, session: nil, token: "ee", state: .active)))
        rig.pass(61_000)
        let orders = rig.take().filter { $0.purpose == .update }
        #expect(!orders.isEmpty)
        #expect(orders.allSatisfy { $0.target == .device(token: "ee") })
        #expect(orders.last?.text.contains(#""status":"waitingApproval""#) == true)
    }

    @Test("a card of all names no session, though there be one")
    func aggregateNamesNone() throws {
        let rig = try PlannerRig {
            $0.cards = .aggregate
            $0.starts = .always
            $0.text = .full
        }
        rig.agent(RelayTranscript.started, .sessionRenamed(title: "Mend the parser"), .statusChanged(.running, reason: nil))
        rig.pass(120_000)
        let start = try #require(rig.take().first { $0.purpose == .start })
        let attributes = try start.json.required("aps").required("attributes")
        #expect(attributes.optional("session") == nil && attributes.optional("project") == nil)
        #expect(try attributes.string("title") == "Session")
    }

    @Test("a card goes out of touch with its host, unless that is back within half a minute")
    func hostAway() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(rig.tool(1))
        rig.pass(120_000)
        _ = rig.take()
        rig.transcript.handle(.disconnected(rig.host))
        rig.pass(20_000)
        let host = rig.transcript.host()
        rig.pass(120_000)
        #expect(rig.take().isEmpty, "it was away for a moment")
        rig.transcript.handle(.disconnected(host))
        rig.pass(40_000)
        let away = rig.take()
        #expect(away.count == 1 && away[0].text.contains(#""status":"stale""#))
        _ = rig.transcript.host()
        rig.pass(20_000)
        let back = rig.take()
        #expect(back.count == 1 && back[0].text.contains(#""status":"running""#))
    }
}
