import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

@testable import ChannelWeb

@Suite("The channel of the operator's receivers")
struct ReceiverChannelTests {
    private let channel = ReceiverChannel(pageURL: "https://relay.example")
    private static let workspace = WorkspaceID("default")!

    private static func device(allows: Bool = true) -> Device {
        var device = Device(
            id: DeviceID("d1")!, name: "Ada's mail", profile: "receiver", address: .receiver(Receiver("mail")),
            system: "receiver")
        device.allowsOnLockScreen = allows
        return device
    }

    private static func content(
        _ kind: AlertKind? = .approval, body: String = "rm -rf build", isWhole: Bool = true, level: AlertLevel = .timeSensitive
    ) -> AlertContent {
        var content = AlertContent(
            kind: kind, text: AlertText(title: "claude wants to run Bash", subtitle: "webshop", body: body, isWhole: isWhole),
            thread: "s1", replaces: "s1.a1", level: level, session: kind == nil ? nil : SessionID("s1"),
            approval: kind == .approval || kind == .question ? ApprovalID("a1") : nil,
            hasCode: level != .passive && (kind == .approval || kind == .question), mayAllow: isWhole, isSealed: false)
        content.details = .init(project: "webshop", title: "Mend the roof", risks: ["It deletes a folder."])
        return content
    }

    private static let intent = PushIntent(
        workspace: workspace, device: DeviceID("d1")!, service: .receiver, purpose: .alert, session: nil, app: "receiver",
        target: .device(token: "mail"), environment: .production, worthUntil: 9_000, plannedAt: 5_000)

    /// The document as it is sent, with its code filled in.
    private func sent(_ content: AlertContent, to device: Device = device()) throws -> (bytes: [UInt8], document: JSONValue) {
        let payload = channel.payload(of: .alert(channel.fitting(content, on: device)), on: device)
        let filled = String(decoding: payload, as: UTF8.self).replacing(#""code":"CODE""#, with: #""code":"7.tag""#)
        let bytes = try PushDocument.whole(Array(filled.utf8), Self.intent, id: "id-7", at: "https://relay.example")
        return (bytes, try JSONDocument(parsing: bytes).root)
    }

    private static func actions(_ document: JSONValue) throws -> [String] {
        try document.optional("actions")?.array().map { try $0.string("decision") } ?? []
    }

    @Test("an approval has an action for each decision that its person lets it offer")
    func decisions() throws {
        let (_, document) = try sent(Self.content())
        #expect(try Self.actions(document) == ["deny", "allow"])
        #expect(try document.array("actions")[1].string("url") == "https://relay.example/v1/decisions/7.tag")
        #expect(try Self.actions(sent(Self.content(), to: Self.device(allows: false)).document) == ["deny"])
        #expect(try Self.actions(sent(Self.content(isWhole: false)).document) == ["deny"])
        for other in [Self.content(.question), Self.content(.error, level: .active), Self.content(nil, level: .active)] {
            #expect(try Self.actions(sent(other).document) == [])
        }
    }

    @Test("the document says what happened, where, and what to look at twice")
    func document() throws {
        let (_, document) = try sent(Self.content())
        #expect(try document.integer("version") == 1 && document.string("id") == "id-7" && document.integer("time") == 5_000)
        #expect(try document.string("workspace") == "default" && document.string("kind") == "approval")
        #expect(try document.object("device").string("name") == "Ada's mail")
        #expect(try document.string("title") == "claude wants to run Bash" && document.string("text") == "rm -rf build")
        #expect(try document.string("project") == "webshop" && document.string("sessionTitle") == "Mend the roof")
        #expect(try document.array("risks").map { try $0.string() } == ["It deletes a folder."])
        #expect(try document.string("link") == "https://relay.example/#/approvals/s1/a1")
        #expect(document.optional("heliograph") == nil)
        let (_, test) = try sent(Self.content(nil, level: .active))
        #expect(try test.string("kind") == "test" && test.string("link") == "https://relay.example/#/devices")
    }

    @Test("every document has its fields and its limit, and what is cut may not be allowed", arguments: 0..<200)
    func cut(_ seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        let words = (0..<4).map { _ in hostile.text() }
        var content = Self.content(body: words.joined())
        content.details = .init(project: words[0], title: words[1], risks: words)
        let (bytes, document) = try sent(content)
        #expect(bytes.count + 2 * Payload.codeBytesMax <= PushDocument.bytesMax)
        #expect(try !Self.actions(document).contains("allow") || document.string("text") == content.text.body)
    }

    @Test("a receiver that the operator has not set up for a workspace is refused where it stands")
    func refused() {
        let strict = ReceiverChannel(pageURL: "https://relay.example") { receiver, workspace in
            receiver.name == "mail" && workspace == Self.workspace
                ? nil : WireError(.badValue, at: "$.device.receiver.name", "no")
        }
        #expect(strict.fault(in: Self.device(), of: Self.workspace) == nil)
        #expect(strict.fault(in: Self.device(), of: WorkspaceID("other")!)?.path == "$.device.receiver.name")
        #expect(channel.app(named: "receiver")?.cards == nil && channel.app(named: "ntfy") == nil)
    }
}
