import Dispatch
import Foundation
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own threads, and the machine few processors.
@Suite("Several loops are one to whoever uses them", .serialized)
struct EventLoopGroupTests {
    private static let tcp = ListenerConfiguration(address: .tcp(host: "127.0.0.1", port: 0))

    /// Connected one after the other, each with its identifier at the server.
    private func clients(
        _ count: Int, on loop: TestLoop, to port: UInt16, of server: GroupServer
    ) async throws -> [(client: TestClient, own: ConnectionID, theirs: ConnectionID)] {
        var clients: [(TestClient, ConnectionID, ConnectionID)] = []
        for _ in 0..<count {
            let client = TestClient()
            let own = try await loop.run { try $0.connect(ClientConfiguration(host: "127.0.0.1", port: port), handler: client) }
            _ = try await client.nextOpened()
            clients.append((client, own, try await server.opened(1)[0]))
        }
        return clients
    }

    @Test("connections are spread evenly, and what each says and is told keeps its order", arguments: [1, 3])
    func order(loops: Int) async throws {
        let group = try await TestGroup.start(loops: loops)
        let server = GroupServer()
        let port = try await group.listen(server, Self.tcp)
        let loop = try await TestLoop.start()
        let clients = try await clients(9, on: loop, to: port, of: server)
        let counts: [Int: Int] = Dictionary(grouping: clients, by: \.theirs.loop).mapValues(\.count)
        let even: [Int: Int] = loops == 1 ? [0: 9] : [1: 3, 2: 3, 3: 3]
        #expect(counts == even)
        #expect(Set(clients.map(\.theirs)).count == 9)
        let each = 100
        for number in 0..<each {
            let all = clients.map(\.own)
            try await loop.run { loop in for id in all { loop.send(OutgoingMessage(text: "\(number)"), to: id) } }
        }
        for (client, _, _) in clients {
            for number in 0..<each {
                let message = try await client.nextMessage()
                #expect(message.bytes == Array("\(number)".utf8))
            }
        }
    }

    @Test("what other loops are to send is known to wait until the turn has ended", arguments: [1, 2])
    func gathering(loops: Int) async throws {
        let group = try await TestGroup.start(loops: loops)
        let server = GroupServer()
        let port = try await group.listen(server, Self.tcp)
        let loop = try await TestLoop.start()
        let (client, _, theirs) = try await clients(1, on: loop, to: port, of: server)[0]
        let waits = try await group.run { group in
            let before = group.isGathering
            group.send(OutgoingMessage(text: "told"), to: theirs)
            return [before, group.isGathering]
        }
        #expect(waits == [false, loops > 1])
        #expect(try await client.nextMessage().bytes == Array("told".utf8))
        #expect(try await group.run { !$0.isGathering })
    }

    @Test("what is for all comes to all, in one order, and to nobody after the close", arguments: [1, 3])
    func broadcast(loops: Int) async throws {
        let group = try await TestGroup.start(loops: loops)
        let server = GroupServer()
        let port = try await group.listen(server, Self.tcp)
        let loop = try await TestLoop.start()
        let clients = try await clients(7, on: loop, to: port, of: server)
        let all = clients.map(\.theirs)
        for number in 0..<30 {
            try await group.run { group in
                let messages = [OutgoingMessage(text: "\(number)a"), OutgoingMessage(text: "\(number)b")]
                for message in messages { for id in all { group.send(message, to: id) } }
            }
        }
        try await group.run { group in
            for (index, id) in all.enumerated() {
                group.close(id, code: 4000 + UInt16(index), reason: "go")
                group.send(OutgoingMessage(text: "late"), to: id)
            }
        }
        let sent: [[UInt8]] = (0..<30).flatMap { [Array("\($0)a".utf8), Array("\($0)b".utf8)] }
        for (index, (client, _, _)) in clients.enumerated() {
            #expect(try await client.nextClosed() == .peer(code: 4000 + UInt16(index), reason: "go"))
            let texts: [[UInt8]] = client.events.all.compactMap {
                if case .received(let message) = $0 { message.bytes } else { nil }
            }
            #expect(texts == sent)
        }
        for _ in clients {
            _ = try await server.events.next { if case .closed(_, .local) = $0 { true } else { false } }
        }
        #expect(try await group.run { $0.main.connectionCount } == 0)
    }

    @Test(
        "what goes to thousands goes out in parts on each loop, in one order, also to whom is left over and told more or closed"
    )
    func parts() async throws {
        let group = try await TestGroup.start(loops: 2)
        let server = GroupServer()
        var configuration = Self.tcp
        configuration.limits.pendingMax = 6000
        configuration.liveness = Liveness(pingAfter: .seconds(200), hangUpAfter: .seconds(300))
        let port = try await group.listen(server, configuration)
        let client = try Python("websocket_client", "hear", "\(port)", "4000")
        #expect(try await client.next(within: .seconds(90))["open"]?.int == 4000)
        let all = try await server.opened(4000)
        #expect(Dictionary(grouping: all, by: \.loop).mapValues(\.count) == [1: 2000, 2: 2000])
        // Each is an order of its own, and comes while those before are carried out.
        let some = stride(from: 0, to: 4000, by: 100).map { all[$0] }
        try await group.run { $0.send(OutgoingMessage(text: "crowd"), to: all) }
        try await group.run { group in for id in some { group.send(OutgoingMessage(text: "few"), to: id) } }
        try await group.run { group in for id in all[3900...] { group.close(id, code: 1000, reason: "") } }
        try await group.run { $0.send(OutgoingMessage(text: "end"), to: all) }
        client.tell()
        let heard = try await client.next(within: .seconds(90))
        #expect(heard["crowd end"]?.int == 3861)
        #expect(heard["crowd few end"]?.int == 39)
        #expect(heard["crowd closed"]?.int == 99)
        #expect(heard["crowd few closed"]?.int == 1)
    }

    @Test("requests are answered, late as well, and who leaves before is told of", arguments: [1, 3])
    func requests(loops: Int) async throws {
        let group = try await TestGroup.start(loops: loops)
        let server = GroupServer()
        let port = try await group.listen(server, Self.tcp)
        for number in 0..<4 {
            let answer = try await Python("http_client", "get", "\(port)", "/\(number)").next()
            #expect(answer["body"]?.string == "GET /\(number)")
        }
        let slow = GroupServer()
        slow.onEvent = { _, _ in }
        let slowPort = try await group.listen(slow, Self.tcp)
        let patient = try Python("http_client", "get", "\(slowPort)", "/late")
        let id = try await slow.events.first { if case .request(_, let id) = $0 { id } else { nil } }
        try await group.run { $0.respond(to: id, HTTPResponse(status: 200, body: .bytes(Array("at last".utf8)))) }
        #expect(try await patient.next()["body"]?.string == "at last")
    }

    @Test("a socket file is served by all loops, and gone afterwards")
    func socketFile() async throws {
        let path = "/tmp/heliograph-test-\(UUID().uuidString.prefix(8)).sock"
        let group = try await TestGroup.start(loops: 2)
        let server = GroupServer()
        _ = try await group.listen(server, ListenerConfiguration(address: .unix(path: path)))
        for _ in 0..<3 {
            let echo = try await Python("websocket_client", "unix_echo", path).next()
            #expect(echo["text"]?.string == "over a socket file")
        }
        let connections = server.events.all.compactMap { if case .opened(let id) = $0 { id } else { nil } }
        #expect(connections.allSatisfy { $0.loop > 0 })
        try await group.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a limit is one for all loops, and a place that is left is free again", arguments: [1, 3])
    func limits(loops: Int) async throws {
        let group = try await TestGroup.start(loops: loops)
        let server = GroupServer()
        var configuration = Self.tcp
        configuration.limits.connectionsMax = 4
        let port = try await group.listen(server, configuration)
        let loop = try await TestLoop.start()
        var inside = try await clients(4, on: loop, to: port, of: server)
        let outside = TestClient()
        let target = ClientConfiguration(host: "127.0.0.1", port: port)
        _ = try await loop.run { try $0.connect(target, handler: outside) }
        guard case .refused(503, _?) = try await outside.nextClosed() else {
            Issue.record("it is told that there are too many, and when to come back")
            return
        }
        _ = try await server.events.next { if case .turnedAway(.connections) = $0 { true } else { false } }
        let leaves = inside.removeLast()
        try await loop.run { $0.close(leaves.own, code: 1000, reason: "") }
        _ = try await server.events.next { if case .closed(leaves.theirs, _) = $0 { true } else { false } }
        let next = try await clients(1, on: loop, to: port, of: server)
        // The loop of the connection that closed has the fewest.
        #expect(next[0].theirs.loop == leaves.theirs.loop || loops > 1)
        #expect(next[0].theirs != leaves.theirs)
    }

    @Test("a tick waits for a loop that has not begun with what it was given, and for no other reason")
    func tickWaits() async throws {
        let group = try await TestGroup.start(loops: 2)
        let server = GroupServer()
        let port = try await group.listen(server, Self.tcp)
        let loop = try await TestLoop.start()
        let clients = try await clients(2, on: loop, to: port, of: server)
        let ticks = EventLog<String>()
        // A loop that is blocked until it is released.
        let gate = DispatchSemaphore(value: 0)
        let isHeld = EventLog<Bool>()
        let place = clients[0].theirs
        try await group.run { group in
            group.turnEnded = { ticks.append("tick") }
            group.lanes[place.loop - 1].thread.handOver { _ in
                isHeld.append(true)
                gate.wait()
            }
        }
        _ = try await isHeld.next { _ in true }
        _ = try await ticks.next { _ in true }
        try await group.run { group in
            for number in 0..<200 { group.send(OutgoingMessage(text: "\(number)"), to: place) }
        }
        // The turn that sends has its tick: nothing waited when it ended. The next has none.
        _ = try await ticks.next { _ in true }
        try await group.run { _ in ticks.append("held") }
        try await group.run { _ in ticks.append("held") }
        #expect(ticks.all == ["tick", "tick", "held", "held"])
        gate.signal()
        _ = try await ticks.next { $0 == "tick" }
        for number in 0..<200 {
            let message = try await clients[0].client.nextMessage()
            #expect(message.bytes == Array("\(number)".utf8))
        }
    }

    @Test("who brings more than the main loop takes is not read, and all of it comes in the end")
    func fullInbox() async throws {
        let group = try await TestGroup.start(loops: 2)
        let server = GroupServer()
        server.onEvent = { _, _ in }
        let port = try await group.listen(server, Self.tcp)
        let loop = try await TestLoop.start()
        var target = ClientConfiguration(host: "127.0.0.1", port: port)
        target.limits.outboxBytesMax = 64 << 20
        let clients = [TestClient(), TestClient()]
        var ids: [ConnectionID] = []
        for client in clients {
            ids.append(try await loop.run { [target] in try $0.connect(target, handler: client) })
            _ = try await client.nextOpened()
        }
        _ = try await server.opened(2)
        let threads = try await group.run { $0.lanes.map(\.thread) }
        let (gate, isBlocked) = (DispatchSemaphore(value: 0), EventLog<Bool>())
        let blocked = Task {
            try await group.run { _ in
                isBlocked.append(true)
                gate.wait()
            }
        }
        _ = try await isBlocked.next { _ in true }
        let (bytes, count) = (512 << 10, 100)
        try await loop.run { [ids] loop in
            let message = OutgoingMessage(text: [UInt8](repeating: UInt8(ascii: "x"), count: bytes))
            for id in ids { for _ in 0..<count { loop.send(message, to: id) } }
        }
        let held = EventLog<Int>()
        for thread in threads {
            for _ in 0..<400 {
                thread.handOver { held.append($0.backpressured.count) }
                if try await held.next({ _ in true }) > 0 { break }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        #expect(held.all.last == 1)
        let waiting = try await loop.run { [ids] loop in ids.map { loop.outboxBytes(of: $0) } }
        #expect(waiting.allSatisfy { $0 > 0 }, "somebody has read on: \(waiting)")
        gate.signal()
        try await blocked.value
        for _ in 0..<2 * count {
            _ = try await server.events.next {
                if case .received(let message, _) = $0 { message.bytes.count == bytes } else { false }
            }
        }
    }

    @Test("the end closes every connection on every loop, once")
    func end() async throws {
        let group = try await TestGroup.start(loops: 3)
        let server = GroupServer()
        let port = try await group.listen(server, Self.tcp)
        let loop = try await TestLoop.start()
        let clients = try await clients(6, on: loop, to: port, of: server)
        let census = EventLog<EngineCensus>()
        try await group.run { $0.census { census.append($0) } }
        #expect(try await census.next { _ in true }.connections == 6)
        try await group.run { group in for client in clients { group.send(OutgoingMessage(text: "last"), to: client.theirs) } }
        try await group.stop()
        for (client, _, _) in clients {
            #expect(try await client.nextMessage().bytes == Array("last".utf8))
            _ = try await client.nextClosed()
        }
    }
}
