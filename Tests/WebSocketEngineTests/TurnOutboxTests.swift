import Testing

@testable import WebSocketEngine

@Suite("What a turn sends is gathered once for all who get the same")
struct TurnOutboxTests {
    private let connections = ConnectionTable()

    private func bytes(_ turn: inout TurnOutbox, of connection: ConnectionID) -> [UInt8] {
        unsafe Array(turn.frames(of: connections.batch(of: connection)))
    }

    /// Takes the next recipient.
    private func take(_ turn: inout TurnOutbox) -> ConnectionID? {
        turn.takeFromRest(1, of: &connections.slots).first.map(ConnectionID.init)
    }

    @Test("frames stand one behind the other, in the order in which they were sent")
    func order() {
        var turn = TurnOutbox()
        let ids = connections.open(3)
        let (one, two, three) = (ids[0], ids[1], ids[2])
        let (a, b) = (OutgoingMessage(text: "a"), OutgoingMessage(binary: [7, 8]))
        turn.add(a, to: one, of: &connections.slots)
        #expect(turn.add(b, toReady: [one, two], of: &connections.slots) == [])
        turn.add(a, to: two, of: &connections.slots)
        turn.add(b, to: three, of: &connections.slots)
        #expect(bytes(&turn, of: one) == [0x81, 1, 0x61, 0x82, 2, 7, 8])
        #expect(bytes(&turn, of: two) == [0x82, 2, 7, 8, 0x81, 1, 0x61])
        #expect(bytes(&turn, of: three) == [0x82, 2, 7, 8])
        let messages = turn.messages(of: connections.batch(of: two))
        #expect(messages.map(ObjectIdentifier.init) == [b, a].map(ObjectIdentifier.init))
        #expect(turn.bytes(of: connections.batch(of: one)) == 7)
    }

    @Test("those who get the same share one run, whatever else is sent between")
    func sharing() {
        var turn = TurnOutbox()
        let all = connections.open(100)
        let other = connections.open(1)[0]
        for number in 0..<5 {
            #expect(turn.add(OutgoingMessage(text: "\(number)"), toReady: all, of: &connections.slots) == [])
            turn.add(OutgoingMessage(text: "for you alone"), to: other, of: &connections.slots)
        }
        let runs = Set(all.map { connections.batch(of: $0) })
        #expect(runs.count == 1)
        #expect(!runs.contains(connections.batch(of: other)))
        #expect(turn.takeNew(of: &connections.slots).count == 101)
    }

    @Test("whoever is not ready, or has no room in a write, is left to the caller; whoever is unknown, is not")
    func others() {
        var turn = TurnOutbox()
        let all = connections.open(3)
        connections[all[1].rawValue]?.isPingDue = true
        let gone = ConnectionID(rawValue: 1 << 40)
        let message = OutgoingMessage(binary: [UInt8](repeating: 0, count: TurnOutbox.batchBytesMax / 2))
        #expect(turn.add(message, toReady: [gone] + all, of: &connections.slots) == [all[1]])
        connections[all[1].rawValue]?.isPingDue = false
        #expect(turn.add(message, toReady: all, of: &connections.slots) == [all[0], all[2]])
        #expect(turn.takeNew(of: &connections.slots) == [all[0], all[2], all[1]].map(\.rawValue))
    }

    @Test("a single message is sent from where it stands")
    func single() {
        var turn = TurnOutbox()
        let one = connections.open(1)[0]
        let message = OutgoingMessage(text: "alone")
        turn.add(message, to: one, of: &connections.slots)
        #expect(unsafe turn.frames(of: connections.batch(of: one)).baseAddress == message.frame.baseAddress)
    }

    @Test("the next turn begins with nothing")
    func cleared() {
        var turn = TurnOutbox()
        let one = connections.open(1)[0]
        let message = OutgoingMessage(text: "x")
        for _ in 0..<2 {
            turn.add(message, to: one, of: &connections.slots)
            turn.add(message, to: one, of: &connections.slots)
            #expect(bytes(&turn, of: one) == [0x81, 1, 0x78, 0x81, 1, 0x78])
            #expect(connections.takeBatch(of: one) != TurnOutbox.nothing)
            #expect(connections.batch(of: one) == TurnOutbox.nothing)
            #expect(turn.takeNew(of: &connections.slots) == [one.rawValue])
            turn.clear()
        }
    }

    @Test("who is left over keeps his place and his run, whatever comes meanwhile")
    func rest() {
        var turn = TurnOutbox()
        let all = connections.open(5)
        let (first, second) = (OutgoingMessage(text: "1"), OutgoingMessage(text: "2"))
        _ = turn.add(first, toReady: all, of: &connections.slots)
        turn.addToRest(turn.takeNew(of: &connections.slots), of: &connections.slots)
        #expect(turn.restCount == 5)
        let taken = take(&turn)
        #expect(taken == all[0])
        #expect(bytes(&turn, of: all[0]) == [0x81, 1, 0x31])
        _ = connections.takeBatch(of: all[0])

        _ = turn.add(second, toReady: all.reversed(), of: &connections.slots)
        turn.clear()
        #expect(turn.restCount == 4, "nobody is forgotten before he was written to")
        turn.addToRest(turn.takeNew(of: &connections.slots), of: &connections.slots)
        var order: [ConnectionID] = []
        while let next = take(&turn) {
            order.append(next)
            #expect(bytes(&turn, of: next) == (next == all[0] ? [0x81, 1, 0x32] : [0x81, 1, 0x31, 0x81, 1, 0x32]))
            _ = connections.takeBatch(of: next)
        }
        #expect(order == [all[1], all[2], all[3], all[4], all[0]])
        turn.clear()
        #expect(turn.bytes(of: TurnOutbox.nothing) == 0)
        #expect(turn.isFull == false)
    }

    @Test("who is gone before he was written to is passed over, and whoever stands in his place has nothing of his")
    func gone() {
        var turn = TurnOutbox()
        let all = connections.open(3)
        _ = turn.add(OutgoingMessage(text: "1"), toReady: all, of: &connections.slots)
        turn.addToRest(turn.takeNew(of: &connections.slots), of: &connections.slots)
        _ = turn.add(OutgoingMessage(text: "2"), toReady: all, of: &connections.slots)
        _ = connections.remove(all[1].rawValue)
        // Counts up until that place is the next.
        let place = connections.slots.slot(of: all[1].rawValue)
        var id = all[2].rawValue
        while connections.slots.slot(of: id + 1) != place { id += 1 }
        let heir = connections.open(1, after: id)[0]
        #expect(connections.slots.slot(of: heir.rawValue) == place)
        #expect(connections.batch(of: heir) == TurnOutbox.nothing)
        #expect(turn.takeNew(of: &connections.slots).count == 3)
        var writes: [ConnectionTable.Write] = []
        connections.slots.takeBatches(of: turn.takeFromRest(3, of: &connections.slots), into: &writes)
        #expect(writes.map(\.id) == [all[0], all[2]].map(\.rawValue))
        _ = turn.add(OutgoingMessage(text: "3"), toReady: [heir], of: &connections.slots)
        #expect(turn.takeNew(of: &connections.slots) == [heir.rawValue])
    }

    @Test(
        "what is kept for those who are left over has a limit, in messages and in bytes",
        arguments: [(2_000, 1), (20, 1 << 20)])
    func kept(messages: Int, bytes: Int) {
        var turn = TurnOutbox()
        let ids = connections.open(2)
        turn.add(OutgoingMessage(text: "x"), to: ids[0], of: &connections.slots)
        turn.addToRest(turn.takeNew(of: &connections.slots), of: &connections.slots)
        #expect(turn.isFull == false)
        for _ in 0..<messages {
            turn.add(OutgoingMessage(binary: [UInt8](repeating: 0, count: bytes)), to: ids[1], of: &connections.slots)
        }
        #expect(turn.isFull == true)
        turn.addToRest(turn.takeNew(of: &connections.slots), of: &connections.slots)
        while let next = take(&turn) { _ = connections.takeBatch(of: next) }
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
