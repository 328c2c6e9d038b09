import Foundation
import Logging
import HeliographTestSupport
import Testing

@testable import WebSocketEngine

// Serialized, because each test has its own processes, and the machine few processors.
@Suite("TLS is verified", .serialized)
struct TLSTests {
    private let folder: URL

    init() throws {
        folder = try TemporaryFolders.make()
        for name in ["right", "other"] {
            try Self.openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", file("\(name).key"), "-out",
                file("\(name).pem"))
        }
    }

    private func file(_ name: String) -> String { folder.appending(path: name).path }

    private static func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure("openssl failed: \(arguments)") }
    }

    private func listen(_ loop: TestLoop, _ server: TestServer, limits: Limits = Limits()) async throws -> UInt16 {
        let configuration = ListenerConfiguration(
            address: .tcp(host: "127.0.0.1", port: 0),
            tls: .init(certificateFile: file("right.pem"), privateKeyFile: file("right.key")), limits: limits)
        return UInt16(try await loop.listen(configuration, server).port)
    }

    @Test("the right authority and name open a connection that carries messages", arguments: ["localhost", "127.0.0.1"])
    func verified(host: String) async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await listen(loop, server)
        // A plain listener beside it is not confused with it.
        let plain = try await loop.listen(TestServer())
        let client = TestClient()
        let authority = file("right.pem")
        let id = try await loop.run { loop in
            try loop.connect(
                ClientConfiguration(host: host, port: port, tls: true, certificateAuthorityFile: authority), handler: client)
        }
        _ = try await client.nextOpened()
        let text = String(repeating: "s", count: 200_000)
        try await loop.run { $0.send(OutgoingMessage(text: text), to: id) }
        #expect(try await client.nextMessage().bytes == Array(text.utf8))
        guard case .upgradeRequested(let request, _) = server.events.all.first else { throw TestFailure("no request") }
        #expect(request.isTLS)
        #expect(try await Python("http_client", "get", "\(plain)", "/").next()["status"]?.int == 200)
    }

    @Test("an unknown authority, another authority and a wrong name are failures")
    func notVerified() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await listen(loop, server)
        let other = file("other.pem")
        let right = file("right.pem")
        var wrongName = ClientConfiguration(host: "127.0.0.2", port: port, tls: true, certificateAuthorityFile: right)
        wrongName.connectTimeout = .seconds(10)
        let listener = ListenerConfiguration(
            address: .tcp(host: "127.0.0.2", port: port), tls: .init(certificateFile: right, privateKeyFile: file("right.key")))
        _ = try await loop.listen(listener, server)
        for configuration in [
            ClientConfiguration(host: "localhost", port: port, tls: true),
            ClientConfiguration(host: "localhost", port: port, tls: true, certificateAuthorityFile: other), wrongName,
        ] {
            let client = TestClient()
            _ = try await loop.run { try $0.connect(configuration, handler: client) }
            let reason = try await client.nextClosed()
            guard case .failed = reason else { throw TestFailure("\(reason)") }
            #expect(client.events.all.count == 1)
        }
        #expect(server.events.all.isEmpty)
    }

    @Test("a loop that is made on another thread meanwhile disturbs nobody who looks at a certificate")
    func loopsMeanwhile() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let target = ClientConfiguration(
            host: "127.0.0.1", port: try await listen(loop, server), tls: true, certificateAuthorityFile: file("right.pem"))
        let isEnough = EventLog<Bool>()
        let failed = EventLog<Bool>()
        Thread {
            while isEnough.all.isEmpty {
                do { try EventLoop.run(logger: Logger(label: "engine.test")) { $0.stop() } } catch { failed.append(true) }
            }
        }.start()
        defer { isEnough.append(true) }
        for _ in 0..<50 {
            let client = TestClient()
            let id = try await loop.run { try $0.connect(target, handler: client) }
            _ = try await client.nextOpened()
            try await loop.run { $0.drop(id) }
        }
        #expect(failed.all.isEmpty)
    }

    @Test("it speaks TLS 1.3 and HTTP/1.1, and nothing older than TLS 1.2")
    func versions() async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        let port = try await listen(loop, server)
        let result = try await Python("http_client", "tls", "\(port)", file("right.pem"), "1.3").next()
        #expect(result["version"]?.string == "TLSv1.3")
        #expect(result["alpn"]?.string == "http/1.1")
        #expect(result["text"]?.string?.hasSuffix("GET /tls - 0") == true)
        #expect(try await Python("http_client", "tls", "\(port)", file("right.pem"), "1.1").next()["error"] != nil)
    }

    @Test("one too many is told so after its handshake, if not too many are being told", arguments: [2, 0])
    func told(toldMax: Int) async throws {
        let loop = try await TestLoop.start()
        let server = TestServer()
        var limits = Limits()
        limits.connectionsMax = 1
        limits.toldMax = toldMax
        let target = ClientConfiguration(
            host: "localhost", port: try await listen(loop, server, limits: limits), tls: true,
            certificateAuthorityFile: file("right.pem"))
        let inside = TestClient()
        _ = try await loop.run { try $0.connect(target, handler: inside) }
        _ = try await inside.nextOpened()
        for _ in 0..<2 {
            let outside = TestClient()
            _ = try await loop.run { try $0.connect(target, handler: outside) }
            switch try await outside.nextClosed() {
            case .refused(503, let later?):
                #expect(toldMax > 0 && (1...limits.retryAfterSecondsMax).contains(Int(later.components.seconds)))
            case let reason:
                #expect(toldMax == 0, "\(reason)")
            }
            _ = try await server.events.next { if case .turnedAway(.connections) = $0 { true } else { false } }
        }
        #expect(server.events.all.count { if case .upgradeRequested = $0 { true } else { false } } == 1)
    }

    @Test("a certificate that cannot be read is an error at once")
    func unreadable() async throws {
        let loop = try await TestLoop.start()
        await #expect(throws: WebSocketEngineError.self) {
            _ = try await loop.listen(
                ListenerConfiguration(
                    address: .tcp(host: "127.0.0.1", port: 0),
                    tls: .init(certificateFile: "/nowhere", privateKeyFile: "/nowhere")),
                TestServer())
        }
        await #expect(throws: WebSocketEngineError.self) {
            _ = try await loop.run { loop in
                try loop.connect(
                    ClientConfiguration(host: "localhost", port: 1, tls: true, certificateAuthorityFile: "/nowhere"),
                    handler: TestClient())
            }
        }
    }
}
