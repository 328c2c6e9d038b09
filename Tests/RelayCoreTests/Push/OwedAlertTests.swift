import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Alerts that APNs has not taken")
struct OwedAlertTests {
    private typealias T = RelayTranscript

    private static func usage(_ microUSD: Int64) -> EventHead {
        var usage = Usage()
        usage.costMicroUSD = microUSD
        return .usage(usage)
    }

    /// A session with a budget of a dollar, of which 60 cents are spent while APNs is away.
    private static func crossed(_ change: (inout Device) -> Void = { _ in }) throws -> PlannerRig {
        let rig = try PlannerRig(change)
        rig.agent(T.started)
        rig.command(.budget(Budget(scope: .session(T.session), microUSD: 1_000_000)))
        rig.agent(usage(600_000))
        return rig
    }

    private static let outcomes: [PushOutcome] = [
        .notSent("the breaker is open"), .unknown("the connection broke"), .refused(.sendLater, text: "TooManyRequests"),
        .refused(.keepToken, text: "Unregistered"), .refused(.fixCredentials, text: "InvalidProviderToken"),
    ]

    @Test("each is tried again, later each time, until APNs has it, and then no more", arguments: outcomes)
    func again(_ outcome: PushOutcome) throws {
        let rig = try Self.crossed()
        for wait: Int64 in [30_000, 60_000, 90_000, 120_000] {
            #expect(rig.take(outcome).map(\.collapse) == ["budget.session.50.s1"])
            rig.pass(wait - 1_000, answering: false)
            #expect(rig.take().isEmpty)
            rig.pass(1_000, answering: false)
        }
        #expect(rig.take().count == 1)
        rig.pass(1_200_000)
        #expect(rig.take().isEmpty)
    }

    @Test("no longer than it is worth")
    func worth() throws {
        let rig = try Self.crossed()
        var last: Int64 = 0
        for _ in 1...600 {
            for order in rig.take(.notSent("no network")) {
                last = rig.transcript.now
                #expect(order.worthUntil <= 1_795_178_096_000 + 4 * 3_600_000)
            }
            rig.pass(30_000, answering: false)
        }
        #expect(last > 1_795_178_096_000 + 3 * 3_600_000, "the longest wait is five minutes")
        rig.pass(3_600_000)
        #expect(rig.take().isEmpty)
        #expect(!Self.records(rig.transcript).contains(#""owed":[{"#))
    }

    @Test("what is refused for good, or by a device that shows it, is not")
    func notAgain() throws {
        let refused = try Self.crossed()
        #expect(refused.take(.refused(.fixRequest, text: "PayloadTooLarge")).count == 1)
        refused.pass(3_600_000)
        #expect(refused.take().isEmpty)

        let present = try Self.crossed()
        #expect(present.take(.notSent("no network")).count == 1)
        present.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        present.pass(25_000)
        present.command(.presence(isForeground: true, session: nil, device: PlannerRig.device))
        present.pass(3_600_000)
        #expect(present.take().isEmpty)
    }

    @Test("over a restart, whether its push had an answer or not")
    func restart() throws {
        let rig = try Self.crossed()
        let under = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        #expect(under.takePushes().count == 1, "the same push again, and no other")
        #expect(rig.take(.notSent("no network")).count == 1)
        let after = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        after.resume(rig.transcript)
        after.pass(1_000)
        let orders = after.takePushes()
        #expect(orders.map(\.collapse) == ["budget.session.50.s1"])
        after.handle(.pushAnswered(try #require(orders.first).id, .accepted(.sandbox, channel: nil)))
        after.settle()
        let done = RelayTranscript(state: after.state, push: PlannerRig.configuration, now: after.now)
        done.pass(3_600_000)
        #expect(done.takePushes().isEmpty)
    }

    @Test("a restart lets go of what is not worth sending any more, and of nothing else")
    func restartAfterItsWorth() throws {
        let rig = try Self.crossed()
        rig.pass(3 * 3_600_000, answering: false)
        rig.agent(.error(message: "no disk", recoverable: true))
        let later = rig.transcript.now + 2 * 3_600_000
        let after = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: later)
        after.pass(600_000)
        let collapses = Set(after.takePushes().map(\.collapse))
        #expect(collapses.contains("error.s1") && !collapses.contains("budget.session.50.s1"))
    }

    @Test("after a failure one finds out whether the way is free, then all go")
    func oneTries() throws {
        let rig = try Self.crossed()
        #expect(rig.take(.notSent("no network")).count == 1)
        rig.agent(Self.usage(900_000), .error(message: "no disk", recoverable: true))
        #expect(rig.take(.notSent("no network")).isEmpty)
        rig.pass(30_000, answering: false)
        #expect(rig.take(.notSent("no network")).map(\.collapse) == ["budget.session.50.s1"])
        rig.pass(60_000)
        #expect(rig.take().map(\.collapse) == ["budget.session.50.s1", "budget.session.80.s1", "error.s1"])
    }

    @Test("a token that is dead is waited out; the next gets it, in the words that the person chose since")
    func deadToken() throws {
        let rig = try Self.crossed { $0.text = .full }
        rig.agent(.sessionRenamed(title: "Secret plan"), .error(message: "no secret", recoverable: true))
        rig.answer(.refused(.dropToken, text: "Unregistered"))
        _ = rig.take()
        rig.pass(3_600_000)
        #expect(rig.take().isEmpty)
        rig.register {
            $0.address.alerts = "ab"
            $0.text = .generic
        }
        let orders = rig.take()
        #expect(orders.map(\.target) == [.device(token: "ab"), .device(token: "ab")])
        #expect(!orders.contains { $0.text.lowercased().contains("secret") })
    }

    @Test("where too many wait for an answer, those that follow wait for room")
    func room() throws {
        let rig = try PlannerRig()
        rig.agent(T.started)
        for _ in 1...64 { rig.command(.testPush(PlannerRig.device)) }
        #expect(rig.command(.testPush(PlannerRig.device))[0].contains("tooMany"))
        rig.command(.budget(Budget(scope: .session(T.session), microUSD: 1_000_000)))
        rig.agent(Self.usage(600_000))
        #expect(!rig.take().contains { $0.collapse?.hasPrefix("budget") == true })
        rig.pass(31_000)
        #expect(rig.take().map(\.collapse) == ["budget.session.50.s1"])
    }

    @Test("more than sixteen are counted, in one digest that follows the others")
    func bounded() throws {
        let rig = try Self.crossed()
        rig.command(.budget(Budget(scope: .everySession, microUSD: 1_000_000)))
        #expect(rig.take(.notSent("no network")).count == 1)
        for number in 1...20 {
            let batch = HostEvents(
                session: SessionID("t\(number)")!, first: 1, isAfterGap: false,
                events: [Event(T.started, at: rig.transcript.now), Event(Self.usage(600_000), at: rig.transcript.now)])
            rig.transcript.handle(.hostSent(rig.host, .events(batch)))
            rig.transcript.commit()
        }
        rig.pass(60_000)
        let orders = rig.take()
        #expect(orders.count { $0.collapse != "digest" } == 16)
        #expect(orders.contains { $0.text.contains("5 budgets crossed") })
    }

    @Test("a digest and the end of an approval are owed too")
    func digest() throws {
        let rig = try PlannerRig()
        let minute = rig.transcript.now / 60_000 % 1_440
        rig.register { $0.quiet = QuietHours(from: minute, to: (minute + 10) % 1_440, timeZone: "UTC") }
        rig.agent(T.started, .error(message: "e", recoverable: true))
        rig.pass(600_000, answering: false)
        #expect(rig.take(.notSent("no network")).map(\.collapse) == ["digest"])
        rig.pass(31_000)
        #expect(rig.take().map(\.collapse) == ["digest"])
        rig.agent(T.request("a1"))
        rig.pass(1_000)
        #expect(rig.take().count == 1)
        rig.agent(.approvalCancelled(ApprovalID("a1")!, reason: "local"))
        #expect(rig.take(.notSent("no network")).map(\.collapse) == ["s1.a1"])
        rig.pass(31_000)
        #expect(rig.take().map(\.collapse) == ["s1.a1"])
    }

    @Test("an approval of which nobody knows whether it rang rings again, as the same notification")
    func unknownApproval() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1"))
        rig.pass(100, answering: false)
        #expect(rig.take(.unknown("the connection broke")).map(\.collapse) == ["s1.a1"])
        rig.pass(31_000)
        #expect(rig.take().map(\.collapse) == ["s1.a1"])
        rig.pass(3_000_000)
        #expect(rig.take().isEmpty)
    }

    private static func records(_ transcript: RelayTranscript) -> String {
        transcript.records.values.map { String(decoding: $0.bytes ?? [], as: UTF8.self) }.joined()
    }
}
