import Foundation
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("A client connects to a server of another make", .serialized)
struct ClientTests {
    private func connect(
        _ loop: TestLoop, _ client: TestClient, _ configuration: ClientConfiguration
    ) async throws -> ConnectionID {
        try await loop.run { try $0.connect(configuration, handler: client) }
    }

    private func server(_ scenario: String) async throws -> (Python, UInt16) {
        let server = try Python("websocket_server", scenario)
        return (server, UInt16(try await server.next()["port"]?.int ?? 0))
    }

    @Test(
        "it sends its headers, agrees on the subprotocol, and echoes every class of length",
        arguments: ["127.0.0.1", "localhost"])
    func echo(host: String) async throws {
        let loop = try await TestLoop.start()
        let (server, port) = try await server("echo")
        let client = TestClient()
        let id = try await connect(
            loop, client,
            ClientConfiguration(
                host: host, port: port, path: "/v1/host?x=1", headers: [("Authorization", "Bearer secret")],
                subprotocol: "test.v1"))
        #expect(try await client.nextOpened() == "test.v1")
        let seen = try await server.next()
        #expect(seen["path"]?.string == "/v1/host?x=1")
        #expect(seen["authorization"]?.string == "Bearer secret")
        #expect(seen["host"]?.string == "\(host):\(port)")
        for size in [0, 1, 125, 126, 65_535, 65_536, 1 << 20] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await loop.run { $0.send(OutgoingMessage(binary: bytes), to: id) }
            let message = try await client.nextMessage()
            #expect(message.kind == .binary)
            #expect(message.bytes == bytes)
            let text = String(repeating: "é", count: size / 2)
            try await loop.run { $0.send(OutgoingMessage(text: text), to: id) }
            #expect(try await client.nextMessage().bytes == Array(text.utf8))
        }
        try await loop.run { $0.close(id, code: 4000, reason: "done") }
        #expect(try await client.nextClosed() == .local(code: 4000))
        let end = try await server.next()
        #expect(end["code"]?.int == 4000)
        #expect(end["reason"]?.string == "done")
    }

    @Test("a message that is sent to several servers is not spoilt by masking")
    func sharedMessage() async throws {
        let loop = try await TestLoop.start()
        let (first, port) = try await server("echo")
        let message = OutgoingMessage(text: "the same for all")
        for _ in 0..<3 {
            let client = TestClient()
            let id = try await connect(loop, client, ClientConfiguration(host: "127.0.0.1", port: port))
            #expect(try await client.nextOpened() == nil)
            try await loop.run { $0.send(message, to: id) }
            #expect(try await client.nextMessage().bytes == Array("the same for all".utf8))
        }
        _ = first
    }

    @Test("the server's close code and reason are told")
    func serverCloses() async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server("close_4001")
        let client = TestClient()
        _ = try await connect(loop, client, ClientConfiguration(host: "127.0.0.1", port: port))
        #expect(try await client.nextClosed() == .peer(code: 4001, reason: "go away"))
        _ = python
    }

    @Test("code 1013 is told; libwebsockets 4.1.6 shows it as 1002, a deviation that is known and documented")
    func registeredLaterCodes() async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server("close_1013")
        let client = TestClient()
        _ = try await connect(loop, client, ClientConfiguration(host: "127.0.0.1", port: port))
        let code: UInt16 = EventLoop.libraryVersion.hasPrefix("4.1.") ? 1002 : 1013
        #expect(try await client.nextClosed() == .peer(code: code, reason: "later"))
        _ = python
    }

    @Test(
        "a refusal is told with its status and when to come back, and redirects are not followed",
        arguments: [("unauthorized", UInt16(401), nil), ("redirect", 302, nil), ("busy", 429, Duration.seconds(7))])
    func refused(scenario: String, status: UInt16, retryAfter: Duration?) async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server(scenario)
        let client = TestClient()
        _ = try await connect(loop, client, ClientConfiguration(host: "127.0.0.1", port: port))
        #expect(try await client.nextClosed() == .refused(status: status, retryAfter: retryAfter))
        #expect(client.events.all.count == 1)
        _ = python
    }

    @Test("a server that vanishes is noticed")
    func vanishingServer() async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server("vanish")
        let client = TestClient()
        let id = try await connect(loop, client, ClientConfiguration(host: "127.0.0.1", port: port))
        _ = try await client.nextOpened()
        try await loop.run { $0.send(OutgoingMessage(text: "die"), to: id) }
        guard case .failed = try await client.nextClosed() else { throw TestFailure("\(client.events.all)") }
        _ = python
    }

    @Test("a server that falls silent is hung up on")
    func silentServer() async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server("silent")
        let client = TestClient()
        var configuration = ClientConfiguration(host: "127.0.0.1", port: port)
        configuration.liveness = Liveness(pingAfter: .milliseconds(500), hangUpAfter: .milliseconds(1500))
        _ = try await connect(loop, client, configuration)
        _ = try await client.nextOpened()
        python.signal(SIGSTOP)
        defer { python.signal(SIGCONT) }
        #expect(try await client.nextClosed(within: .seconds(6)) == .timedOut)
    }

    @Test("nobody there, no such name, and no such socket file end as failed, once, after connect has returned")
    func unreachable() async throws {
        let loop = try await TestLoop.start()
        for configuration in [
            ClientConfiguration(host: "127.0.0.1", port: 1), ClientConfiguration(host: "localhost", port: 1),
            ClientConfiguration(host: "no-such-name.invalid", port: 1), ClientConfiguration(unixPath: "/tmp/no-such-socket"),
        ] {
            let client = TestClient()
            let returned = try await loop.run { loop -> Bool in
                _ = try loop.connect(configuration, handler: client)
                return client.events.all.isEmpty
            }
            #expect(returned)
            guard case .failed = try await client.nextClosed() else { throw TestFailure("\(client.events.all)") }
            #expect(client.events.all.count == 1)
        }
        #expect(try await loop.run { $0.connectionCount } == 0)
    }

    @Test("a server that accepts and never answers is given up after the time-out")
    func connectTimeout() async throws {
        let loop = try await TestLoop.start()
        let silent = try Python("websocket_server", "echo")
        let port = UInt16(try await silent.next()["port"]?.int ?? 0)
        silent.signal(SIGSTOP)
        defer { silent.signal(SIGCONT) }
        let client = TestClient()
        var configuration = ClientConfiguration(host: "127.0.0.1", port: port)
        configuration.connectTimeout = .seconds(1)
        _ = try await connect(loop, client, configuration)
        #expect(try await client.nextClosed(within: .seconds(5)) == .timedOut)
    }

    @Test("a close before it is open ends it")
    func closedEarly() async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server("echo")
        let client = TestClient()
        try await loop.run { loop in
            let id = try loop.connect(ClientConfiguration(host: "127.0.0.1", port: port), handler: client)
            loop.close(id, code: 1001, reason: "")
        }
        #expect(try await client.nextClosed() == .local(code: 1001))
        #expect(client.events.all.count == 1)
        _ = python
    }

    @Test("it speaks over a socket file")
    func unixSocket() async throws {
        let loop = try await TestLoop.start()
        let path = "/tmp/heliograph-test-\(UUID().uuidString.prefix(8)).sock"
        let python = try Python("websocket_server", "echo", path)
        _ = try await python.next()
        let client = TestClient()
        let id = try await connect(loop, client, ClientConfiguration(unixPath: path))
        _ = try await client.nextOpened()
        try await loop.run { $0.send(OutgoingMessage(text: "hello"), to: id) }
        #expect(try await client.nextMessage().bytes == Array("hello".utf8))
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("fragments are put together")
    func fragments() async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server("fragments")
        let client = TestClient()
        _ = try await connect(loop, client, ClientConfiguration(host: "127.0.0.1", port: port))
        _ = try await client.nextOpened()
        #expect(try await client.nextMessage().bytes == Array("fragmented".utf8))
        _ = python
    }

    @Test("limits and UTF-8 are enforced against servers too", arguments: [("large", 1009), ("invalid_text", 1007)])
    func limits(scenario: String, code: Int) async throws {
        let loop = try await TestLoop.start()
        let (python, port) = try await server(scenario)
        let client = TestClient()
        var configuration = ClientConfiguration(host: "127.0.0.1", port: port)
        configuration.limits.messageBytesMax = 50_000
        _ = try await connect(loop, client, configuration)
        _ = try await client.nextOpened()
        let reason = try await client.nextClosed()
        if code == 1009 {
            #expect(reason == .local(code: 1009))
        } else {
            #expect(try await python.next()["code"]?.int == 1007)
        }
        #expect(!client.events.all.contains { if case .received = $0 { true } else { false } })
    }
}
