import Consent
import ConsentKeys
import RelayProtocol
import Testing

@Suite struct ShownTests {
    @Test func `a client gets one text with the whole event in it, and a salted digest`() throws {
        let world = GateWorld()
        let event = world.event()
        let sent = try world.wrap(event).event
        let shown = try ShownText(parsing: #require(ShownText.text(inEvent: sent.bytes)))
        #expect(shown.host == world.host.id && shown.session == world.session && shown.event.at == event.at)
        guard case .approvalRequested(let outer) = sent.head else { return #expect(Bool(false), "another event") }
        #expect(outer == shown.request && outer.digest != world.inner)
        #expect(outer.digest == ShownText.saltedDigest(of: world.inner, tool: "Bash", salt: shown.salt, crypto))
        // The body is `shown` alone, and the event inside has the adapter's own.
        let body = try JSONDocument(parsing: sent.bytes).root.object("body")
        #expect(try body.members().map(\.key) == ["shown"])
        #expect(
            try JSONDocument(parsing: shown.event.bytes).root.object("body").bytes
                == JSONDocument(parsing: event.bytes).root.object("body").bytes)
    }

    @Test func `the same question twice has another digest and another hash`() throws {
        let world = GateWorld()
        let (one, other) = (try world.show(), try world.show())
        #expect(one.request.digest != other.request.digest && one.hash(crypto) != other.hash(crypto))
    }

    @Test func `another event passes the gate as it is`() {
        let world = GateWorld()
        let applied = Event(.approvalApplied(world.approval, outcome: .ran), at: 1)
        let wrapped = world.gate.requested(applied, in: world.session, salt: .random())
        #expect(wrapped == nil)
    }

    /// Each of these takes two bytes in the event, and four in the text that is in it.
    private func quotes(_ count: Int) -> String { String(repeating: "\"", count: count) }

    @Test func `the largest event of an open host is shown whole, whatever it is made of`() throws {
        let world = GateWorld()
        let frame = world.event(command: "").bytes.count
        let event = world.event(command: quotes((WireLimits.eventBytesMax - frame) / 2))
        #expect((WireLimits.eventBytesMax - 1...WireLimits.eventBytesMax).contains(event.bytes.count))
        let sent = try world.wrap(event).event
        #expect(sent.bytes.count > WireLimits.eventBytesMax)
        // The event as the relay parses it.
        let taken = try Event(from: JSONDocument(parsing: sent.bytes).root)
        let shown = try ShownText(parsing: #require(ShownText.text(inEvent: taken.bytes)))
        #expect(!shown.request.isCut && shown.event.bytes.count == event.bytes.count)
        guard case .take = world.take(world.decision(.allow, shown), shown) else {
            return #expect(Bool(false), "what was shown whole is allowed")
        }
    }

    @Test func `what would be too long once it is sealed is sent without content, too`() throws {
        let world = GateWorld()
        let event = world.event(command: quotes(1_000))
        for (bytesMax, isCut) in [(8_000, false), (2_000, true)] {
            let wrapped = world.gate.requested(event, in: world.session, salt: .random(), sealedWithin: bytesMax)
            let sent = try #require(wrapped).event
            #expect(sent.bytes.count <= bytesMax)
            #expect(try ShownText(parsing: #require(ShownText.text(inEvent: sent.bytes))).request.isCut == isCut)
        }
    }

    @Test func `what would be too long for an event is sent without content, and can only be denied`() throws {
        let world = GateWorld()
        let event = world.event(command: quotes(WireLimits.eventBytesMax))
        #expect(event.bytes.count > WireLimits.eventBytesMax)
        let sent = try world.wrap(event).event
        #expect(sent.bytes.count < WireLimits.eventBytesMax)
        let shown = try ShownText(parsing: #require(ShownText.text(inEvent: sent.bytes)))
        #expect(shown.request.isCut)
        #expect(world.take(world.decision(.allow, shown), shown) == .refuse(.notWhole))
        guard case .take(world.inner, _, by: world.device.id) = world.take(world.decision(.deny(message: "no"), shown), shown)
        else { return #expect(Bool(false), "a deny is refused") }
    }

    @Test(
        arguments: [
            "{}", "[]", "null", "{\"salt\":\"AAAAAAAAAAAAAAAAAAAAAA\"}",
            "{\"salt\":\"x\",\"host\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"session\":\"s\",\"event\":{}}",
            "{\"salt\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"host\":\"AAAAAAAAAAAAAAAAAAAAAA\",\"session\":\"s\",\"event\":{\"kind\":\"approval.expired\",\"at\":1,\"head\":{\"approval\":\"a\"}}}",
        ])
    func `a text of another shape is refused`(text: String) {
        #expect(throws: ConsentError.self) { try ShownText(parsing: text) }
    }
}
