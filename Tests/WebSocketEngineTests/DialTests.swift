import Foundation
import Glibc
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("A client whose connection is opened elsewhere", .serialized)
struct DialTests {
    @Test("carries every class of length both ways, and the close code at the end")
    func echo() async throws {
        let loop = try await TestLoop.start()
        let server = try Python("websocket_server", "echo")
        let port = UInt16(try await server.next()["port"]?.int ?? 0)
        // Only the header has this name: it is not resolved.
        var configuration = ClientConfiguration(host: "relay.invalid", port: 443, headers: [("Authorization", "Bearer secret")])
        configuration.dial = { .success(Self.connect(port)) }
        let client = TestClient()
        let id = try await loop.run { [configuration] in try $0.connect(configuration, handler: client) }
        _ = try await client.nextOpened()
        #expect(try await server.next()["host"]?.string == "relay.invalid:443")
        for size in [0, 125, 65_536, 1 << 20, 1 << 20] {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try await loop.run { $0.send(OutgoingMessage(binary: bytes), to: id) }
            #expect(try await client.nextMessage().bytes == bytes)
        }
        try await loop.run { $0.close(id, code: 4000, reason: "done") }
        #expect(try await client.nextClosed() == .local(code: 4000))
        #expect(try await server.next()["code"]?.int == 4000)
    }

    @Test("says why there is none, in the words of what opens it")
    func failure() async throws {
        let loop = try await TestLoop.start()
        var configuration = ClientConfiguration(host: "relay.invalid", port: 443)
        configuration.dial = { .failure(WebSocketEngineError(.cannotConnect, "the proxy is away")) }
        let client = TestClient()
        _ = try await loop.run { [configuration] in try $0.connect(configuration, handler: client) }
        #expect(try await client.nextClosed() == .failed("the proxy is away"))
    }

    @Test("notices when the server is gone")
    func gone() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = UInt16(try await loop.listen(server))
        var configuration = ClientConfiguration(host: "localhost", port: port)
        configuration.dial = { .success(Self.connect(port)) }
        let client = TestClient()
        _ = try await loop.run { [configuration] in try $0.connect(configuration, handler: client) }
        _ = try await client.nextOpened()
        let id = try await server.nextOpened()
        try await loop.run { $0.drop(id) }
        guard case .failed = try await client.nextClosed() else { throw TestFailure("\(client.events.all)") }
    }

    @Test("lets no other process into the bridge to its server")
    func foreign() async throws {
        var ends: [Int32] = [-1, -1]
        let made = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        #expect(made == 0)
        let server = ends[1]
        let bridge = try SocketBridge.open(to: ends[0]).get()
        let ended = EventLog<Bool>()
        Thread {
            bridge.run()
            ended.append(true)
        }.start()
        let script = "import socket,sys;s=socket.socket(socket.AF_UNIX);s.connect(chr(0)+sys.argv[1]);sys.exit(len(s.recv(1)))"
        let other = Process()
        other.executableURL = URL(filePath: "/usr/bin/env")
        other.arguments = ["python3", "-c", script, String(bridge.path.dropFirst())]
        try other.run()
        other.waitUntilExit()
        #expect(other.terminationStatus == 0)

        let own = Self.connect(toAbstract: bridge.path.dropFirst())
        Self.write("out", to: own)
        #expect(Self.read(from: server) == "out")
        Self.write("back", to: server)
        #expect(Self.read(from: own) == "back")
        // Bytes sent before the end still arrive.
        Self.write("bye", to: own)
        close(own)
        #expect(Self.read(from: server) == "bye")
        #expect(Self.read(from: server) == "")
        _ = try await ended.next { _ in true }
        close(server)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
        precondition(count == bytes.count, "a few bytes fit")
    }

    private static func read(from descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private static func connect(toAbstract name: Substring) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(name.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Glibc.connect(descriptor, $0, length) }
        }
        precondition(status == 0, "the bridge is gone")
        return descriptor
    }

    private static func connect(_ port: UInt16) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(status == 0, "the server is gone")
        return descriptor
    }
}
