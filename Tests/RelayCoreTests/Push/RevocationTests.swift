import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

@Suite("Clients without a token")
struct RevocationTests {
    private typealias T = RelayTranscript

    private static let phone = holder("phone")
    private static func holder(_ name: String) -> ClientKey { ClientKey(workspace: T.home.id, client: ClientID(name)!) }

    @Test("their devices are forgotten, on disk too: nothing is sent to them, and their codes are unknown")
    func revoked() throws {
        let rig = try PlannerRig { $0.text = .full }
        try rig.withCard()
        rig.ask("a1")
        rig.pass(100)
        let push = try #require(rig.take().first { $0.code != nil }).id
        let other = rig.transcript.client("laptop2")
        rig.transcript.handle(.clientsListed([Self.holder("laptop2")]))
        #expect(rig.present(push, .allow).contains("notFound"), "at once, before it is on disk")
        #expect(rig.transcript.closed == [rig.phone: .revoked])
        rig.agent(.error(message: "no disk", recoverable: true), T.request("a2"))
        rig.pass(600_000)
        #expect(rig.take().isEmpty)
        let left = rig.transcript.records.values.filter { [.device, .card, .push].contains($0.kind) }
        #expect(left.map(\.name) == ["last/0"], "but for what keeps their pushes' numbers from being given again")
        #expect(rig.transcript.approvals[ApprovalID("a1")!]?.decision == nil)
        #expect(rig.command(.devices(watches: false), by: other)[0].contains(#""devices":[]"#))
    }

    @Test("what a forgotten phone still shows decides nothing else: no push gets its number, whatever starts anew")
    func numbers() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100)
        let old = try #require(rig.take().first { $0.code != nil }).id
        rig.transcript.handle(.clientsListed([Self.holder("laptop2")]))
        rig.transcript.commit()
        var unmarked = rig.transcript.state
        unmarked.records.removeAll { $0.name == "last/0" }
        let forgetful = RelayTranscript(state: unmarked, push: PlannerRig.configuration, now: rig.transcript.now)
        #expect(forgetful.relay.planner.lastPush < old, "nothing else keeps it")
        let again = RelayTranscript(state: rig.transcript.state, push: PlannerRig.configuration, now: rig.transcript.now)
        #expect(again.relay.planner.lastPush >= old && again.relay.damagedRecords.isEmpty)
        let other = again.client("phone3")
        var device = Device(
            id: PlannerRig.device, name: "Phone", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "17.5")
        (device.address.alerts, device.text) = ("cc", .full)
        again.command(.device(device), id: "c1", by: other)
        again.commit()
        again.pass(100)
        let new = try #require(again.takePushes().first { $0.code != nil })
        #expect(new.id > old)
    }

    @Test("what they said before they heard of it is not listened to")
    func lateWord() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, T.request("a1"))
        rig.transcript.handle(.clientsListed([]))
        rig.register()
        #expect(rig.command(T.decide(.allow)).isEmpty)
        #expect(rig.transcript.relay.planner.knownDevices.isEmpty)
        #expect(rig.transcript.approvals[ApprovalID("a1")!]?.decision == nil)
    }

    @Test("who holds another token, and whoever took the device over, keeps it")
    func kept() throws {
        let rig = try PlannerRig()
        rig.transcript.handle(.clientsListed([Self.phone]))
        rig.register()
        #expect(rig.transcript.relay.planner.knownDevices.count == 1 && rig.transcript.closed.isEmpty)

        let again = rig.transcript.client("phone2")
        var device = Device(
            id: PlannerRig.device, name: "Phone", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "17.5")
        device.address.alerts = "aa"
        rig.command(.device(device), by: again)
        rig.transcript.handle(.clientsListed([Self.holder("phone2")]))
        rig.agent(T.started, T.request("a1"))
        rig.pass(100)
        #expect(rig.take().compactMap(\.code?.approval) == [ApprovalID("a1")!])
    }

    @Test("an alert that is on its way has no end any more, one that waits for the disk is not sent")
    func underWay() throws {
        let rig = try PlannerRig { $0.text = .full }
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100, answering: false)
        let order = try #require(rig.transcript.takePushes().first)
        rig.transcript.send([T.request("a2")], first: 3, by: rig.host)
        rig.transcript.handle(.tickEnded)
        rig.transcript.finishCommit()
        rig.transcript.handle(.tickEnded)
        rig.transcript.handle(.clientsListed([]))
        rig.transcript.finishCommit()
        rig.transcript.settle()
        #expect(rig.transcript.takePushes().isEmpty)
        rig.transcript.handle(.pushAnswered(order.id, .accepted(.sandbox, channel: nil)))
        rig.pass(60_000)
        #expect(rig.take().isEmpty && rig.present(order.id, .allow).contains("notFound"))
    }

    @Test("a relay that starts after it sends nothing of what they were still owed")
    func atStart() throws {
        let rig = try PlannerRig(broadcasts: true) {
            $0.system = "18.1"
            $0.starts = .always
        }
        rig.agent(T.started, .statusChanged(.running, reason: nil), T.request("a1"))
        rig.pass(100, answering: false)
        let orders = rig.transcript.takePushes()
        #expect(orders.contains { $0.code != nil } && orders.contains { $0.target == .makeChannel })
        for order in orders where order.purpose == .channel {
            rig.transcript.handle(.pushAnswered(order.id, .accepted(.sandbox, channel: "ch1")))
        }
        rig.transcript.settle()
        let deaf = RelayTranscript(
            state: rig.transcript.state, push: PlannerRig.broadcasting, now: rig.transcript.now, holders: [Self.phone])
        #expect(!deaf.takePushes().isEmpty, "who holds one is sent it again")
        let calm = RelayTranscript(
            state: rig.transcript.state, push: PlannerRig.broadcasting, now: rig.transcript.now, holders: [])
        calm.resume(rig.transcript)
        #expect(calm.takePushes().isEmpty)
        calm.pass(1_000)
        #expect(calm.takePushes().map(\.target) == [.deleteChannel(channel: "ch1")], "once, when it is on disk")
        #expect(!calm.records.values.contains { $0.kind == .device || $0.kind == .card })
    }

    @Test("a disk that does not take it does not bring them back")
    func disk() throws {
        let rig = try PlannerRig()
        rig.agent(T.started)
        rig.transcript.handle(.clientsListed([]))
        rig.transcript.failCommit()
        rig.agent(T.request("a1"))
        rig.pass(60_000)
        #expect(rig.take().isEmpty)
        #expect(!rig.transcript.records.values.contains { $0.kind == .device })
    }
}
