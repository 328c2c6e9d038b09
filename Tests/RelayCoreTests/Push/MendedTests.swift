import PushPlanner
import RelayCore
import RelayProtocol
import Testing

/// A way to a phone that was broken, and is mended.
@Suite("What was broken and is mended")
struct MendedTests {
    private typealias T = RelayTranscript

    private func trouble(_ rig: PlannerRig) -> String? {
        for text in rig.command(.devices(watches: false)) where text.contains("\"trouble\"") { return text }
        return nil
    }

    @Test("a dead token for alerts stays a trouble when a card is told something, until the app tells another")
    func trouble() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(T.request("a1"))
        rig.transcript.pass(100)
        rig.transcript.commit()
        for order in rig.transcript.takePushes() {
            let dead = PushOutcome.refused(.dropToken, text: "Unregistered")
            rig.transcript.handle(
                .pushAnswered(order.id, order.purpose == .alert ? dead : .accepted(.sandbox, channel: nil)))
            rig.transcript.commit()
        }
        rig.agent(T.request("a2"))
        rig.pass(60_000)
        #expect(rig.take().contains { $0.purpose == .update })
        #expect(try #require(trouble(rig)).contains("its token is no longer valid (Unregistered)"))
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        let phone = again.client("phone")
        again.command(.devices(watches: false), id: "c1", by: phone)
        #expect(again.take(phone).contains { $0.contains("its token is no longer valid") }, "a restart does not forget it")
        rig.register { $0.address.alerts = "ab" }
        #expect(trouble(rig) == nil)
    }

    @Test("a trouble of the way is over with any push that is accepted")
    func way() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(T.request("a1"))
        rig.transcript.pass(100)
        _ = rig.take(.notSent("no network"))
        #expect(try #require(trouble(rig)).contains("no network"))
        rig.pass(40_000)
        #expect(!rig.take().isEmpty)
        #expect(trouble(rig) == nil)
    }

    @Test("a new token does not wait out the back-off of the old one")
    func newToken() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(T.request("a1"))
        for _ in 1...8 {
            rig.transcript.pass(300_000)
            _ = rig.take(.notSent("no network"))
        }
        rig.register { $0.address.alerts = "ab" }
        rig.report(token: "dd")
        rig.pass(1_000)
        let orders = rig.take()
        #expect(orders.contains { $0.target == .device(token: "ab") && $0.code != nil })
        #expect(orders.contains { $0.target == .device(token: "dd") })
    }

    @Test("what waits for its next try is tried when pushes are set up anew", arguments: [false, true])
    func setUpAnew(_ isQuiet: Bool) throws {
        let minute = Int64(1_795_178_096_000 / 60_000 % 1_440)
        let rig = try PlannerRig {
            if isQuiet { $0.quiet = QuietHours(from: minute, to: minute + 120, timeZone: "UTC") }
        }
        try rig.withCard()
        rig.agent(T.request("a1"))
        for _ in 1...8 {
            rig.transcript.pass(300_000)
            _ = rig.take(.notSent("no host"))
        }
        rig.transcript.handle(.pushWayChanged)
        rig.transcript.commit()
        #expect(rig.take().map(\.purpose).sorted { $0.rawValue < $1.rawValue } == (isQuiet ? [.update] : [.alert, .update]))
    }
}
