import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("The opening handshake is checked", .serialized)
struct HandshakeTests {
    @Test(
        "a handshake of the wrong form is refused before the handler sees it",
        arguments: [
            "POST", "HTTP/1.0", "version 8", "no version", "no key", "short key", "key of 18 bytes", "key not base64",
            "two keys",
            "two hosts", "no host", "a body", "h2c", "other upgrade",
        ])
    func wrongForm(name: String) async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server)
        let result = try await Python("websocket_client", "wrong_handshake", "\(port)", name).next()
        let status = result["status"]?.int
        #expect(status == nil || status == 400 || status == 426 || status == 403, "\(result)")
        #expect(server.events.all.isEmpty)
    }

    @Test("the handler's refusal reaches the client with status and body")
    func refusal() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        server.decide = { _ in .refuse(status: 401, body: "show a token") }
        let port = try await loop.listen(server)
        let result = try await Python("websocket_client", "negotiate", "ws://127.0.0.1:\(port)/v1/client").next()
        #expect(result == ["status": .number(401), "body": .string("show a token\n")])
        #expect(server.events.all.count == 1)
    }

    @Test("the handler sees path, query, headers and peer")
    func requestFields() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await loop.listen(server, subprotocols: ["b"])
        _ = try await Python("websocket_client", "negotiate", "ws://127.0.0.1:\(port)/v1/host?a=1&b=2", "a", "b").next()
        guard case .upgradeRequested(let request, _) = server.events.all.first else { throw TestFailure("no request") }
        #expect(request.method == "GET")
        #expect(request.path == "/v1/host")
        #expect(request.query == "a=1&b=2")
        #expect(request.header("Host") == "127.0.0.1:\(port)")
        #expect(request.header("user-agent")?.contains("websockets") == true)
        #expect(request.offeredSubprotocols == ["a", "b"])
        #expect(request.peer == .ip("127.0.0.1"))
        #expect(!request.isTLS)
    }

    @Test("the handler chooses the subprotocol, whatever the client prefers")
    func chosenSubprotocol() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        server.decide = { request in .accept(subprotocol: request.path == "/none" ? nil : String(request.path.dropFirst())) }
        let port = try await loop.listen(server, subprotocols: ["one", "two", "three"])
        for (path, expected) in [("two", PeerValue.string("two")), ("three", .string("three")), ("none", .null)] {
            let result = try await Python(
                "websocket_client", "negotiate", "ws://127.0.0.1:\(port)/\(path)", "unknown", "one", "two", "three"
            ).next()
            #expect(result == ["subprotocol": expected, "header": expected])
        }
    }

    @Test("a handshake that trickles in is cut at the deadline")
    func slowHandshake() async throws {
        let loop = try await TestLoop.start()
        var limits = Limits()
        limits.handshakeDeadline = .seconds(1)
        let port = try await loop.listen(TestServer(), limits: limits)
        #expect(
            try await Python("websocket_client", "slow_handshake", "\(port)").next(within: .seconds(15)) == ["cut": .bool(true)]
        )
        #expect(try await loop.run { $0.connectionCount } == 0)
    }

    @Test("of connections that say nothing only so many are kept: they make room for who comes then, who is not refused")
    func pendingCap() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.pendingMax = 10
        let port = try await loop.listen(server, limits: limits)
        let result = try await Python("websocket_client", "silent_connections", "\(port)", "25", "15").next()
        #expect(result["status"]?.int == 101)
        // The last connection took the place of one more, or of one that was left.
        #expect(server.events.all.count { if case .turnedAway(.pending) = $0 { true } else { false } } >= 15)
    }

    @Test("a storm of more than may be pending waits in the kernel: nobody is refused or hung up on")
    func stormBeyondPending() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.pendingMax = 4
        limits.acceptsPerTurnMax = 64
        let port = try await loop.listen(server, limits: limits)
        let result = try await Python("websocket_client", "storm", "\(port)", "200").next(within: .seconds(60))
        #expect(result["statuses"] == .object(["101": .number(200)]))
        #expect(!server.events.all.contains { if case .turnedAway = $0 { true } else { false } })
    }

    @Test("a storm is let in piece by piece: who is connected is served between, and nobody is refused")
    func storm() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.acceptsPerTurnMax = 2
        let port = try await loop.listen(server, limits: limits)
        let most = try await loop.run { loop in
            let most = LoopBound(Most(), loop: loop)
            loop.turnEnded = { most.value.note(loop.connectionCount) }
            return most
        }
        let client = try Python("websocket_client", "idle", "\(port)", "300")
        #expect(try await client.next(within: .seconds(60))["open"]?.int == 300)
        #expect(try await loop.run { _ in most.value.step } <= 2)
        client.tell()
        #expect(try await client.next(within: .seconds(60))["answered"]?.int == 300)
    }

    /// The most that a number grew by at once.
    private final class Most {
        private var last = 0
        private(set) var step = 0

        func note(_ count: Int) {
            step = max(step, count - last)
            last = count
        }
    }
}
