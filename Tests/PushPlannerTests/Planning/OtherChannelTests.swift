import PushPlanner
import RelayModel
import RelayProtocol
import Testing

/// A service as a browser's is: alerts and no cards, and words of its own.
struct PlainChannel: PushChannel {
    func app(named name: String) -> PushApp? { PushApp(name: name, id: "https://relay.example", textMax: .full, cards: nil) }

    func canBroadcast(to device: Device) -> Bool { false }

    func face(of subject: PushSubject, on device: Device, isBroadcast: Bool) -> [UInt8] {
        Issue.record("there is no card to show anything")
        return []
    }

    func payload(of content: PushContent, on device: Device) -> [UInt8] {
        guard case .alert(let alert) = content else {
            Issue.record("a card is planned where there are none")
            return []
        }
        return JSONWriter.object { $0.field("title", alert.text.title) }
    }

    func sentence(on advice: PushAdvice, reason: String) -> String { "plainly \(advice)" }

    func write(_ intent: PushIntent, to record: inout JSONWriter) {
        record.field("urgency", intent.urgency == .atOnce ? "high" : "low")
        record.field("topic", intent.replaces)
    }

    func read(_ intent: inout PushIntent, from record: JSONValue) throws(WireError) {
        intent.urgency = try record.string("urgency") == "high" ? .atOnce : .whenConvenient
        intent.replaces = try record.optionalString("topic")
    }

    func show(_ intent: PushIntent, to writer: inout JSONWriter) { writer.field("priority", Int64(10)) }
}

@Suite("A channel without cards, beside the planner that knows none") struct OtherChannelTests {
    private typealias S = PlannerStage

    @Test("a device gets alerts and no card, whatever its app asks for")
    func alertsOnly() throws {
        let stage = S(PlainChannel())
        var device = Device(
            id: S.device.device, name: "Browser", profile: "page", address: .apns(APNsTokens(.production)), system: "18.1")
        (device.address.alerts, device.address.starts, device.starts) = ("aa", "bb", .always)
        stage.ask(.device(device))
        stage.asks()
        stage.pass(600_000)
        stage.tell(.sessionsChanged([S.session]))
        #expect(stage.take().filter { $0.hasPrefix("stage push ") && $0.contains(":") } == ["stage push 1: alert"])
    }

    @Test("an intent says what is said and nothing of how: the channel adds that")
    func words() throws {
        let stage = S(PlainChannel())
        stage.asks()
        let intent = try #require(stage.staged)
        #expect(intent.app == "https://relay.example" && intent.target == .device(token: "aa"))
        #expect(intent.urgency == .atOnce && intent.replaces == "s1.a1" && intent.isKept && intent.isHarmlessToRepeat)
        #expect(String(decoding: intent.payload, as: UTF8.self).hasPrefix(#"{"title":"#))
    }

    @Test("a planned push is read back in its channel's words, and sent again as it was")
    func restart() throws {
        let stage = S(PlainChannel())
        stage.asks()
        let intent = try #require(stage.staged)
        var planner = PushPlanner(
            PushSettings(channels: [.apns: PlainChannel()]), firstWorkspace: S.home.id, restoring: stage.records)
        #expect(planner.damaged.isEmpty)
        let orders = planner.handle(.started(holders: nil), seeing: stage.sight, at: Instant(wall: intent.plannedAt, uptime: 0))
        let again = orders.compactMap { if case .push(let order) = $0 { order.asPlanned } else { nil } }
        #expect(again == [intent])
        #expect(
            PushPlanner(PushSettings(), firstWorkspace: S.home.id, restoring: stage.records).damaged.contains("push 1"),
            "nobody can say what it means")
    }

    @Test("why pushes do not arrive is the channel's to say")
    func refused() throws {
        let stage = S(PlainChannel())
        stage.asks()
        let intent = try #require(stage.staged)
        stage.tell(.committed([intent]))
        stage.tell(.pushAnswered(intent.id, .refused(.fixCredentials, text: "no")))
        let device = try #require(stage.records.last { $0.kind == .device }?.bytes)
        #expect(String(decoding: device, as: UTF8.self).contains("plainly fixCredentials"))
    }
}
