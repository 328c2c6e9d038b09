import HeliographCrypto
import Foundation
import HeliographHTTP2
import HeliographTestSupport

/// A certificate for `localhost` and 127.0.0.1 that signs itself, made once.
enum TestCertificate {
    static let files: (certificate: String, key: String) = {
        do {
            let folder = try TemporaryFolders.make()
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=test", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                folder.appending(path: "key.pem").path, "-out", folder.appending(path: "certificate.pem").path,
            ]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw TestFailure("openssl failed") }
            return (folder.appending(path: "certificate.pem").path, folder.appending(path: "key.pem").path)
        } catch {
            fatalError("no certificate, no test: \(error)")
        }
    }()

    static func client(trusted: Bool = true) throws -> TLSContext {
        try TLSContext(clientProtocols: ["h2"], authorityFile: trusted ? files.certificate : nil)
    }

    static func server(protocols: [String] = ["h2"]) throws -> TLSContext {
        try TLSContext(serverProtocols: protocols, certificateFile: files.certificate, privateKeyFile: files.key)
    }
}

/// Records a client's events.
final class TestClient: HTTP2ClientHandler, Sendable {
    let events = EventLog<HTTP2ClientEvent>()

    func handle(_ event: HTTP2ClientEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        events.append(event)
    }

    func nextSettings() async throws -> Int {
        try await events.first { if case .settingsReceived(let max) = $0 { max } else { nil } }
    }

    func nextResponse() async throws -> (message: HTTP2Message, stream: HTTP2StreamID) {
        try await events.first { if case .responseReceived(let message, let stream) = $0 { (message, stream) } else { nil } }
    }

    func nextStreamEnd() async throws -> HTTP2StreamEnd {
        try await events.first { if case .streamEnded(_, let end) = $0 { end } else { nil } }
    }

    func nextClosed() async throws -> HTTP2CloseReason {
        try await events.first { if case .closed(let reason) = $0 { reason } else { nil } }
    }
}

/// Records a server's events; answers as its test orders.
final class TestServer: HTTP2ServerHandler, Sendable {
    typealias Answer = @Sendable (HTTP2ServerEvent, HTTP2ConnectionID, HTTP2Loop) -> Void

    let events = EventLog<HTTP2ServerEvent>()
    private let answer: Answer

    init(_ answer: @escaping Answer = TestServer.echo) { self.answer = answer }

    func handle(_ event: HTTP2ServerEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        events.append(event)
        answer(event, connection, loop)
    }

    /// 200, with the path as a header and the body as the body.
    static let echo: Answer = { event, _, loop in
        guard case .requestReceived(let request, let stream) = event else { return }
        let path = HTTP2Header("echo", request[":path"] ?? "")
        loop.respond(HTTP2Message(status: 200, headers: [path], body: request.body), to: stream)
    }

    func nextRequest() async throws -> (message: HTTP2Message, stream: HTTP2StreamID) {
        try await events.first { if case .requestReceived(let message, let stream) = $0 { (message, stream) } else { nil } }
    }

    func nextStreamEnd() async throws -> HTTP2StreamEnd {
        try await events.first { if case .streamEnded(_, let end) = $0 { end } else { nil } }
    }
}

/// A client and a server of one engine, connected by TLS.
struct TestPair {
    let engine: HTTP2Engine
    let client = TestClient()
    let server: TestServer
    let listener: HTTP2ListenerID
    let connection: HTTP2ConnectionID

    init(
        _ server: TestServer = TestServer(), client limits: HTTP2Limits = HTTP2Limits(),
        configure: (inout HTTP2ServerConfiguration) -> Void = { _ in }
    ) async throws {
        let engine = try HTTP2Engine()
        self.engine = engine
        self.server = server
        var configuration = HTTP2ServerConfiguration(tls: try TestCertificate.server())
        configure(&configuration)
        let (listening, client, tls) = (configuration, client, try TestCertificate.client())
        (listener, connection) = try await engine.run { loop in
            let listener = try loop.listen(listening, handler: server)
            var calling = HTTP2ClientConfiguration(host: "localhost", port: listener.port, address: "127.0.0.1", tls: tls)
            calling.limits = limits
            return (listener, loop.connect(calling, handler: client))
        }
    }

    @discardableResult
    func request(
        _ path: String = "/", body: [UInt8] = [], within limit: Duration = .seconds(60)
    ) async throws -> HTTP2StreamID {
        let connection = connection
        let message = HTTP2Message(
            headers: [
                HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "https"), HTTP2Header(":authority", "localhost"),
                HTTP2Header(":path", path, isVolatile: true),
            ], body: body)
        return try await engine.run { try $0.request(message, on: connection, deadline: $0.now + limit) }
    }

    /// The server's end of the connection.
    func serverConnection() async throws -> HTTP2ConnectionID {
        let listener = listener
        return try await engine.run { loop in
            guard let id = loop.connections(of: listener).first else { throw TestFailure("nobody is connected") }
            return id
        }
    }
}
