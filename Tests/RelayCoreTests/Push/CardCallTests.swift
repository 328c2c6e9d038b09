import PushPlanner
import RelayCore
import RelayProtocol
import Testing

@Suite("Cards that ring for themselves")
struct CardCallTests {
    private typealias T = RelayTranscript

    private func alert(_ order: PushIntent) -> JSONValue? {
        try? order.json.required("aps").optional("alert")
    }

    /// A phone whose app has registered no token for alerts, and a card on it.
    private func rig(_ change: (inout Device) -> Void = { _ in }) throws -> PlannerRig {
        let rig = try PlannerRig {
            $0.address.alerts = nil
            change(&$0)
        }
        try rig.withCard()
        return rig
    }

    @Test("without a token for alerts the card's push rings for an approval, once")
    func once() throws {
        let rig = try rig()
        rig.ask("a1")
        rig.pass(1_000)
        let orders = rig.take()
        #expect(orders.map(\.purpose) == [.update] && orders[0].priority == 10)
        let words = try #require(alert(orders[0]))
        #expect(try words.string("title") == "claude-code wants to run Bash")
        #expect(try words.string("sound") == "default")
        for number in 1...30 {
            rig.agent(rig.tool(number))
            rig.pass(10_000)
        }
        let later = rig.take()
        #expect(!later.isEmpty && later.allSatisfy { alert($0) == nil })
        rig.ask("a2")
        rig.pass(6_000)
        #expect(rig.take().count { alert($0) != nil } == 1)
    }

    @Test("with a token for alerts the card is silent: the alert rings")
    func silent() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.ask("a1")
        rig.pass(1_000)
        let orders = rig.take()
        #expect(orders.count == 2 && orders.filter { $0.purpose == .update }.allSatisfy { alert($0) == nil })
    }

    @Test("a push that APNs did not take rings with the next try, and a restart does not ring again")
    func again() throws {
        let rig = try rig()
        rig.ask("a1")
        rig.transcript.pass(100)
        #expect(rig.take(.notSent("no network")).count { alert($0) != nil } == 1)
        rig.pass(20_000)
        #expect(rig.take().isEmpty)
        rig.pass(15_000)
        #expect(rig.take().count { alert($0) != nil } == 1)
        let restarted = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        restarted.resume(rig.transcript)
        restarted.pass(10_000)
        #expect(restarted.takePushes().isEmpty)
    }

    @Test("in quiet hours the card shows it, and rings when they are over")
    func quiet() throws {
        let minute = Int64(1_795_178_096_000 / 60_000 % 1_440)
        let rig = try rig { $0.quiet = QuietHours(from: minute, to: minute + 30, timeZone: "UTC") }
        rig.ask("a1")
        rig.pass(60_000)
        #expect(rig.take().map { alert($0) == nil } == [true])
        rig.pass(30 * 60_000)
        #expect(rig.take().count { alert($0) != nil } == 1)
    }

    @Test("whoever wants no approvals, or has muted the session, is not rung")
    func unwanted() throws {
        for change: (inout Device) -> Void in [{ $0.kinds = [.error] }, { $0.muted = [PlannerRig.session] }] {
            let rig = try rig(change)
            rig.ask("a1")
            rig.pass(10_000)
            #expect(rig.take().map { alert($0) == nil } == [true])
        }
    }

    @Test("a card that is started for an approval rings for it")
    func start() throws {
        let rig = try PlannerRig {
            $0.address.alerts = nil
            $0.starts = .whenNeeded
        }
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.ask("a1")
        rig.pass(1_000)
        let start = try #require(rig.take().first { $0.purpose == .start })
        #expect(try #require(alert(start)).string("sound") == "default")
        rig.report()
        rig.pass(60_000)
        #expect(rig.take().allSatisfy { alert($0) == nil })
    }

    @Test("in quiet hours a card is started for what has risks, if the person wants that, and not before")
    func startForRisks() throws {
        let minute = Int64(1_795_178_096_000 / 60_000 % 1_440)
        for exceptRisks in [false, true] {
            let rig = try PlannerRig {
                $0.address.alerts = nil
                $0.starts = .whenNeeded
                $0.quiet = QuietHours(from: minute, to: minute + 30, timeZone: "UTC", exceptRisks: exceptRisks)
            }
            rig.agent(T.started, .statusChanged(.running, reason: nil))
            rig.ask("a1")
            rig.pass(60_000)
            #expect(rig.take().isEmpty)
            rig.ask("a2", risks: ["It deletes files."])
            rig.pass(60_000)
            #expect(rig.take().compactMap(alert).count == (exceptRisks ? 1 : 0))
        }
    }

    @Test("the card of all rings for an approval of any session")
    func aggregate() throws {
        let rig = try PlannerRig {
            $0.address.alerts = nil
            $0.cards = .aggregate
        }
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.command(.card(PlannerRig.device, CardReport(card: CardID("all")!, session: nil, token: "ee", state: .active)))
        rig.pass(61_000)
        _ = rig.take()
        rig.ask("a1")
        rig.pass(1_000)
        #expect(rig.take().count { alert($0) != nil && $0.target == .device(token: "ee") } == 1)
    }

    @Test("what says \"a token is dead\" lets the card ring for what the alert did not")
    func tokenDies() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.ask("a1")
        rig.transcript.pass(100)
        rig.transcript.commit()
        for order in rig.transcript.takePushes() {
            let isAlert = order.purpose == .alert
            rig.transcript.handle(
                .pushAnswered(
                    order.id,
                    isAlert ? .refused(.dropToken, text: "Unregistered") : .accepted(.sandbox, channel: nil)))
            rig.transcript.commit()
        }
        rig.pass(40_000)
        #expect(rig.take().count { alert($0) != nil && $0.target == .device(token: "cc") } == 1)
    }

    @Test(
        "a token that is told while the card's push is under way rings only where that push did not", arguments: [true, false])
    func tokenComes(accepted: Bool) throws {
        let rig = try rig()
        rig.ask("a1")
        rig.transcript.pass(100)
        rig.transcript.commit()
        let calling = rig.transcript.takePushes()
        #expect(calling.count { alert($0) != nil } == 1)
        rig.register()
        rig.pass(1_000)
        #expect(rig.take().allSatisfy { $0.purpose != .alert })
        for order in calling {
            let outcome = accepted ? PushOutcome.accepted(.sandbox, channel: nil) : .notSent("no network")
            rig.transcript.handle(.pushAnswered(order.id, outcome))
            rig.transcript.commit()
        }
        rig.pass(120_000)
        #expect(rig.take().count { $0.purpose == .alert } == (accepted ? 0 : 1))
    }
}
