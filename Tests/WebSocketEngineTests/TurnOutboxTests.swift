import Testing

@testable import WebSocketEngine

@Suite("What a turn sends is gathered once for all who get the same")
struct TurnOutboxTests {
    private func connection(_ id: UInt64) -> Connection {
        Connection(
            id: ConnectionID(rawValue: id), role: .client(TestClient(), ClientConfiguration(host: "a", port: 1)),
            peer: .ip("a"),
            phase: .open)
    }

    private func bytes(_ turn: inout TurnOutbox, of connection: Connection) -> [UInt8] {
        unsafe Array(turn.frames(of: connection.run))
    }

    @Test("frames stand one behind the other, in the order in which they were sent")
    func order() {
        var turn = TurnOutbox()
        let (one, two, three) = (connection(1), connection(2), connection(3))
        let (a, b) = (OutgoingMessage(text: "a"), OutgoingMessage(binary: [7, 8]))
        turn.add(a, to: one)
        turn.add(b, to: one)
        turn.add(b, to: two)
        turn.add(a, to: two)
        turn.add(b, to: three)
        #expect(bytes(&turn, of: one) == [0x81, 1, 0x61, 0x82, 2, 7, 8])
        #expect(bytes(&turn, of: two) == [0x82, 2, 7, 8, 0x81, 1, 0x61])
        #expect(bytes(&turn, of: three) == [0x82, 2, 7, 8])
        #expect(turn.messages(of: two.run).map(ObjectIdentifier.init) == [b, a].map(ObjectIdentifier.init))
        #expect(turn.bytes(of: one.run) == 7)
    }

    @Test("those who get the same share one run, whatever else is sent between")
    func sharing() {
        var turn = TurnOutbox()
        let all = (1...100).map { connection($0) }
        let other = connection(200)
        for number in 0..<5 {
            let message = OutgoingMessage(text: "\(number)")
            for connection in all { turn.add(message, to: connection) }
            turn.add(OutgoingMessage(text: "for you alone"), to: other)
        }
        #expect(Set(all.map(\.run)).count == 1)
        #expect(other.run != all[0].run)
        #expect(turn.takeConnections().count == 101)
    }

    @Test("a single message is sent from where it stands")
    func single() {
        var turn = TurnOutbox()
        let one = connection(1)
        let message = OutgoingMessage(text: "alone")
        turn.add(message, to: one)
        #expect(unsafe turn.frames(of: one.run).baseAddress == message.frame.baseAddress)
    }

    @Test("the next turn begins with nothing")
    func cleared() {
        var turn = TurnOutbox()
        let one = connection(1)
        let message = OutgoingMessage(text: "x")
        for _ in 0..<2 {
            turn.add(message, to: one)
            turn.add(message, to: one)
            #expect(bytes(&turn, of: one) == [0x81, 1, 0x78, 0x81, 1, 0x78])
            one.run = TurnOutbox.nothing
            #expect(turn.takeConnections().count == 1)
            turn.clear()
        }
    }

    @Test("a header says the length in as many bytes as it takes", arguments: [0, 125, 126, 65_535, 65_536])
    func headers(count: Int) {
        let message = OutgoingMessage(binary: [UInt8](repeating: 0, count: count))
        let head: [UInt8] =
            switch count {
            case ..<126: [0x82, UInt8(count)]
            case ..<65_536: [0x82, 126, UInt8(count >> 8), UInt8(count & 255)]
            default: [0x82, 127, 0, 0, 0, 0, 0, UInt8(count >> 16), UInt8(count >> 8 & 255), UInt8(count & 255)]
            }
        #expect(unsafe Array(message.frame.prefix(head.count)) == head)
        #expect(message.frameCount == head.count + count)
    }
}
