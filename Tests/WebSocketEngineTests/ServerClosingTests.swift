import Foundation
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("A server notices every end of a connection", .serialized)
struct ServerClosingTests {
    @Test("the peer's close code and reason reach the handler")
    func peerCloses() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "close_with", "ws://127.0.0.1:\(port)/", "4321", "enough")
        #expect(try await client.next()["code"]?.int == 4321)
        #expect(try await server.nextClosed() == .peer(code: 4321, reason: "enough"))
    }

    @Test("a close whose reason is not UTF-8 is answered with 1007, and its bytes are not repeated")
    func badReason() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "raw_frames", "\(port)", "8:1:1:0:03e861eda080")
        let frames = try await client.next()["frames"]?.array ?? []
        #expect(frames.first?.array?.last?.string == "03ef613f3f3f")
        _ = try await server.nextClosed()
    }

    @Test("a connection that vanishes is closed once, as failed")
    func vanished() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        _ = try await Python("websocket_client", "open_and_vanish", "ws://127.0.0.1:\(port)/").next()
        guard case .failed = try await server.nextClosed() else { throw TestFailure("not failed: \(server.events.all)") }
        #expect(server.closedCount == 1)
    }

    @Test("a dropped connection ends without a close frame")
    func dropped() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        server.onOpened = { loop, connection in loop.drop(connection) }
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "read_until_closed", "ws://127.0.0.1:\(port)/")
        #expect(try await client.next()["code"] == .null)
        #expect(try await server.nextClosed() == .failed("dropped"))
    }

    @Test("a silent peer is hung up on, and one that answers pings is not")
    func halfOpenPeer() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let liveness = Liveness(pingAfter: .milliseconds(500), hangUpAfter: .milliseconds(1500))
        let port = try await loop.listen(server, liveness: liveness)
        let client = try Python("websocket_client", "open_and_wait", "ws://127.0.0.1:\(port)/")
        _ = try await client.next()
        _ = try await server.nextOpened()
        // Longer than it takes to be hung up on: this one answers.
        try await Task.sleep(for: .seconds(3))
        #expect(server.closedCount == 0, "\(server.events.all)")
        client.signal(SIGSTOP)
        defer { client.signal(SIGCONT) }
        #expect(try await server.nextClosed(within: .seconds(5)) == .timedOut)
    }

    @Test("a peer that does not read is let go, with bounded memory, and harms nobody")
    func slowConsumer() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.outboxBytesMax = 1 << 20
        limits.closeDeadline = .seconds(1)
        server.decide = { _ in .accept(subprotocol: nil) }
        let port = try await loop.listen(server, limits: limits)
        let slow = try Python("websocket_client", "stall", "\(port)")
        _ = try await slow.next()
        let id = try await server.nextOpened()
        let beside = try Python("websocket_client", "latency_beside", "ws://127.0.0.1:\(port)/", "300")
        let most = try await loop.run { loop -> Int in
            let message = OutgoingMessage(binary: [UInt8](repeating: 1, count: 64 << 10))
            var most = 0
            for _ in 0..<1000 {
                loop.send(message, to: id)
                most = max(most, loop.outboxBytes(of: id))
            }
            return most
        }
        #expect(most <= 1 << 20)
        #expect(most > 0)
        #expect(try await server.nextClosed(of: id) == .tooSlow)
        #expect(try await beside.next()["echoed"]?.int == 300)
    }

    @Test("a peer that reads slowly is told of, given all, and not taken for dead while it reads")
    func slowReader() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.congestedBytes = 64 << 10
        limits.drainedBytes = 16 << 10
        limits.outboxBytesMax = 8 << 20
        // Reading it all takes several times as long as a silent peer is borne with.
        let liveness = Liveness(pingAfter: .milliseconds(500), hangUpAfter: .seconds(3))
        let port = try await loop.listen(server, limits: limits, liveness: liveness)
        let total = 4 << 20
        let slow = try Python("websocket_client", "trickle", "\(port)", "\(512 << 10)")
        _ = try await slow.next()
        let id = try await server.nextOpened()
        try await loop.run { loop in
            let message = OutgoingMessage(binary: [UInt8](repeating: 1, count: 64 << 10))
            for _ in 0..<(total / (64 << 10)) { loop.send(message, to: id) }
        }
        _ = try await server.events.next { if case .congested(id) = $0 { true } else { false } }
        #expect(try await slow.next()["got"]?.int ?? 0 >= 512 << 10, "\(server.events.all)")
    }

    @Test("a peer that has read what waited is drained, once for each time it was congested")
    func drained() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.congestedBytes = 64 << 10
        limits.drainedBytes = 0
        limits.outboxBytesMax = 64 << 20
        let port = try await loop.listen(server, limits: limits)
        let client = try Python("websocket_client", "read_until_closed", "ws://127.0.0.1:\(port)/")
        let id = try await server.nextOpened()
        for _ in 1...3 {
            // Stopped, or it may read as fast as is sent, and nothing ever waits.
            client.signal(SIGSTOP)
            try await loop.run { loop in
                let message = OutgoingMessage(binary: [UInt8](repeating: 1, count: 1 << 20))
                for _ in 0..<16 { loop.send(message, to: id) }
            }
            _ = try await server.events.next { if case .congested(id) = $0 { true } else { false } }
            client.signal(SIGCONT)
            _ = try await server.events.next { if case .drained(id) = $0 { true } else { false } }
        }
        try await loop.run { $0.close(id, code: 4000, reason: "") }
        #expect(try await client.next()["code"]?.int == 4000)
        let backlog = server.events.all.compactMap { event -> Bool? in
            switch event {
            case .congested: true
            case .drained: false
            default: nil
            }
        }
        #expect(backlog == [true, false, true, false, true, false])
    }

    @Test("a close handshake that the peer does not finish is bounded")
    func unfinishedClose() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.closeDeadline = .milliseconds(500)
        let port = try await loop.listen(server, limits: limits)
        let client = try Python("websocket_client", "open_and_wait", "ws://127.0.0.1:\(port)/")
        _ = try await client.next()
        let id = try await server.nextOpened()
        client.signal(SIGSTOP)
        defer { client.signal(SIGCONT) }
        try await loop.run { $0.close(id, code: 4000, reason: "") }
        #expect(try await server.nextClosed(within: .seconds(4)) == .local(code: 4000))
    }

    @Test("stopping the loop closes what is open, once each")
    func stop() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "open_and_wait", "ws://127.0.0.1:\(port)/")
        _ = try await client.next()
        _ = try await server.nextOpened()
        try await loop.stop()
        #expect(server.closedCount == 1)
    }

    @Test("five thousand idle connections are kept and each still answers")
    func manyIdleConnections() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.pendingMax = 6000
        // The peer answers no pings while it opens the others.
        let liveness = Liveness(pingAfter: .seconds(200), hangUpAfter: .seconds(300))
        let port = try await loop.listen(server, limits: limits, liveness: liveness)
        let client = try Python("websocket_client", "idle", "\(port)", "5000")
        #expect(try await client.next(within: .seconds(90))["open"]?.int == 5000)
        #expect(try await loop.run { $0.connectionCount } == 5000)
        client.tell()
        #expect(try await client.next(within: .seconds(90))["answered"]?.int == 5000)
    }
}
