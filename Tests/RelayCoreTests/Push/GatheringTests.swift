import ChannelAPNs
import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

/// Everything that needs no answer in one notification, if the person wants that.
@Suite("What is gathered") struct GatheringTests {
    private typealias T = RelayTranscript

    private static let minute: Int64 = 60_000

    /// A run that is long enough to be reported, and its end.
    private func run(_ rig: PlannerRig) {
        rig.agent(.statusChanged(.running, reason: nil))
        rig.pass(2 * Self.minute)
        rig.agent(.statusChanged(.idle, reason: nil))
    }

    private func digests(_ orders: [PushIntent]) -> [String] {
        orders.map { $0.collapse == "digest" ? $0.text : "\($0.collapse ?? "no name") by itself" }
    }

    @Test("nothing rings for what needs no answer until so long after the first of it; then one quiet notification counts it")
    func interval() throws {
        let rig = try PlannerRig()
        rig.register { $0.gathering = .interval(minutes: 30) }
        rig.agent(T.started)
        run(rig)
        rig.pass(20 * Self.minute)
        run(rig)
        rig.agent(.error(message: "no disk", recoverable: true))
        rig.pass(7 * Self.minute)
        #expect(rig.take().isEmpty)
        rig.pass(2 * Self.minute)
        let told = rig.take()
        #expect(told.count == 1 && told[0].text.contains("1 error, 2 runs finished"), "\(digests(told))")
        #expect(told[0].urgency == .whenConvenient && told[0].session == nil)
        rig.pass(60 * Self.minute)
        #expect(rig.take().isEmpty, "nothing of it is told twice, and nothing is no news")
        run(rig)
        rig.pass(31 * Self.minute)
        #expect(digests(rig.take()).count == 1, "the next begins with what comes next")
    }

    @Test("what rules answered is counted there if its person wants that, from then on", arguments: [true, false])
    func rules(isWanted: Bool) throws {
        let rig = try PlannerRig()
        func answeredByRule(_ name: String) {
            var request = ApprovalRequest(
                approval: ApprovalID(name)!, kind: .tool, tool: "Bash", title: "Run: npm test", digest: T.digest)
            request.rule = AppliedRule(name: "tests", digest: T.otherDigest, answer: .allow)
            rig.agent(.approvalRequested(request))
        }
        rig.agent(T.started)
        answeredByRule("before")
        rig.register {
            $0.gathering = .interval(minutes: 30)
            $0.countsRules = isWanted
        }
        for name in ["a1", "a2", "a3"] { answeredByRule(name) }
        rig.pass(29 * Self.minute)
        #expect(rig.take().isEmpty, "none of them asks anybody")
        rig.pass(2 * Self.minute)
        #expect(rig.take().map(\.text).filter { $0.contains("3 calls answered by rules") }.count == (isWanted ? 1 : 0))
        answeredByRule("a4")
        rig.pass(31 * Self.minute)
        #expect(rig.take().map(\.text).filter { $0.contains("1 call answered by rules") }.count == (isWanted ? 1 : 0))
    }

    @Test("once a day it is told at the person's own time, and what comes in that minute on the next day")
    func daily() throws {
        let rig = try PlannerRig()
        let at = (rig.transcript.now / Self.minute + 10) % 1_440
        rig.register { $0.gathering = .daily(at: at, timeZone: "UTC") }
        rig.agent(T.started)
        run(rig)
        rig.pass(7 * Self.minute)
        #expect(rig.take().isEmpty)
        rig.pass(2 * Self.minute)
        #expect(digests(rig.take()).count == 1)
        #expect(rig.transcript.now / Self.minute % 1_440 >= at)
        rig.agent(.error(message: "no disk", recoverable: true))
        rig.pass(23 * 60 * Self.minute)
        #expect(rig.take().isEmpty)
        rig.pass(60 * Self.minute)
        #expect(digests(rig.take()).count == 1)
    }

    @Test("an approval and a question ring as ever")
    func approvals() throws {
        let rig = try PlannerRig()
        rig.register { $0.gathering = .daily(at: 0, timeZone: "UTC") }
        rig.agent(T.started, .error(message: "no disk", recoverable: true))
        rig.ask("a1")
        rig.pass(1_000)
        #expect(rig.take().map(\.collapse) == ["s1.a1"])
        // The push that the approval is settled replaces the one that rang, at once.
        rig.agent(.approvalCancelled(ApprovalID("a1")!, reason: "local"))
        rig.pass(1_000)
        #expect(rig.take().map(\.collapse) == ["s1.a1"])
    }

    @Test("whoever wants it as it happens again is told of what was gathered at once")
    func takenBack() throws {
        let rig = try PlannerRig()
        rig.register { $0.gathering = .daily(at: 0, timeZone: "UTC") }
        rig.agent(T.started, .error(message: "no disk", recoverable: true))
        rig.pass(1_000)
        rig.command(.deviceChoices(PlannerRig.device, DeviceChoices()))
        rig.pass(1_000)
        #expect(rig.take().map(\.collapse) == ["digest"])
        rig.agent(.statusChanged(.running, reason: nil))
        rig.agent(.error(message: "no disk", recoverable: true))
        rig.pass(1_000)
        #expect(rig.take().map(\.collapse) == ["error.s1"])
    }

    @Test("quiet hours go before it")
    func quiet() throws {
        let rig = try PlannerRig()
        let minute = rig.transcript.now / Self.minute % 1_440
        rig.register {
            $0.gathering = .interval(minutes: 5)
            $0.quiet = QuietHours(from: minute, to: (minute + 30) % 1_440, timeZone: "UTC")
        }
        rig.agent(T.started, .error(message: "no disk", recoverable: true))
        rig.pass(29 * Self.minute)
        #expect(rig.take().isEmpty)
        rig.pass(Self.minute)
        #expect(digests(rig.take()).count == 1)
    }

    @Test("a night that its person ends holds nothing back: what waits rings, and what was gathered is told")
    func nightEnded() throws {
        let rig = try PlannerRig()
        let minute = rig.transcript.now / Self.minute % 1_440
        rig.register { $0.quiet = QuietHours(from: minute, to: (minute + 600) % 1_440, timeZone: "UTC") }
        rig.agent(T.started, .error(message: "no disk", recoverable: true))
        rig.ask("a1")
        rig.pass(Self.minute)
        #expect(rig.take().isEmpty)
        rig.command(.deviceChoices(PlannerRig.device, DeviceChoices()))
        rig.pass(1_000)
        #expect(Set(rig.take().map(\.collapse)) == ["s1.a1", "digest"])
    }

    @Test("it outlives the relay, and is tried until its service has it")
    func restart() throws {
        let rig = try PlannerRig()
        rig.register { $0.gathering = .interval(minutes: 5) }
        rig.agent(T.started, .error(message: "no disk", recoverable: true))
        rig.pass(4 * Self.minute)
        #expect(rig.take().isEmpty)
        let next = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        next.pass(30_000)
        #expect(next.takePushes().isEmpty)
        next.pass(Self.minute)
        let order = try #require(next.takePushes().first)
        #expect(order.collapse == "digest")
        next.handle(.pushAnswered(order.id, .notSent("no network")))
        next.settle()
        next.pass(31_000)
        let again = next.takePushes()
        #expect(digests(again).count == 1 && again.first?.text == order.text)
        next.handle(.pushAnswered(try #require(again.first).id, .accepted(.sandbox, channel: nil)))
        next.settle()
        next.pass(10 * Self.minute)
        #expect(next.takePushes().isEmpty)
    }

    @Test("a crossing that the disk did not take, and that comes again, counts once")
    func lostCrossing() throws {
        let rig = try PlannerRig()
        rig.register { $0.gathering = .interval(minutes: 30) }
        rig.agent(T.started)
        rig.command(.budget(Budget(scope: .session(T.session), microUSD: 1_000_000)))
        var usage = Usage()
        usage.costMicroUSD = 600_000
        rig.transcript.send([.usage(usage)], first: 2, by: rig.host)
        rig.transcript.failCommit()
        rig.pass(1_000)
        rig.transcript.send([.usage(usage)], first: 2, by: rig.transcript.host())
        rig.transcript.commit()
        rig.pass(31 * Self.minute)
        let told = rig.take()
        #expect(told.count == 1 && told[0].text.contains("1 budget crossed"), "\(told.map(\.text))")
    }

    @Test("a time zone that is none is refused, with its place")
    func timeZone() throws {
        let rig = try PlannerRig()
        var choices = DeviceChoices()
        choices.gathering = .daily(at: 0, timeZone: "Mars/Olympus")
        #expect(rig.command(.deviceChoices(PlannerRig.device, choices))[0].contains("$.gather.timeZone"))
    }
}
