import Testing

@testable import RelayProtocol

/// A kind is found by the bytes of its name.
struct SpelledKindTests {
    private func kind(_ text: String) -> EventKind? {
        let bytes = Array(text.utf8)
        return EventKind(spelledBy: bytes.span)
    }

    @Test(arguments: EventKind.allCases) func `each is found by its name, and by nothing that is like it`(_ kind: EventKind) {
        let name = kind.rawValue
        #expect(self.kind(name) == kind)
        for other in [
            name + "x", name + "\0", String(name.dropLast()), "x" + name, name.uppercased(), name + ".longer.than.any.is",
        ] {
            #expect(self.kind(other) == nil, "\(other.debugDescription)")
        }
        for place in name.utf8.indices {
            var changed = Array(name.utf8)
            changed[name.utf8.distance(from: name.startIndex, to: place)] ^= 0x20
            #expect(EventKind(spelledBy: changed.span) == nil)
        }
    }

    @Test(arguments: ["", "\0", String(repeating: "a", count: 24), String(repeating: "a", count: 25)])
    func `what is no name is no kind`(_ text: String) { #expect(kind(text) == nil) }

    @Test func `a kind that is spelled with an escape is the same kind`() throws {
        let text = #"{"kind":"mess\u0061ge","at":1,"head":{"role":"user"}}"#
        let event = try Event(from: JSONDocument(parsing: text).root)
        #expect(event.head == .message(.user, summary: nil))
        #expect(event.bytes == Array(text.utf8))
    }

    @Test func `a message that is spelled with an escape is the same message`() throws {
        let text =
            #"{"type":"ev\u0065nts","session":"s1","first":1,"events":[{"kind":"message","at":1,"head":{"role":"user"}}]}"#
        guard case .events(let batch) = try HostMessage(parsing: Array(text.utf8)) else {
            Issue.record("its type says that it has events")
            return
        }
        #expect(batch.events.count == 1)
    }
}
