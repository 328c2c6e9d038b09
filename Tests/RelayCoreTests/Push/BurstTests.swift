import PushPlanner
import RelayCore
import RelayProtocol
import Testing

@Suite("A burst of approvals")
struct BurstTests {
    private typealias T = RelayTranscript

    private static func title(_ push: PushIntent) throws -> String {
        try push.json.required("aps").required("alert").string("title")
    }

    private static func isCount(_ push: PushIntent) -> Bool { push.collapse == "waiting" }

    /// Asks `count` questions at once; all rings are accepted.
    private func burst(_ count: Int, _ change: (inout Device) -> Void = { _ in }) throws -> (
        rig: PlannerRig, alerts: [PushIntent]
    ) {
        let rig = try PlannerRig(change)
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        for number in 1...count { rig.ask("a\(number)") }
        rig.pass(2_000)
        return (rig, rig.take().filter { $0.purpose == .alert })
    }

    /// Alerts after that time, whether they ring or not.
    private func alerts(_ rig: PlannerRig, after milliseconds: Int64) -> [PushIntent] {
        rig.pass(milliseconds)
        return rig.take().filter { $0.purpose == .alert }
    }

    @Test("of 200 approvals five ring one by one, the oldest, and one notification counts the others, within two seconds")
    func rings() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        let start = rig.transcript.now
        for number in 1...60 { rig.ask("a\(number)") }
        for session in 2...4 {
            let name = SessionID("s\(session)")!
            rig.transcript.send([T.started] + (1...47).map { T.request("b\($0)") }, to: name, first: 1, by: rig.host)
            rig.transcript.commit()
        }
        var alerts: [PushIntent] = []
        for _ in 0..<60 {
            rig.transcript.settle()
            let pushes = rig.transcript.takePushes().filter { $0.purpose == .alert }
            rig.transcript.pass(60)
            for push in pushes { rig.transcript.handle(.pushAnswered(push.id, .accepted(.sandbox, channel: nil))) }
            alerts += pushes
        }
        #expect(alerts.compactMap { $0.code?.approval.rawValue } == (1...5).map { "a\($0)" })
        let count = try #require(alerts.last)
        #expect(alerts.count == 6 && count.code == nil && count.plannedAt - start <= 2_000)
        #expect(try Self.title(count) == "196 more approvals wait")
        let aps = try count.json.required("aps")
        #expect(try aps.required("alert").string("body") == "201 wait in all. Open this notification to see them.")
        #expect(try aps.string("category") == "HELIOGRAPH_STATUS" && aps.string("sound") == "default")
        #expect(count.urgency == .atOnce && count.isKept && count.worthUntil - start > 86_400_000)
    }

    @Test("what found no room, a ring, a card and another alert, goes as soon as there is some")
    func others() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        for number in 1...64 {
            let name = SessionID("e\(number)")!
            rig.transcript.send([T.started, .error(message: "no", recoverable: true)], to: name, first: 1, by: rig.host)
            rig.transcript.commit()
        }
        rig.transcript.settle()
        let pushes = rig.transcript.takePushes()
        #expect(pushes.count == 64)
        rig.ask("a1")
        rig.agent(.error(message: "e1", recoverable: true))
        rig.transcript.pass(2_000)
        rig.transcript.settle()
        #expect(rig.transcript.takePushes().isEmpty)
        for push in pushes.prefix(3) {
            rig.transcript.handle(.pushAnswered(push.id, .accepted(.sandbox, channel: nil)))
        }
        rig.transcript.settle()
        #expect(Set(rig.transcript.takePushes().map { $0.collapse ?? "card" }) == ["s1.a1", "error.s1", "card"])
    }

    @Test(
        "each of them has its own notification, with its code, when there is a place; the count follows, and none is left out")
    func places() throws {
        let (rig, first) = try burst(12)
        var open = first.compactMap { $0.code?.approval.rawValue }
        var rung = Set(open)
        var titles = try first.filter(Self.isCount).map(Self.title)
        #expect(titles == ["7 more approvals wait"])
        while let next = open.first {
            open.removeFirst()
            rig.command(T.decide(.deny(message: nil), next))
            for alert in alerts(rig, after: 10_000) where alert.replaces != "s1.\(next)" {
                if let code = alert.code {
                    open.append(code.approval.rawValue)
                    #expect(rung.insert(code.approval.rawValue).inserted, "\(code.approval) has rung by itself before")
                } else {
                    #expect(alert.urgency == .whenConvenient, "nothing new waits")
                    titles.append(try Self.title(alert))
                }
            }
            #expect(open.count <= 5)
        }
        #expect(rung == Set((1...12).map { "a\($0)" }))
        #expect(titles.suffix(3) == ["2 more approvals wait", "1 more approval waits", "No more wait"])
    }

    @Test("those that are cancelled leave the count, and none of them is told of by itself")
    func cancelled() throws {
        let (rig, _) = try burst(12)
        for number in 8...12 { rig.agent(.approvalCancelled(ApprovalID("a\(number)")!, reason: "agentGone")) }
        let told = alerts(rig, after: 10_000)
        #expect(try told.map(Self.title) == ["2 more approvals wait"])
        #expect(told.allSatisfy { $0.urgency == .whenConvenient && Self.isCount($0) })
        for number in 1...7 { rig.agent(.approvalCancelled(ApprovalID("a\(number)")!, reason: "agentGone")) }
        let last = alerts(rig, after: 10_000)
        #expect(last.allSatisfy { $0.code == nil }, "what is settled together makes no place for the rest")
        #expect(try last.filter(Self.isCount).map(Self.title) == ["No more wait"])
        #expect(last.count == 6)
    }

    @Test("what comes later is counted with a ring, two seconds after the last one; the same again rings nobody")
    func later() throws {
        let (rig, _) = try burst(7)
        #expect(alerts(rig, after: 60_000).isEmpty)
        rig.ask("a8")
        rig.ask("a9")
        let told = alerts(rig, after: 2_000)
        #expect(try told.map(Self.title) == ["4 more approvals wait"])
        #expect(told.allSatisfy { $0.urgency == .atOnce })
        #expect(alerts(rig, after: 60_000).isEmpty)
    }

    @Test("one that is free rings at once, though the count is still to be told")
    func free() throws {
        let (rig, _) = try burst(6)
        for number in 1...3 { rig.agent(.approvalCancelled(ApprovalID("a\(number)")!, reason: "agentGone")) }
        rig.pass(500)
        rig.ask("b1")
        #expect(alerts(rig, after: 500).contains { $0.code?.approval.rawValue == "b1" })
    }

    @Test("a count that its service does not get rings again, and so do all that are in it")
    func failed() throws {
        let (rig, first) = try burst(5)
        #expect(first.count == 5)
        rig.ask("a6")
        rig.ask("a7")
        rig.pass(2_000, answering: false)
        #expect(rig.take(.notSent("away")).filter(Self.isCount).count == 1)
        #expect(alerts(rig, after: 29_000).isEmpty)
        let again = alerts(rig, after: 3_000)
        #expect(try again.map(Self.title) == ["2 more approvals wait"])
        #expect(again.allSatisfy { $0.urgency == .atOnce })
    }

    @Test(
        "what only an earlier count has rung for rings again when that one fails, whichever is answered first",
        arguments: [false, true])
    func earlierFailed(isLaterFirst: Bool) throws {
        let (rig, _) = try burst(5)
        func counted(_ id: String) throws -> PushIntent {
            rig.ask(id)
            rig.pass(6_000, answering: false)
            return try #require(rig.transcript.takePushes().first(where: Self.isCount))
        }
        let (first, second) = (try counted("a6"), try counted("a7"))
        if isLaterFirst { rig.transcript.handle(.pushAnswered(second.id, .notSent("away"))) }
        rig.agent(.approvalCancelled(ApprovalID("a7")!, reason: "agentGone"))
        rig.transcript.handle(.pushAnswered(first.id, .unknown("the connection broke")))
        if !isLaterFirst { rig.transcript.handle(.pushAnswered(second.id, .accepted(.sandbox, channel: nil))) }
        let again = alerts(rig, after: 60_000).filter { $0.urgency == .atOnce }
        #expect(try again.map(Self.title) == ["1 more approval waits"])
    }

    @Test("if everything in a count is settled before it was sent, nothing is said of it")
    func withdrawn() throws {
        let (rig, _) = try burst(5)
        rig.ask("a6")
        rig.pass(2_000, answering: false)
        let count = try #require(rig.transcript.takePushes().first(where: Self.isCount))
        rig.agent(.approvalCancelled(ApprovalID("a6")!, reason: "agentGone"))
        #expect(rig.transcript.withdrawn.contains(count.id))
        rig.transcript.handle(.pushAnswered(count.id, .notSent("it was settled before it was sent")))
        #expect(alerts(rig, after: 60_000).isEmpty)
    }

    @Test("after an hour they ring again, the count once")
    func reminded() throws {
        let (rig, _) = try burst(9)
        let again = alerts(rig, after: 3_610_000)
        #expect(again.count { $0.code != nil } == 5)
        #expect(try again.filter(Self.isCount).map(Self.title) == ["4 more approvals wait"])
    }

    @Test("a relay that was started anew knows what it has counted")
    func restarted() throws {
        let (rig, _) = try burst(8)
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        again.resume(rig.transcript)
        again.pass(60_000)
        #expect(!again.takePushes().contains { $0.purpose == .alert })
    }

    @Test("after quiet hours five ring one by one, and the others are counted")
    func quiet() throws {
        let (rig, told) = try burst(8) { $0.quiet = QuietHours(from: 0, to: 1_439, timeZone: "UTC") }
        #expect(told.isEmpty)
        rig.register { $0.quiet = nil }
        let alerts = alerts(rig, after: 3_000)
        #expect(alerts.count { $0.code != nil } == 5)
        #expect(try alerts.filter(Self.isCount).map(Self.title) == ["3 more approvals wait"])
    }
}
