import Logging
import Testing

@testable import WebSocketEngine

@Suite("A connection is found by its identifier, and what sending looks at stands beside it")
struct ConnectionTableTests {
    private let connections = ConnectionTable()

    @Test("each is found until it is removed, however many there are and whoever else is gone")
    func find() throws {
        var ids = connections.open(1_000)
        #expect(connections.count == 1_000)
        for _ in 0..<10 {
            // Every third leaves, in turn with others who come.
            let leaving = stride(from: 0, to: ids.count, by: 3).map { ids[$0] }
            let before = try #require(ids.last)
            for id in leaving {
                #expect(connections.remove(id.rawValue)?.id == id)
                #expect(connections.remove(id.rawValue) == nil)
            }
            ids = ids.filter { connections[$0.rawValue] != nil } + connections.open(leaving.count, after: before.rawValue)
            #expect(leaving.allSatisfy { connections[$0.rawValue] == nil })
        }
        #expect(ids.count == 1_000)
        #expect(Set(ids).count == 1_000)
        #expect(ids.allSatisfy { connections[$0.rawValue]?.id == $0 })
        #expect(Set(connections.values.map(\.id)) == Set(ids))
        #expect(connections[0] == nil, "nobody's")
    }

    @Test("an identifier whose place is taken is passed over, and a quarter of the slots stays free")
    func slots() {
        let ids = connections.open(12)
        #expect(ids.map(\.rawValue) == Array(1...12))
        for id in ids where id.rawValue != 3 { _ = connections.remove(id.rawValue) }
        // 16 slots: 3 stands where 19 would.
        #expect(connections.open(3, after: 16).map(\.rawValue) == [17, 18, 20])
        #expect(connections[19] == nil)
        #expect(connections[3] != nil)
        // The thirteenth makes it 32, of which 19 has one of its own.
        let many = connections.open(20, after: 32)
        #expect(connections.slots.all.count == 32)
        #expect(([3, 17, 18, 20] + many.map(\.rawValue)).allSatisfy { connections[$0]?.id.rawValue == $0 })
        #expect(connections.count == 24)
        #expect(connections.open(1, after: 100).count == 1)
        #expect(connections.slots.all.count == 64)
    }

    @Test("a loop's number is no part of the place")
    func loops() {
        let first: UInt64 = 5 << ConnectionID.countBits
        let ids = connections.open(3, after: first)
        #expect(ids.map(\.rawValue) == [first + 1, first + 2, first + 3])
        #expect(connections[1] == nil)
    }

    @Test("whether one is ready follows from all that a message would have to wait for")
    func ready() throws {
        let id = connections.open(1)[0]
        let connection = try #require(connections[id.rawValue])
        func isReady() -> Bool { connections.slots.all[connections.slots.slot(of: id.rawValue)].isReady }
        #expect(isReady())
        connection.isPingDue = true
        #expect(!isReady())
        connection.isPingDue = false
        connection.mayOwePong = true
        #expect(!isReady())
        connection.mayOwePong = false
        connection.isCongested = true
        #expect(!isReady())
        connection.isCongested = false
        #expect(isReady())
        connection.outbox.append(OutgoingMessage(text: "waits"))
        #expect(!isReady())
        connection.outbox.removeAll()
        #expect(isReady())
        connection.plainDescriptor = 7
        #expect(connections.slots.all[connections.slots.slot(of: id.rawValue)].descriptor == 7)
        connection.phase = .closing
        #expect(!isReady())
        #expect(connections.slots.all[connections.slots.slot(of: id.rawValue)].descriptor == -1)
    }

    @Test("a client is never: what it sends is masked, each message by itself")
    func client() {
        let connection = connections.add(
            .client(TestClient(), ClientConfiguration(host: "a", port: 1)), .ip("a"), .open, makeID: { 1 })
        #expect(!connection.isReady)
    }
}

extension ConnectionTable {
    /// Opens `count` connections of a server, with the first free identifiers after `last`.
    func open(_ count: Int, after last: UInt64? = nil) -> [ConnectionID] {
        var last = last ?? values.map(\.id.rawValue).max() ?? 0
        let listener = Self.makeListener()
        return (0..<count).map { _ in
            let connection = add(.server(listener), .ip("a"), .http) {
                last += 1
                return last
            }
            connection.phase = .open
            return connection.id
        }
    }

    /// A listener of a loop that has ended: a table only uses its configuration.
    private static func makeListener() -> Listener {
        var made: Listener?
        do {
            try EventLoop.run(logger: Logger(label: "engine.test")) { loop in
                let configuration = ListenerConfiguration(address: .tcp(host: "127.0.0.1", port: 0))
                made = try loop.makeListener(configuration, handler: TestServer(), Admission(loops: 1))
                loop.stop()
            }
        } catch {
            preconditionFailure("\(error)")
        }
        return made!
    }
}
