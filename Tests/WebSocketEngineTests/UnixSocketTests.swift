import Foundation
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("Unix-domain sockets carry HTTP and WebSockets", .serialized)
struct UnixSocketTests {
    private func path() -> String { "/tmp/heliograph-test-\(UUID().uuidString.prefix(8)).sock" }

    @Test("the socket file is its owner's alone, the peer is known, and both protocols work")
    func bothProtocols() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let path = path()
        _ = try await loop.listen(ListenerConfiguration(address: .unix(path: path)), server)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try await Python("http_client", "get", path, "/x").next()["body"]?.string == "GET /x - 0")
        let (request, _) = try await server.nextRequest()
        guard case .unix(let userID, let processID) = request.peer else { throw TestFailure("not a Unix peer") }
        #expect(userID == getuid())
        #expect(processID > 0)
        #expect(try await Python("websocket_client", "unix_echo", path).next()["text"]?.string == "over a socket file")
        try await loop.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a stale socket file is replaced; one that is answered, or another file, is left alone")
    func staleFiles() async throws {
        let loop = try await TestLoop.start()
        let path = path()
        _ = try await loop.listen(ListenerConfiguration(address: .unix(path: path)), TestServer())
        await #expect(throws: WebSocketEngineError.self) {
            _ = try await loop.listen(ListenerConfiguration(address: .unix(path: path)), TestServer())
        }
        #expect(try await Python("http_client", "get", path, "/").next()["status"]?.int == 200)

        let stale = self.path()
        let maker = Process()
        maker.executableURL = URL(filePath: "/usr/bin/env")
        maker.arguments = ["python3", "-c", "import socket; socket.socket(socket.AF_UNIX).bind('\(stale)')"]
        try maker.run()
        maker.waitUntilExit()
        #expect(FileManager.default.fileExists(atPath: stale))
        _ = try await loop.listen(ListenerConfiguration(address: .unix(path: stale)), TestServer())
        #expect(try await Python("http_client", "get", stale, "/").next()["status"]?.int == 200)

        let file = self.path()
        try Data("precious".utf8).write(to: URL(filePath: file))
        await #expect(throws: WebSocketEngineError.self) {
            _ = try await loop.listen(ListenerConfiguration(address: .unix(path: file)), TestServer())
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        try FileManager.default.removeItem(atPath: file)
    }

    @Test("a deferred answer waits over a socket file, and the peer's leaving is noticed")
    func deferred() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        server.answer = { _ in nil }
        let path = path()
        _ = try await loop.listen(ListenerConfiguration(address: .unix(path: path)), server)
        let client = try Python("http_client", "ask_and_leave", path, "/wait")
        _ = try await client.next()
        let (_, id) = try await server.nextRequest()
        client.tell()
        _ = try await server.events.next(within: .seconds(5)) { if case .aborted(id) = $0 { true } else { false } }
    }
}
