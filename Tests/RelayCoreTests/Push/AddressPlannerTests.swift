import PushPlanner
import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

@Suite("Addresses: each is of the device or card whose app told it last, in whatever workspace") struct AddressPlannerTests {
    private typealias T = RelayTranscript
    private static let work = Named<WorkspaceTag>(id: WorkspaceID("work")!, name: "Work")
    private static let alerts = PushAddress(.apns, place: "aa")
    private static let starts = PushAddress(.apns, place: "bb")
    private static let card = PushAddress(.apns, place: "cc")
    private static let sentence = "its app registered as another device"

    private func device(_ name: String, alerts: String?) -> Device {
        var device = Device(
            id: DeviceID(name)!, name: "x", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "18")
        device.address.alerts = alerts
        return device
    }

    private func addresses(_ rig: PlannerRig, _ name: String = "d1") -> [PushAddress]? {
        rig.transcript.relay.planner.knownDevices.first { $0.device.id == DeviceID(name)! }?.device.address.places
    }

    @Test("what waits rings where the device is reached now, once; what was decided does not, nor what rang here already")
    func rungAtAnother() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        for id in ["a1", "a2"] { rig.ask(id) }
        rig.pass(1_000)
        #expect(rig.take().count { $0.code != nil } == 2)
        rig.command(T.decide(.allow, "a2"), by: rig.transcript.client("laptop"))
        rig.pass(1_000)
        _ = rig.take()
        rig.register()
        rig.pass(60_000)
        #expect(rig.take().isEmpty, "its app was opened")
        rig.register { $0.address.alerts = "ee" }
        rig.pass(60_000)
        let rung = rig.take()
        #expect(rung.map(\.target) == [.device(token: "ee")] && rung.first?.code?.approval == ApprovalID("a1"))
    }

    @Test("what a service says of an address that was told again since rings at once")
    func toldAgain() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.ask("a1")
        rig.transcript.settle()
        let push = try #require(rig.transcript.takePushes().first { $0.code != nil })
        rig.pass(1_000)
        rig.register()
        rig.transcript.handle(.pushAnswered(push.id, .refused(.keepToken, text: "Unregistered")))
        rig.pass(500)
        #expect(rig.take().map(\.target) == [.device(token: "aa")])
    }

    @Test("so does an alert about what has happened, and what a card shows goes on")
    func othersToldAgain() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(.error(message: "e1", recoverable: true))
        rig.transcript.settle()
        let pushes = rig.transcript.takePushes()
        #expect(Set(pushes.map(\.purpose)) == [.alert, .update])
        rig.pass(1_000, answering: false)
        rig.register()
        rig.report()
        for push in pushes { rig.transcript.handle(.pushAnswered(push.id, .refused(.keepToken, text: "Unregistered"))) }
        rig.pass(500)
        #expect(Set(rig.take().map(\.purpose)) == [.alert, .update])
    }

    @Test("the answer about the address of before rings nothing again")
    func answerOfBefore() throws {
        let rig = try PlannerRig()
        rig.agent(T.started, .statusChanged(.running, reason: nil))
        rig.ask("a1")
        rig.transcript.settle()
        let old = try #require(rig.transcript.takePushes().first { $0.code != nil })
        rig.register { $0.address.alerts = "ee" }
        rig.pass(1_000)
        #expect(rig.take().map(\.target) == [.device(token: "ee")])
        rig.transcript.handle(.pushAnswered(old.id, .refused(.dropToken, text: "Unregistered")))
        rig.pass(120_000)
        #expect(rig.take().isEmpty)
    }

    // MARK: - What is told

    @Test("what an app tells goes to disk with its record; what the relay finds out itself says nothing of addresses")
    func told() throws {
        let rig = try PlannerRig()
        #expect(rig.transcript.records["device d1"]?.addresses == [Self.alerts, Self.starts])
        try rig.withCard()
        #expect(rig.transcript.records["card d1/s1"]?.addresses == nil, "pushes have changed it since")
        rig.report(token: "dd")
        #expect(rig.transcript.records["card d1/s1"]?.addresses == [PushAddress(.apns, place: "dd")])
        rig.command(.deviceChoices(PlannerRig.device, DeviceChoices()))
        #expect(rig.transcript.records["device d1"]?.addresses == nil)
        rig.command(.device(device("d1", alerts: nil)))
        #expect(rig.transcript.records["device d1"]?.addresses == [])
    }

    @Test("of the records of one name the last holds, and what was told with an earlier one")
    func latest() {
        func record(_ bytes: [UInt8]?, _ addresses: [PushAddress]?) -> PushRecord {
            PushRecord(workspace: T.home.id, kind: .device, name: "d1", bytes: bytes, addresses: addresses)
        }
        let told = record([1], [Self.alerts])
        #expect(PushRecord.latest([told, record([2], nil)]) == [record([2], [Self.alerts])])
        #expect(PushRecord.latest([told, record([2], [])]) == [record([2], [])])
        #expect(PushRecord.latest([told, record(nil, nil)]) == [record(nil, nil)])
        #expect(PushRecord.latest([told, record(nil, nil), record([3], nil)]) == [record([3], nil)])
    }

    @Test("what the disk did not take is told with the next batch")
    func failed() throws {
        let rig = try PlannerRig()
        rig.transcript.command(.device(device("d1", alerts: "ee")), id: "late", by: rig.phone)
        rig.transcript.failCommit()
        rig.pass(120_000)
        #expect(rig.transcript.records["device d1"]?.addresses == [PushAddress(.apns, place: "ee")])
    }

    @Test("a push goes out with all that has to be its workspace's: where it goes, and its device")
    func outgoing() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.ask("a1")
        rig.pass(1_000)
        let sent = rig.take()
        #expect(sent.first { $0.purpose == .alert }?.addresses == [Self.alerts])
        #expect(sent.first { $0.purpose == .update }?.addresses == [Self.alerts, Self.card])
    }

    // MARK: - Moved

    @Test("where an address has moved to another workspace, neither alerts nor cards nor starts go to that phone")
    func moved() throws {
        let rig = try PlannerRig { $0.starts = .always }
        try rig.withCard()
        rig.ask("a1")
        rig.pass(100, answering: false)
        rig.transcript.commit()
        let pushes = rig.transcript.takePushes()
        let alert = try #require(pushes.first { $0.purpose == .alert })
        rig.transcript.handle(.pushAddressMoved(alert.id, Self.alerts))
        rig.transcript.commit()
        for other in pushes where other.id != alert.id {
            rig.transcript.handle(.pushAnswered(other.id, .accepted(.sandbox, channel: nil)))
        }
        #expect(addresses(rig) == [])
        #expect(rig.transcript.records["device d1"]?.addresses == [])
        rig.ask("a2")
        rig.agent(.error(message: "no disk", recoverable: true), rig.tool(1))
        rig.pass(600_000)
        #expect(rig.take().isEmpty)
        let shown = rig.command(.devices(watches: false))[0]
        #expect(shown.contains(#""trouble":"\#(Self.sentence)""#) && shown.contains(#""result":"notSent""#))
        #expect(rig.transcript.relay.census.breach == nil)
        // Until the app registers again.
        rig.register()
        rig.pass(1_000)
        #expect(rig.take().filter { $0.purpose == .alert }.count == 2)
    }

    @Test("where only a card's token has moved, the card is let go of, and the device is rung as before")
    func movedCard() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        rig.agent(rig.tool(1))
        rig.pass(120_000, answering: false)
        rig.transcript.commit()
        let update = try #require(rig.transcript.takePushes().first { $0.purpose == .update })
        rig.transcript.handle(.pushAddressMoved(update.id, Self.card))
        rig.agent(rig.tool(2))
        rig.ask("a1")
        rig.pass(120_000)
        let sent = rig.take()
        #expect(sent.contains { $0.purpose == .alert } && !sent.contains { $0.target == .device(token: "cc") })
    }

    @Test("an app that has told its address here once more, while that was asked, keeps it")
    func toldSince() throws {
        let rig = try PlannerRig()
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100, answering: false)
        rig.transcript.commit()
        let push = try #require(rig.transcript.takePushes().first)
        rig.transcript.pass(10)
        rig.register()
        rig.transcript.handle(.pushAddressMoved(push.id, Self.alerts))
        #expect(addresses(rig) == [Self.alerts, Self.starts])
        rig.pass(120_000)
        #expect(rig.take().contains { $0.purpose == .alert }, "it is asked again, and rings")
    }

    @Test("the answer to what went to a phone before it moved does not say that all is well")
    func lateAnswer() throws {
        let rig = try PlannerRig()
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100, answering: false)
        rig.transcript.commit()
        let push = try #require(rig.transcript.takePushes().first)
        rig.command(.device(device("d9", alerts: "aa")), by: rig.transcript.client("other", in: Self.work))
        rig.transcript.handle(.pushAnswered(push.id, .accepted(.sandbox, channel: nil)))
        #expect(rig.command(.devices(watches: false))[0].contains(#""trouble":"\#(Self.sentence)""#))
    }

    @Test("what has an answer, or is nobody's, moves nothing")
    func answered() throws {
        let rig = try PlannerRig()
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100)
        let push = try #require(rig.take().first)
        rig.transcript.handle(.pushAddressMoved(push.id, Self.alerts))
        rig.transcript.handle(.pushAddressMoved(PushID(rawValue: 99), Self.alerts))
        #expect(addresses(rig) == [Self.alerts, Self.starts])
    }

    @Test("in a core of both workspaces the cards go with the phone, and ring there no more")
    func sameCore() throws {
        let rig = try PlannerRig()
        try rig.withCard()
        let other = rig.transcript.client("other", in: Self.work)
        rig.command(.device(device("d9", alerts: "aa")), by: other)
        #expect(addresses(rig) == [] && addresses(rig, "d9") == [Self.alerts])
        rig.ask("a1")
        rig.agent(rig.tool(1))
        rig.pass(120_000)
        #expect(rig.take().isEmpty)
        let host = rig.transcript.host("tower", in: Self.work.id)
        rig.transcript.send([T.started, T.request("b1")], first: 1, by: host)
        rig.transcript.commit()
        rig.pass(1_000)
        #expect(rig.take().map(\.device) == [DeviceID("d9")!])
    }

    // MARK: - The start

    @Test(
        "what cores of single workspaces have left at one address is the one's that was told last; the other sends nothing more"
    )
    func shared() throws {
        let rig = try PlannerRig()
        rig.agent(T.started)
        rig.ask("a1")
        rig.pass(100, answering: false)
        rig.transcript.commit()
        let push = try #require(rig.transcript.takePushes().first)
        let later = RelayTranscript(push: PlannerRig.configuration, now: rig.transcript.now + 5_000)
        later.command(.device(device("d9", alerts: "aa")), id: "r", by: later.client("other", in: Self.work))
        later.commit()
        var state = rig.transcript.state
        state.records += later.state.records
        let both = RelayTranscript(state: state, push: PlannerRig.configuration, now: later.now)
        both.commit()
        let known = Dictionary(uniqueKeysWithValues: both.relay.planner.knownDevices.map { ($0.device.id, $0.device.address) })
        #expect(known[PlannerRig.device]?.places == [] && known[DeviceID("d9")!]?.places == [Self.alerts])
        #expect(both.records["device d1"]?.addresses == [] && !both.takePushes().contains { $0.id == push.id })
    }
}
