import Glibc
import HeliographPlatform
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("A listener on a socket that others hold, too", .serialized)
struct PassedSocketTests {
    @Test("serves as its own would, and leaves the socket listening for whoever comes next")
    func outlives() async throws {
        let held = try await Self.listening()
        defer { close(held.descriptor) }
        for turn in 1...2 {
            let loop = try await TestLoop.start()
            let server = TestServer()
            // The engine closes the descriptor, like a process that ends.
            let passed = try #require(PassedSocket(descriptor: dup(held.descriptor)))
            let listener = try await loop.run { loop in
                server.attach(loop)
                let listener = try loop.listen(ListenerConfiguration(address: .passed(passed)), handler: server)
                #expect(listener.port == held.port)
                return LoopBound(listener, loop: loop)
            }
            let client = TestClient()
            _ = try await loop.run { try $0.connect(ClientConfiguration(host: "127.0.0.1", port: held.port), handler: client) }
            _ = try await client.nextOpened()
            // Both ways in which a relay ends: with its listener closed first, and at once.
            if turn == 1 { try await loop.run { _ in listener.value.close() } }
            try await loop.stop()
            #expect(Self.connects(to: held.port), "after turn \(turn) connections wait, and are not refused")
        }
    }

    private static func listening() async throws -> (descriptor: Int32, port: UInt16) {
        let bound = try Binding.tcp(host: "127.0.0.1", port: 0)
        return (bound.descriptor, bound.port)
    }

    private static func connects(to port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
