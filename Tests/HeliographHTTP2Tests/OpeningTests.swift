import HeliographCrypto
import Foundation
import HeliographHTTP2
import HeliographTestSupport
import Testing

@Suite("Opening and closing connections", .timeLimit(.minutes(2)))
struct OpeningTests {
    /// Calls a server and waits for the end that it comes to.
    private func reason(
        _ engine: HTTP2Engine, _ configuration: HTTP2ClientConfiguration
    ) async throws -> (HTTP2CloseReason, [HTTP2ClientEvent]) {
        let client = TestClient()
        _ = try await engine.run { $0.connect(configuration, handler: client) }
        return (try await client.nextClosed(), client.events.all)
    }

    private func listen(
        _ engine: HTTP2Engine, protocols: [String] = ["h2"], configure: (inout HTTP2ServerConfiguration) -> Void = { _ in }
    ) async throws -> UInt16 {
        var configuration = HTTP2ServerConfiguration(tls: try TestCertificate.server(protocols: protocols))
        configure(&configuration)
        let listening = configuration
        return try await engine.run { try $0.listen(listening, handler: TestServer()).port }
    }

    @Test func `a certificate that nobody vouches for is not trusted, nor one for another name`() async throws {
        let engine = try HTTP2Engine()
        let port = try await listen(engine)
        let untrusted = try HTTP2ClientConfiguration(
            host: "localhost", port: port, address: "127.0.0.1", tls: TestCertificate.client(trusted: false))
        let misnamed = try HTTP2ClientConfiguration(
            host: "api.push.apple.com", port: port, address: "127.0.0.1", tls: TestCertificate.client())
        let misaddressed = try HTTP2ClientConfiguration(
            host: "127.0.0.2", port: port, address: "127.0.0.1", tls: TestCertificate.client())
        for (configuration, word) in [
            (untrusted, "self-signed"), (misnamed, "hostname mismatch"), (misaddressed, "IP address mismatch"),
        ] {
            let (reason, events) = try await reason(engine, configuration)
            guard case .notTrusted(let sentence) = reason else { throw TestFailure("\(reason)") }
            #expect(sentence.lowercased().contains(word.lowercased()), "\(sentence)")
            #expect(events.count == 1)
        }
        // An address is a name like others.
        let client = TestClient()
        let right = try HTTP2ClientConfiguration(host: "127.0.0.1", port: port, tls: TestCertificate.client())
        _ = try await engine.run { $0.connect(right, handler: client) }
        #expect(try await client.nextSettings() == 100)
    }

    @Test func `a server without HTTP/2 is no server`() async throws {
        let engine = try HTTP2Engine()
        let port = try await listen(engine, protocols: ["http/1.1"])
        let (reason, _) = try await reason(
            engine, HTTP2ClientConfiguration(host: "localhost", port: port, address: "127.0.0.1", tls: TestCertificate.client())
        )
        guard case .tlsFailed = reason else { throw TestFailure("\(reason)") }
    }

    @Test func `names are looked up, and one that does not exist says so`() async throws {
        let engine = try HTTP2Engine()
        let port = try await listen(engine)
        let client = TestClient()
        let right = try HTTP2ClientConfiguration(host: "localhost", port: port, tls: TestCertificate.client())
        _ = try await engine.run { $0.connect(right, handler: client) }
        #expect(try await client.nextSettings() == 100)
        let (reason, _) = try await reason(
            engine, HTTP2ClientConfiguration(host: "nobody.invalid", port: port, tls: TestCertificate.client()))
        #expect(reason == .unreachable("no address is known for nobody.invalid"))
    }

    @Test func `a port that nobody listens on is unreachable`() async throws {
        let engine = try HTTP2Engine()
        let port = try await engine.run { loop in
            let listener = try loop.listen(HTTP2ServerConfiguration(tls: try TestCertificate.server()), handler: TestServer())
            loop.close(listener)
            return listener.port
        }
        let (reason, _) = try await reason(
            engine, HTTP2ClientConfiguration(host: "127.0.0.1", port: port, tls: TestCertificate.client()))
        guard case .unreachable(let sentence) = reason else { throw TestFailure("\(reason)") }
        #expect(sentence.contains("refused"))
    }

    @Test func `a server that says nothing, or no SETTINGS, is given up after the deadline`() async throws {
        let engine = try HTTP2Engine()
        let silent = try await listen(engine) { $0.faults.isSilent = true }
        let holding = try await listen(engine) { $0.faults.holdsSettings = true }
        for port in [silent, holding] {
            var configuration = try HTTP2ClientConfiguration(
                host: "localhost", port: port, address: "127.0.0.1", tls: TestCertificate.client())
            configuration.limits.openDeadline = .milliseconds(300)
            #expect(try await reason(engine, configuration).0 == .deadlinePassed)
        }
    }

    @Test func `SETTINGS that come late open the connection late`() async throws {
        // The test is not about how fast this machine is today.
        var limits = HTTP2Limits()
        limits.openDeadline = .seconds(60)
        let pair = try await TestPair(client: limits) {
            $0.faults.holdsSettings = true
            $0.limits.openDeadline = .seconds(60)
        }
        _ = try await pair.server.events.next { if case .opened = $0 { true } else { false } }
        let connection = pair.connection
        await #expect(throws: HTTP2Error.self) { try await pair.request() }
        #expect(pair.client.events.all.isEmpty)
        let server = try await pair.serverConnection()
        pair.engine.execute { $0.sendSettings(server, streamsMax: 3) }
        #expect(try await pair.client.nextSettings() == 3)
        #expect(try await pair.engine.run { $0.state(of: connection)?.isOpen } == true)
        _ = try await pair.server.events.next { $0 == .settingsAcknowledged }
    }

    @Test func `close lets what is open end, then both sides know`() async throws {
        let pair = try await TestPair(
            TestServer { event, _, loop in
                guard case .requestReceived(_, let stream) = event else { return }
                loop.schedule(after: .milliseconds(50)) { $0.respond(HTTP2Message(status: 200), to: stream) }
            })
        _ = try await pair.client.nextSettings()
        try await pair.request()
        _ = try await pair.server.nextRequest()
        let connection = pair.connection
        pair.engine.execute { $0.close(connection) }
        #expect(try await pair.client.nextResponse().message.status == 200)
        #expect(try await pair.client.nextClosed() == .here)
        _ = try await pair.server.events.next { $0 == .goAwayReceived(.noError) }
        _ = try await pair.server.events.next { if case .closed = $0 { true } else { false } }
    }

    @Test func `the end of the engine tells everybody, and takes nothing more`() async throws {
        let pair = try await TestPair(TestServer { _, _, _ in })
        _ = try await pair.client.nextSettings()
        try await pair.request()
        _ = try await pair.server.nextRequest()
        pair.engine.stop()
        #expect(try await pair.client.nextStreamEnd() == .connectionLost(wasSent: true))
        #expect(try await pair.client.nextClosed() == .here)
        #expect(pair.engine.execute { _ in } == false)
        await #expect(throws: HTTP2Error.self) { try await pair.request() }
    }

    @Test func `a certificate or key that cannot be used is an error at once`() throws {
        let files = TestCertificate.files
        #expect(throws: CryptoError.self) { try TLSContext(clientProtocols: ["h2"], authorityFile: "/nowhere") }
        #expect(throws: CryptoError.self) {
            try TLSContext(serverProtocols: ["h2"], certificateFile: "/nowhere", privateKeyFile: files.key)
        }
        #expect(throws: CryptoError.self) {
            try TLSContext(serverProtocols: ["h2"], certificateFile: files.certificate, privateKeyFile: files.certificate)
        }
    }
}
