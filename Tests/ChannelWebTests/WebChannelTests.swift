import PushPlanner
import PushTestSupport
import RelayProtocol
import Testing

@testable import ChannelWeb

@Suite("The browsers' channel")
struct WebChannelTests {
    private let channel = WebChannel(pageURL: "https://relay.example")

    private static func device(at service: String = "updates.push.services.mozilla.com", allows: Bool = true) -> Device {
        var device = Device(
            id: DeviceID("d1")!, name: "Laptop", profile: "web",
            address: .web(WebSubscription(endpoint: "https://\(service)/a", p256dh: "p", auth: "a")),
            system: "Firefox on Linux")
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
            hasCode: kind == .approval || kind == .question, mayAllow: isWhole, isSealed: false)
    }

    private func sent(_ content: AlertContent, to device: Device = device()) throws -> (bytes: [UInt8], notification: JSONValue)
    {
        let bytes = channel.payload(of: .alert(channel.fitting(content, on: device)), on: device)
        let root = try JSONDocument(parsing: bytes).root
        #expect(try root.integer("web_push") == 8_030 && root.flag("mutable"))
        return (bytes, try root.required("notification"))
    }

    private static func decisions(_ notification: JSONValue) throws -> [String] {
        try notification.required("data").required("heliograph").optional("decisions")?.array().map { try $0.string() } ?? []
    }

    @Test("there is one app, and it has no cards")
    func app() throws {
        let app = try #require(channel.app(named: "web"))
        #expect(app.cards == nil)
        #expect(channel.app(named: "heliograph") == nil)
    }

    @Test("an approval whose whole input is shown may be allowed where its person chose so, and nowhere else")
    func decisions() throws {
        let (bytes, shown) = try sent(Self.content())
        #expect(try Self.decisions(shown) == ["deny", "allow"])
        #expect(try shown.string("title") == "claude wants to run Bash · webshop" && shown.string("body") == "rm -rf build")
        #expect(try shown.string("tag") == "s1.a1" && !shown.flag("silent"))
        #expect(try shown.string("navigate") == "https://relay.example/#/approvals/s1/a1")
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""code":"CODE""#))
        #expect(try Self.decisions(sent(Self.content(), to: Self.device(allows: false)).notification) == ["deny"])
        #expect(try Self.decisions(sent(Self.content(isWhole: false)).notification) == ["deny"])
        #expect(try Self.decisions(sent(Self.content(.question)).notification) == [])
    }

    @Test("the line of a sealed session goes with it, unless the words need the room")
    func line() throws {
        var content = Self.content(body: "Open this notification to see what it asks.")
        content.line = String(repeating: "A", count: 1_500)
        func line(_ content: AlertContent) throws -> String? {
            let (bytes, shown) = try sent(content)
            #expect(bytes.count <= WebPayload.bytesMax)
            return try shown.required("data").required("heliograph").optionalString("line")
        }
        #expect(try line(content) == content.line)
        content.text.body = String(repeating: "long ", count: 400)
        #expect(try line(content) == nil)
    }

    @Test("what has to be cut may not be allowed, and every push fits with its code in it", arguments: 0..<200)
    func cut(_ seed: UInt64) throws {
        var hostile = Hostile(seed: seed)
        let words = (0..<4).map { _ in hostile.text() }
        var content = Self.content(body: words.joined())
        content.text.subtitle = words.first
        let fitting = channel.fitting(content, on: Self.device())
        let (bytes, shown) = try sent(content)
        #expect(bytes.count + Payload.codeBytesMax - 4 <= 2_600)
        let isShown = try shown.string("body") == content.text.body
        #expect(try fitting.mayAllow == Self.decisions(shown).contains("allow"))
        #expect(!fitting.mayAllow || isShown)
    }

    @Test("what is settled is silent, and is told to no browser of Apple's")
    func settled() throws {
        let (_, shown) = try sent(Self.content(isWhole: false, level: .passive))
        #expect(try shown.flag("silent"))
        #expect(try shown.required("data").required("heliograph").required("rings").bool() == false)
        #expect(channel.takesBack(on: Self.device()))
        #expect(!channel.takesBack(on: Self.device(at: "web.push.apple.com")))
        #expect(channel.takesBack(on: Self.device(at: "notpush.apple.com.example")))
    }

    @Test(
        "each kind leads to its place on the page",
        arguments: [
            (nil, "/#/devices"), (.budget, "/#/budgets/s1"), (.finished, "/#/session/s1"), (.question, "/#/approvals/s1/a1"),
        ] as [(AlertKind?, String)])
    func places(_ kind: AlertKind?, _ place: String) throws {
        #expect(try sent(Self.content(kind)).notification.string("navigate") == "https://relay.example" + place)
    }
}
