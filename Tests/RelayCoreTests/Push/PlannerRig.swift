import ChannelAPNs
import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol
import Testing

/// A relay with one host, one session and one phone whose app has registered its tokens. Time passes when the test says so.
final class PlannerRig {
    let transcript: RelayTranscript
    let host: PeerID
    let phone: PeerID
    private var lastEvent: Int64 = 0
    private var lastCommand = 0
    /// Everything that was ordered, in order.
    private(set) var sent: [PushIntent] = []

    static let device = DeviceID("d1")!
    static let session = RelayTranscript.session

    init(
        broadcasts: Bool = false, settings: PushSettings = configuration, retention: Retention = Retention(),
        _ change: (inout Device) -> Void = { _ in }
    ) throws {
        transcript = RelayTranscript(
            retention: retention, push: broadcasts ? Self.broadcasting : settings, now: 1_795_178_096_000)
        host = transcript.host()
        phone = transcript.client("phone")
        register(change)
    }

    static let configuration = PushSettings(channels: [.apns: APNsChannel()]) { zone, at in
        // 1970 began on a Thursday.
        zone == "UTC" ? (at / 60_000 + 3 * 1_440) % 10_080 : nil
    }

    static var broadcasting: PushSettings {
        var settings = configuration
        settings.channels[.apns] = APNsChannel(broadcastBundles: ["org.heliograph.app"])
        return settings
    }

    func register(_ change: (inout Device) -> Void = { _ in }) {
        var device = Device(
            id: Self.device, name: "Phone", profile: "heliograph", address: .apns(APNsTokens(.sandbox)), system: "17.5")
        device.address.alerts = "aa"
        device.address.starts = "bb"
        device.starts = .never
        change(&device)
        command(.device(device))
    }

    @discardableResult
    func command(_ command: ClientCommand, by peer: PeerID? = nil) -> [String] {
        lastCommand += 1
        let peer = peer ?? phone
        _ = transcript.take(peer)
        transcript.command(command, id: "c\(lastCommand)", by: peer)
        transcript.commit()
        return transcript.take(peer)
    }

    func agent(_ heads: EventHead...) {
        transcript.send(heads, first: lastEvent + 1, by: host)
        lastEvent += Int64(heads.count)
        transcript.commit()
    }

    /// An approval with words for a Lock Screen: a command that is short enough.
    func ask(_ id: String, risks: [String] = []) {
        guard case .approvalRequested(var request) = RelayTranscript.request(id) else { preconditionFailure("it is one") }
        request.alert = RequestWords(full: "command: swift test", summary: "Run: swift test", isWhole: true)
        request.risks = risks
        agent(.approvalRequested(request))
    }

    /// A session at work, with a card on the phone that shows it as it is.
    func withCard() throws {
        agent(RelayTranscript.started, .statusChanged(.running, reason: nil))
        report()
        pass(120_000)
        _ = take()
    }

    func report(_ state: CardReport.State = .active, card: String = "card1", token: String? = "cc") {
        command(.card(Self.device, CardReport(card: CardID(card)!, session: Self.session, token: token, state: state)))
    }

    /// Lets time pass, with APNs taking everything at once.
    func pass(_ milliseconds: Int64, answering: Bool = true) {
        let end = transcript.now + milliseconds
        while transcript.now < end {
            transcript.pass(min(500, end - transcript.now))
            if answering { answer() }
        }
    }

    func answer(_ outcome: PushOutcome = .accepted(.sandbox, channel: nil)) {
        transcript.commit()
        for order in transcript.takePushes() {
            sent.append(order)
            transcript.handle(.pushAnswered(order.id, outcome))
            transcript.commit()
        }
    }

    /// Pushes since the last call; those that are ordered now are answered first.
    func take(_ outcome: PushOutcome = .accepted(.sandbox, channel: nil)) -> [PushIntent] {
        answer(outcome)
        defer { sent = [] }
        return sent
    }

    func tool(_ number: Int) -> EventHead {
        .toolStarted(ToolStart(call: "t\(number)", tool: "Bash", operation: "Run: \(number)"))
    }
}

/// The intent as it is sent.
extension PushIntent {
    var topic: String? { APNsHeaders(self).topic }
    var pushType: String? { APNsHeaders(self).pushType }
    var priority: Int64 { APNsHeaders(self).priority }
    var expiration: Int64? { APNsHeaders(self).expiration }
    var collapse: String? { APNsHeaders(self).collapseID }
    var json: JSONValue { get throws { try JSONDocument(parsing: payload).root } }
    var timestamp: Int64 { get throws { try json.required("aps").integer("timestamp") } }
    var text: String { String(decoding: payload, as: UTF8.self) }
}
