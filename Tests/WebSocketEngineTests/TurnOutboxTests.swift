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

    @Test("who is left over keeps his place and his run, whatever comes meanwhile")
    func rest() {
        var turn = TurnOutbox()
        let all = (1...5).map { connection($0) }
        let (first, second) = (OutgoingMessage(text: "1"), OutgoingMessage(text: "2"))
        for connection in all { turn.add(first, to: connection) }
        turn.addToRest(turn.takeConnections())
        #expect(turn.restCount == 5)
        let taken = turn.takeFromRest()
        #expect(taken === all[0])
        #expect(bytes(&turn, of: taken) == [0x81, 1, 0x31])
        taken.run = TurnOutbox.nothing

        for connection in all.reversed() { turn.add(second, to: connection) }
        turn.clear()
        #expect(turn.restCount == 4, "nobody is forgotten before he was written to")
        turn.addToRest(turn.takeConnections())
        var order: [UInt64] = []
        while turn.restCount > 0 {
            let next = turn.takeFromRest()
            order.append(next.id.rawValue)
            #expect(bytes(&turn, of: next) == (next === all[0] ? [0x81, 1, 0x32] : [0x81, 1, 0x31, 0x81, 1, 0x32]))
            next.run = TurnOutbox.nothing
        }
        #expect(order == [2, 3, 4, 5, 1])
        turn.clear()
        #expect(turn.bytes(of: TurnOutbox.nothing) == 0)
        #expect(turn.isFull == false)
    }

    @Test(
        "what is kept for those who are left over has a limit, in messages and in bytes",
        arguments: [(2_000, 1), (20, 1 << 20)])
    func kept(messages: Int, bytes: Int) {
        var turn = TurnOutbox()
        let (one, other) = (connection(1), connection(2))
        turn.add(OutgoingMessage(text: "x"), to: one)
        turn.addToRest(turn.takeConnections())
        #expect(turn.isFull == false)
        for _ in 0..<messages { turn.add(OutgoingMessage(binary: [UInt8](repeating: 0, count: bytes)), to: other) }
        #expect(turn.isFull == true)
        turn.addToRest(turn.takeConnections())
        while turn.restCount > 0 { turn.takeFromRest().run = TurnOutbox.nothing }
        turn.clear()
        #expect(turn.isFull == false)
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
