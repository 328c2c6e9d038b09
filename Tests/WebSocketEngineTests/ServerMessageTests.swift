import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("A server and a client of another make exchange messages", .serialized)
struct ServerMessageTests {
    @Test("every class of frame length is echoed, text and binary")
    func frameLengths() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python(
            "websocket_client", "echo_sizes", "ws://127.0.0.1:\(port)/", "0", "1", "125", "126", "65535", "65536", "1048576")
        #expect(try await client.next() == ["echoed": .number(14)])
        #expect(try await server.nextClosed() == .peer(code: 1000, reason: ""))
        #expect(server.closedCount == 1)
    }

    @Test("fragments with pings between them make one message, and the pings are answered")
    func fragments() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "fragments_with_pings", "ws://127.0.0.1:\(port)/")
        let result = try await client.next()
        #expect(result["text"]?.string == "fragmented")
        // Of several queued pings, libwebsockets 4.1.6 may answer the first only.
        #expect((result["pongs"]?.int ?? 0) >= 1)
    }

    @Test("the pong for a ping between the frames of a message goes before what answers the message")
    func pongGoesFirst() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "raw_frames", "\(port)", "1:0:1:0:61", "9:1:1:0:70", "0:1:1:0:62")
        let frames = try await client.next()["frames"]?.array ?? []
        #expect(frames.compactMap { $0.array?.first?.int } == [10, 1, 8])
        #expect(frames.compactMap { $0.array?.last?.string }.prefix(2) == ["70", "6162"])
    }

    @Test("a message over the limit is refused with 1009 and never handed over")
    func tooBig() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.messageBytesMax = 100_000
        let port = try await loop.listen(server, limits: limits)
        let client = try Python("websocket_client", "send_size", "ws://127.0.0.1:\(port)/", "100001")
        #expect(try await client.next()["code"]?.int == 1009)
        #expect(try await server.nextClosed() == .local(code: 1009))
        #expect(!server.events.all.contains { if case .received = $0 { true } else { false } })
    }

    @Test("a message of exactly the limit passes")
    func justFits() async throws {
        let loop = try await TestLoop.start()
        var limits = Limits()
        limits.messageBytesMax = 100_000
        let port = try await loop.listen(TestServer(), limits: limits)
        let client = try Python("websocket_client", "echo_sizes", "ws://127.0.0.1:\(port)/", "100000")
        #expect(try await client.next() == ["echoed": .number(2)])
    }

    @Test("a message in endless tiny fragments is refused with 1009")
    func tooManyFragments() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.fragmentsMax = 100
        let port = try await loop.listen(server, limits: limits)
        let client = try Python("websocket_client", "many_fragments", "\(port)", "200")
        #expect(try await client.next()["code"]?.int == 1009)
        #expect(try await server.nextClosed() == .local(code: 1009))
    }

    @Test("text that is not UTF-8 is refused with 1007", arguments: ["ff", "c328", "eda080", "f8888080"])
    func invalidText(payload: String) async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "raw_frames", "\(port)", "1:1:1:0:\(payload)")
        let frames = try await client.next()["frames"]?.array ?? []
        #expect(frames.count == 1)
        #expect(frames.first?.array?.first?.int == 8)
        #expect(frames.first?.array?.last?.string?.hasPrefix("03ef") == true)
        _ = try await server.nextClosed()
        #expect(!server.events.all.contains { if case .received = $0 { true } else { false } })
    }

    @Test(
        "a breach of the protocol ends the connection",
        arguments: [
            "3:1:1:0:00",  // a reserved opcode
            "1:1:1:64:00",  // a reserved bit
            "9:0:1:0:00",  // a fragmented ping
            "0:1:1:0:00",  // a continuation of nothing
        ])
    func protocolBreach(frame: String) async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "raw_frames", "\(port)", frame, "1:1:1:0:6869")
        let frames = try await client.next()["frames"]?.array ?? []
        #expect(!frames.contains { $0.array?.first?.int == 1 })
        _ = try await server.nextClosed()
        #expect(server.closedCount == 1)
    }

    @Test("unmasked frames are taken: a deviation of libwebsockets 4.1.6 that is known and documented")
    func unmaskedFrames() async throws {
        let loop = try await TestLoop.start()
        let port = try await loop.listen(TestServer())
        let client = try Python("websocket_client", "raw_frames", "\(port)", "1:1:0:0:6869")
        let frames = try await client.next()["frames"]?.array ?? []
        #expect(frames.first?.array?.first?.int == 1)
    }

    @Test("one message goes to many connections from one buffer")
    func fanOut() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let message = OutgoingMessage(text: String(repeating: "ä", count: 50_000))
        server.onOpened = { loop, connection in
            for _ in 0..<20 { loop.send(message, to: connection) }
            loop.close(connection, code: 4000, reason: "that was all")
        }
        let port = try await loop.listen(server)
        let clients = try (0..<4).map { _ in try Python("websocket_client", "read_until_closed", "ws://127.0.0.1:\(port)/") }
        for client in clients {
            let result = try await client.next()
            #expect(result["messages"]?.int == 20)
            #expect(result["code"]?.int == 4000)
            #expect(result["reason"]?.string == "that was all")
        }
    }

    @Test("whoever begins more messages than all together may hold is closed; one that another began stays")
    func tooMuchUnfinished() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.unfinishedBytesMax = 100_000
        limits.unfinishedCloseCode = 4029
        let port = try await loop.listen(server, limits: limits)
        let modest = try Python("websocket_client", "begun_messages", "\(port)", "1", "10000")
        _ = try await modest.next()
        let modestID = try await server.nextOpened()
        server.holder = { $0 == modestID ? "modest" : "greedy" }
        let greedy = try Python("websocket_client", "begun_messages", "\(port)", "30", "10000")
        _ = try await greedy.next()
        for _ in 0..<21 { #expect(try await server.nextClosed() == .local(code: 4029)) }
        #expect(try await loop.run { $0.unfinished.bytes } <= 100_000)
        for client in [modest, greedy] { client.tell() }
        let kept = try await modest.next()
        #expect(kept["answered"]?.int == 1 && kept["codes"] == .object([:]))
        #expect(try await greedy.next()["answered"]?.int ?? 0 <= 9)
        while try await loop.run({ $0.connectionCount }) > 0 { _ = try await server.nextClosed() }
        #expect(try await loop.run { $0.unfinished.bytes } == 0)
    }

    @Test(
        "a message that does not come in whole in time is closed, whatever else its peer answers; one whose peer is not read is not"
    )
    func messageDeadline() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.messageDeadline = .seconds(1)
        let port = try await loop.listen(server, limits: limits)
        let client = try Python("websocket_client", "begun_messages", "\(port)", "2", "100")
        _ = try await client.next()
        let paused = try await server.nextOpened()
        try await loop.run { $0.pauseReading(paused) }
        #expect(try await server.nextClosed() == .local(code: 1013))
        try await loop.run { $0.resumeReading(paused) }
        client.tell()
        let result = try await client.next()
        #expect(result["codes"] == .object(["1013": .number(1)]) && result["answered"]?.int == 1)
    }

    @Test("reading can be paused and resumed without loss")
    func pausedReading() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        server.onMessage = { loop, message, connection in
            loop.pauseReading(connection)
            loop.schedule(after: .milliseconds(5)) {
                loop.resumeReading(connection)
                loop.send(OutgoingMessage(text: message.bytes), to: connection)
            }
        }
        let port = try await loop.listen(server)
        let client = try Python("websocket_client", "latency_beside", "ws://127.0.0.1:\(port)/", "20")
        #expect(try await client.next()["echoed"]?.int == 20)
    }
}
