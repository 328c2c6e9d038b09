import Foundation
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("A loop does the same by epoll and by poll", .serialized)
struct WaitMethodTests {
    private static let methods = [WaitMethod.epoll, .poll]

    @Test("the method that is wished for is had", arguments: methods)
    func wish(method: WaitMethod) async throws {
        let loop = try await TestLoop.start(method)
        #expect(try await loop.run { $0.waitMethod } == method)
    }

    @Test("a client's messages come back, and its end is told", arguments: methods)
    func echo(method: WaitMethod) async throws {
        let loop = try await TestLoop.start(method)
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "echo_sizes", "ws://127.0.0.1:\(port)/", "1", "70000", "1048576")
        #expect(try await client.next() == ["echoed": .number(6)])
        #expect(try await server.nextClosed() == .peer(code: 1000, reason: ""))
    }

    @Test("several loops of one process serve each other, and end", arguments: methods)
    func severalLoops(method: WaitMethod) async throws {
        var loops: [TestLoop] = []
        for _ in 0..<4 { loops.append(try await TestLoop.start(method)) }
        for (index, loop) in loops.enumerated() {
            let port = try await loop.listen(TestServer())
            let client = TestClient()
            let other = loops[(index + 1) % loops.count]
            let id = try await other.run {
                try $0.connect(ClientConfiguration(host: "127.0.0.1", port: UInt16(port)), handler: client)
            }
            _ = try await client.nextOpened()
            try await other.run { $0.send(OutgoingMessage(text: "round"), to: id) }
            #expect(try await client.nextMessage().bytes == Array("round".utf8))
        }
        for loop in loops { try await loop.stop() }
    }

    @Test("what a timer ends is ended at once, with nothing else going on", arguments: methods)
    func dropByTimer(method: WaitMethod) async throws {
        let loop = try await TestLoop.start(method)
        let server = TestServer()
        server.onOpened = { loop, connection in
            loop.schedule(after: .milliseconds(50)) { loop.schedule(after: .zero) { loop.drop(connection) } }
        }
        let port = try await loop.listen(server)
        _ = try await Python("websocket_client", "read_until_closed", "ws://127.0.0.1:\(port)/").next()
        #expect(try await server.nextClosed() == .failed("dropped"))
    }

    @Test("reading that was paused goes on when other threads say so", arguments: methods)
    func pausedReading(method: WaitMethod) async throws {
        let loop = try await TestLoop.start(method)
        let server = TestServer()
        server.onMessage = { loop, message, connection in
            loop.pauseReading(connection)
            let bound = LoopBound(loop, loop: loop)
            let handle = loop.handle
            DispatchQueue.global().async {
                handle.execute {
                    bound.value.resumeReading(connection)
                    bound.value.send(OutgoingMessage(text: message.bytes), to: connection)
                }
            }
        }
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "latency_beside", "ws://127.0.0.1:\(port)/", "50")
        #expect(try await client.next()["echoed"]?.int == 50)
    }

    @Test("a turn's messages keep their order and their frames, beside pings, to a peer that reads slowly", arguments: methods)
    func order(method: WaitMethod) async throws {
        let loop = try await TestLoop.start(method)
        let server = TestServer()
        let count = 4000
        server.onOpened = { loop, connection in
            var number = 0
            // Runs of many lengths, some above what is gathered, over many turns.
            func turn() {
                for index in 0..<(number % 7 + 1) where number < count {
                    let size = number % 500 == 499 ? 70_000 : index * 100
                    let text =
                        String(repeating: "0", count: 8 - "\(number)".count) + "\(number)" + String(repeating: "x", count: size)
                    loop.send(OutgoingMessage(text: text), to: connection)
                    number += 1
                }
                if number < count { loop.schedule(after: .zero) { turn() } }
            }
            turn()
        }
        let liveness = Liveness(pingAfter: .milliseconds(100), hangUpAfter: .seconds(60))
        let port = try await loop.listen(server, liveness: liveness)
        let result = try await Python("websocket_client", "read_in_order", "\(port)", "\(count)").next(within: .seconds(120))
        #expect(result["messages"]?.int == count)
        #expect(result["pongs"]?.int ?? 0 > 0)
    }

    @Test(
        "what goes to thousands goes out in parts, and what comes for a few meanwhile goes before the rest",
        arguments: [WaitMethod.epoll, .poll])
    func parts(_ waitMethod: WaitMethod) async throws {
        let loop = try await TestLoop.start(waitMethod)
        let server = TestServer()
        var limits = Limits()
        limits.pendingMax = 6000
        let liveness = Liveness(pingAfter: .seconds(200), hangUpAfter: .seconds(300))
        let port = try await loop.listen(server, limits: limits, liveness: liveness)
        let client = try Python("websocket_client", "hear", "\(port)", "5000")
        #expect(try await client.next(within: .seconds(90))["open"]?.int == 5000)
        let everybody = try await loop.run { loop in loop.connections.values.filter { $0.phase == .open }.map(\.id) }
        #expect(everybody.count == 5000)
        let (last, closed, dropped) = (everybody[4999], everybody[4998], everybody[4997])
        let parted = EventLog<Int>()
        let overtook = EventLog<Bool>()
        try await loop.run { loop in
            let (crowd, few, end) = (OutgoingMessage(text: "crowd"), OutgoingMessage(text: "few"), OutgoingMessage(text: "end"))
            loop.send(crowd, to: everybody[...])
            func look() {
                let rest = loop.turn.restCount
                guard rest > 0 else {
                    loop.send(end, to: everybody[...])
                    return overtook.append(false)
                }
                if parted.all.isEmpty {
                    loop.send(few, to: last)
                    loop.close(closed, code: 1000, reason: "")
                    loop.drop(dropped)
                } else if loop.connections.batch(of: last) == TurnOutbox.nothing {
                    overtook.append(true)
                }
                parted.append(rest)
                loop.schedule(after: .zero) { look() }
            }
            loop.schedule(after: .zero) { look() }
        }
        _ = try await overtook.next { !$0 }
        #expect(overtook.all.first == true, "those who were left over, part by part: \(parted.all)")
        client.tell()
        let heard = try await client.next(within: .seconds(90))
        // The ends went out in parts, too, and nothing but the rest itself has woken the loop for them.
        #expect(heard["crowd end"]?.int == 4997)
        #expect(heard["crowd few end"]?.int == 1)
        #expect(heard["crowd closed"]?.int == 1, "who is closed while left over hears first what there was for him")
        #expect(heard["gone"]?.int == 1, "who is dropped, nothing more")

        try await loop.run { loop in
            for connection in everybody { loop.send(OutgoingMessage(text: "end"), to: connection) }
            loop.stop()
        }
        client.tell()
        #expect(try await client.next(within: .seconds(90))["end"]?.int == 4998, "who stops has said what there was to say")
    }

    /// Work between two sockets is the time between two messages here: each client sends one. libev serves last what became ready first.
    @Test("who says something at once, by the dozen, keeps waiting neither what is there nor who goes first")
    func interlude() async throws {
        let loop = try await TestLoop.start(.epoll)
        let other = try await TestLoop.start(.epoll)
        let server = TestServer()
        let order = EventLog<String>()
        let handle = loop.handle
        server.onMessage = { loop, message, connection in
            // Each takes a part of what a turn may before it looks up.
            let end = MonotonicTime.now + .milliseconds(4)
            while MonotonicTime.now < end {}
            order.append(String(decoding: message.bytes, as: UTF8.self))
            handle.execute { order.append("handed in") }
            loop.send(OutgoingMessage(text: message.bytes), to: connection)
        }
        let isFirst = EventLog<Bool>()
        server.onOpened = { loop, connection in
            if isFirst.all.isEmpty { loop.expedite(connection) }
            isFirst.append(true)
        }
        let port = try await loop.listen(server)
        try await loop.run { $0.turnEnded = { order.append("tick") } }
        let count = 40
        let clients = (0..<count).map { _ in TestClient() }
        var connections: [ConnectionID] = []
        for client in clients {
            connections.append(
                try await other.run {
                    try $0.connect(ClientConfiguration(host: "127.0.0.1", port: UInt16(port)), handler: client)
                })
            _ = try await client.nextOpened()
        }
        // All have sent it before the first is read.
        let all = connections
        let begun = EventLog<Bool>()
        let said = DispatchSemaphore(value: 0)
        handle.execute {
            begun.append(true)
            said.wait()
        }
        _ = try await begun.next { $0 }
        try await other.run { loop in
            for (number, connection) in all.enumerated() { loop.send(OutgoingMessage(text: "\(number)"), to: connection) }
        }
        said.signal()
        for (number, client) in clients.enumerated() {
            #expect(try await client.nextMessage().bytes == Array("\(number)".utf8))
        }
        let words = order.all
        let first = try #require(words.firstIndex { Int($0) != nil })
        let last = try #require(words.lastIndex { Int($0) != nil })
        let between = words[first...last]
        #expect(between.count { Int($0) != nil } == count)
        #expect(between.compactMap { Int($0) }.firstIndex(of: 0)! < count / 2, "\(between)")
        #expect(between.count { $0 == "tick" } >= count / 8, "\(between)")
        #expect(between.contains("handed in"))
    }
}
