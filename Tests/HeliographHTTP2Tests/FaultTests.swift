import HeliographHTTP2
import HeliographTestSupport
import Testing

@Suite("Faults of a server, as its client sees them", .timeLimit(.minutes(2)))
struct FaultTests {
    /// A server that does `fault` with each request.
    private func pair(
        _ fault: @escaping @Sendable (HTTP2StreamID, HTTP2Loop) -> Void,
        configure: (inout HTTP2ServerConfiguration) -> Void = { _ in }
    ) async throws -> TestPair {
        let server = TestServer { event, _, loop in
            if case .requestReceived(_, let stream) = event { fault(stream, loop) }
        }
        let pair = try await TestPair(server, configure: configure)
        _ = try await pair.client.nextSettings()
        return pair
    }

    @Test func `a reset before the headers, and one after them`() async throws {
        let before = try await pair { stream, loop in loop.reset(stream, .internalError) }
        try await before.request()
        #expect(try await before.client.nextStreamEnd() == .reset(.internalError))
        let after = try await pair { stream, loop in
            loop.sendHeaders([HTTP2Header(":status", "200")], to: stream)
            loop.schedule(after: .milliseconds(20)) { $0.reset(stream, .refusedStream) }
        }
        try await after.request()
        #expect(try await after.client.nextStreamEnd() == .reset(.refusedStream))
        #expect(try await after.server.nextStreamEnd() == .resetHere(.refusedStream))
    }

    @Test func `no answer at all ends with the request's deadline, and the connection stays`() async throws {
        let pair = try await pair { stream, loop in
            if stream.number > 1 { loop.respond(HTTP2Message(status: 200), to: stream) }
        }
        try await pair.request(within: .milliseconds(100))
        #expect(try await pair.client.nextStreamEnd() == .deadlinePassed)
        #expect(try await pair.server.nextStreamEnd() == .reset(.cancel))
        try await pair.request()
        #expect(try await pair.client.nextResponse().message.status == 200)
    }

    @Test func `an answer that stops in the middle ends with the deadline`() async throws {
        let pair = try await pair { stream, loop in
            loop.sendHeaders([HTTP2Header(":status", "410")], to: stream)
            loop.sendBody([1, 2, 3], to: stream, isWhole: false)
        }
        try await pair.request(within: .milliseconds(200))
        #expect(try await pair.client.nextStreamEnd() == .deadlinePassed)
    }

    @Test func `GOAWAY refuses the streams above its last one and lets the others end`() async throws {
        let pair = try await pair { stream, loop in
            guard stream.number == 5 else { return }
            let debug = Array(#"{"reason":"Shutdown"}"#.utf8)
            loop.goAway(stream.connection, lastStream: 3, debug: debug)
            for number in [Int32(1), 3] {
                let early = HTTP2StreamID(connection: stream.connection, number: number)
                loop.respond(HTTP2Message(status: 200), to: early)
            }
        }
        for _ in 1...3 { try await pair.request() }
        let goAway = try await pair.client.events.next { if case .goAwayReceived = $0 { true } else { false } }
        #expect(goAway == .goAwayReceived(lastStream: 3, .noError, debug: Array(#"{"reason":"Shutdown"}"#.utf8)))
        #expect(try await pair.client.nextStreamEnd() == .reset(.refusedStream))
        #expect(try await pair.client.nextResponse().stream.number == 1)
        #expect(try await pair.client.nextResponse().stream.number == 3)
        // Neither side has anything left to send.
        _ = try await pair.client.nextClosed()
        await #expect(throws: HTTP2Error.self) { try await pair.request() }
    }

    @Test(arguments: [0, 1, 8, 9, 12]) func `a connection that is cut in the middle of a frame`(bytes: Int) async throws {
        let pair = try await pair { stream, loop in
            loop.cut(stream.connection, afterBytes: bytes)
            loop.respond(HTTP2Message(status: 200, body: [UInt8](repeating: 0x20, count: 1_000)), to: stream)
        }
        try await pair.request()
        #expect(try await pair.client.nextStreamEnd() == .connectionLost(wasSent: true))
        let reason = try await pair.client.nextClosed()
        switch reason {
        // Without the end of TLS that is no orderly end.
        case .byPeer, .networkFailed: break
        default: throw TestFailure("\(reason)")
        }
    }

    @Test(arguments: [true, false]) func `a connection that is dropped`(byReset: Bool) async throws {
        let pair = try await pair { stream, loop in loop.drop(stream.connection, byReset: byReset) }
        try await pair.request()
        #expect(try await pair.client.nextStreamEnd() == .connectionLost(wasSent: true))
        let reason = try await pair.client.nextClosed()
        if byReset {
            guard case .networkFailed = reason else { throw TestFailure("\(reason)") }
        } else {
            #expect(reason == .byPeer)
        }
    }

    @Test func `a black hole answers no PING and no request`() async throws {
        let pair = try await pair { stream, loop in loop.stall(stream.connection) }
        let connection = pair.connection
        pair.engine.execute { $0.ping(connection) }
        _ = try await pair.client.events.next { $0 == .pingAnswered }
        try await pair.request(within: .milliseconds(200))
        _ = try await pair.server.nextRequest()
        pair.engine.execute { $0.ping(connection) }
        #expect(try await pair.client.nextStreamEnd() == .deadlinePassed)
        #expect(pair.client.events.all.filter { $0 == .pingAnswered }.count == 1)
        pair.engine.execute { $0.drop(connection) }
        #expect(try await pair.client.nextClosed() == .here)
    }

    @Test func `a request is not sent over the limit, which may rise and fall`() async throws {
        let pair = try await TestPair(TestServer { _, _, _ in }) { $0.streamsMax = 1 }
        #expect(try await pair.client.nextSettings() == 1)
        let first = try await pair.request()
        await #expect(throws: HTTP2Error(.streamLimit, "as many streams are open as the peer allows")) {
            try await pair.request()
        }
        let server = try await pair.serverConnection()
        pair.engine.execute { $0.sendSettings(server, streamsMax: 2) }
        #expect(try await pair.client.nextSettings() == 2)
        try await pair.request()
        pair.engine.execute { $0.sendSettings(server, streamsMax: 0) }
        #expect(try await pair.client.nextSettings() == 0)
        let serverStream = HTTP2StreamID(connection: server, number: first.number)
        pair.engine.execute { $0.respond(HTTP2Message(status: 200), to: serverStream) }
        _ = try await pair.client.nextResponse()
        await #expect(throws: HTTP2Error.self) { try await pair.request() }
    }

    @Test func `a body waits for the window, and a connection that ends then was not sent the whole request`() async throws {
        let pair = try await pair({ stream, loop in loop.respond(HTTP2Message(status: 200), to: stream) }) {
            $0.streamWindowBytes = 1_000
            $0.faults.holdsWindow = true
        }
        try await pair.request(body: [UInt8](repeating: 1, count: 1_500))
        let server = try await pair.serverConnection()
        #expect(!pair.server.events.all.contains { if case .requestReceived = $0 { true } else { false } })
        pair.engine.execute { $0.ping(pair.connection) }
        _ = try await pair.client.events.next { $0 == .pingAnswered }
        pair.engine.execute { $0.releaseWindow(server) }
        #expect(try await pair.client.nextResponse().message.status == 200)
        #expect(try await pair.server.nextRequest().message.body.count == 1_500)
        try await pair.request(body: [UInt8](repeating: 1, count: 1_500))
        pair.engine.execute { $0.ping(pair.connection) }
        _ = try await pair.client.events.next { $0 == .pingAnswered }
        pair.engine.execute { $0.drop(server) }
        #expect(try await pair.client.nextStreamEnd() == .connectionLost(wasSent: false))
    }

    @Test func `a body over the limit resets its stream only`() async throws {
        let pair = try await TestPair { $0.limits.bodyBytesMax = 100 }
        _ = try await pair.client.nextSettings()
        try await pair.request(body: [UInt8](repeating: 1, count: 101))
        #expect(try await pair.client.nextStreamEnd() == .reset(.cancel))
        #expect(try await pair.server.nextStreamEnd() == .tooLarge)
        try await pair.request(body: [UInt8](repeating: 1, count: 100))
        #expect(try await pair.client.nextResponse().message.body.count == 100)
    }

    @Test func `an answer before the whole request is an answer`() async throws {
        let pair = try await TestPair(TestServer { _, _, _ in }) {
            $0.streamWindowBytes = 10
            $0.faults.holdsWindow = true
        }
        _ = try await pair.client.nextSettings()
        let stream = try await pair.request(body: [UInt8](repeating: 1, count: 100))
        let server = try await pair.serverConnection()
        pair.engine.execute {
            $0.respond(HTTP2Message(status: 413), to: HTTP2StreamID(connection: server, number: stream.number))
        }
        #expect(try await pair.client.nextResponse().message.status == 413)
        let connection = pair.connection
        #expect(try await pair.engine.run { $0.state(of: connection)?.streamsOpen } == 0)
    }

    @Test(arguments: ["line\r\nbreak", "nul\0", "del\u{7F}"]) func `a header that cannot be sent is an error`(value: String)
        async throws
    {
        let pair = try await TestPair()
        _ = try await pair.client.nextSettings()
        await #expect(throws: HTTP2Error.self) { try await pair.request(value) }
        try await pair.request("/fine")
        #expect(try await pair.client.nextResponse().message["echo"] == "/fine")
    }
}
