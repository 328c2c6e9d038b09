import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

@testable import ChannelWeb

@Suite("The channel of ntfy's topics")
struct NtfyChannelTests {
    private let channel = NtfyChannel(pageURL: "https://relay.example")

    private static func device(allows: Bool = true) -> Device {
        var device = Device(
            id: DeviceID("d1")!, name: "Phone", profile: "ntfy",
            address: .ntfy(NtfyTopic(server: "https://ntfy.sh", topic: "secret-topic", token: "tk_secret")), system: "ntfy")
        device.allowsOnLockScreen = allows
        return device
    }

    private static func content(
        _ kind: AlertKind? = .approval, body: String = "rm -rf build", isWhole: Bool = true, level: AlertLevel = .timeSensitive
    ) -> AlertContent {
        AlertContent(
            kind: kind, text: AlertText(title: "claude wants to run Bash", subtitle: "webshop", body: body, isWhole: isWhole),
            thread: "s1", replaces: "s1.a1", level: level, session: kind == nil ? nil : SessionID("s1"),
            approval: kind == .approval || kind == .question ? ApprovalID("a1") : nil,
            hasCode: level != .passive && (kind == .approval || kind == .question), mayAllow: isWhole, isSealed: false)
    }

    /// The message as it is sent, with its code filled in.
    private func sent(_ content: AlertContent, to device: Device = device()) throws -> (bytes: [UInt8], message: JSONValue) {
        let payload = channel.payload(of: .alert(channel.fitting(content, on: device)), on: device)
        let filled = String(decoding: payload, as: UTF8.self).replacing(#""code":"CODE""#, with: #""code":"7.tag""#)
        let bytes = try NtfyPayload.message(
            Array(filled.utf8), to: "secret-topic", sequence: "sequence", at: "https://relay.example")
        return (bytes, try JSONDocument(parsing: bytes).root)
    }

    private static func buttons(_ message: JSONValue) throws -> [String] {
        try message.optional("actions")?.array().map { try $0.string("label") } ?? []
    }

    @Test("an approval has a button for each decision that its person lets it offer")
    func decisions() throws {
        let (_, message) = try sent(Self.content())
        #expect(try Self.buttons(message) == ["Deny", "Allow"])
        let allow = try message.array("actions")[1]
        #expect(try allow.string("action") == "http" && allow.string("method") == "POST" && allow.flag("clear"))
        #expect(try allow.string("url") == "https://relay.example/v1/decisions/7.tag")
        #expect(try allow.string("body") == #"{"decision":"allow"}"#)
        #expect(try Self.buttons(sent(Self.content(), to: Self.device(allows: false)).message) == ["Deny"])
        #expect(try Self.buttons(sent(Self.content(isWhole: false)).message) == ["Deny"])
        #expect(try Self.buttons(sent(Self.content(.question)).message) == [])
        #expect(try Self.buttons(sent(Self.content(.error, level: .active)).message) == [])
    }

    @Test("buttons are in the device's language")
    func german() throws {
        var device = Self.device()
        device.language = "de-DE"
        #expect(try Self.buttons(sent(Self.content(), to: device).message) == ["Ablehnen", "Erlauben"])
    }

    @Test("the message says what happened, how urgent it is, and where it leads")
    func message() throws {
        let (_, message) = try sent(Self.content())
        #expect(try message.string("topic") == "secret-topic" && message.string("sequence_id") == "sequence")
        #expect(try message.string("title") == "claude wants to run Bash · webshop")
        #expect(try message.string("message") == "rm -rf build" && message.integer("priority") == 4)
        #expect(try message.string("click") == "https://relay.example/#/approvals/s1/a1")
        #expect(message.optional("heliograph") == nil)
        let (_, settled) = try sent(Self.content(isWhole: false, level: .passive))
        #expect(try settled.integer("priority") == 1 && Self.buttons(settled) == [])
        #expect(try sent(Self.content(nil, level: .active)).message.string("click") == "https://relay.example/#/devices")
    }

    @Test("what clients are shown of a push holds neither topic nor token")
    func shown() {
        let payload = channel.payload(of: .alert(Self.content()), on: Self.device())
        let text = String(decoding: payload, as: UTF8.self)
        #expect(!text.contains("secret") && text.contains(#""code":"CODE""#))
    }

    @Test("every message is within ntfy's limits, and what is cut may not be allowed", arguments: 0..<200)
    func cut(_ seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        let words = (0..<4).map { _ in hostile.text() }
        var content = Self.content(body: words.joined())
        content.text.subtitle = words.first
        let (bytes, message) = try sent(content)
        // Twice the limit of a message, for JSON, and room for the longest code in each button.
        #expect(bytes.count + 2 * Payload.codeBytesMax <= 8_192)
        let body = try message.string("message")
        #expect(body.utf8.count <= 4_096)
        #expect(try !Self.buttons(message).contains("Allow") || body == content.text.body)
    }

    @Test("a topic that the operator's relay does not call is refused where it stands")
    func refused() {
        let strict = NtfyChannel(pageURL: "https://relay.example") { _ in WireError(.badValue, at: "$.device.ntfy.server", "no")
        }
        #expect(strict.fault(in: Self.device(), of: WorkspaceID("default")!)?.path == "$.device.ntfy.server")
        #expect(channel.fault(in: Self.device(), of: WorkspaceID("default")!) == nil)
        #expect(channel.app(named: "ntfy")?.cards == nil && channel.app(named: "web") == nil)
    }
}
