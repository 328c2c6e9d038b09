import ChannelAPNs
import HeliographCrypto
import Foundation
import HeliographHTTP2
import RelayProtocol
import HeliographTestSupport
import Testing

@testable import PushAPNs

/// nghttpd, a server of another make: it knows nothing of APNs, and answers a push with the file of that name.
private final class Nghttpd {
    let port: UInt16
    let folder: URL
    private let process = Process()

    /// Takes `streamsMax` at a time and knows the tokens `tokens`.
    init(streamsMax: Int, tokens: [String]) async throws {
        folder = try TemporaryFolders.make()
        let root = folder.appending(path: "root/3/device")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        for token in tokens { try Data("ok".utf8).write(to: root.appending(path: token)) }
        try Tool.run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=test", "-addext", "subjectAltName=DNS:api.push.apple.com", "-keyout",
            folder.appending(path: "tls.key").path, "-out", folder.appending(path: "tls.pem").path)
        try ES256PrivateKey().pem.write(to: folder.appending(path: "key.p8"), atomically: true, encoding: .utf8)
        port = try await Self.freePort(folder)
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "nghttpd", "-a", "127.0.0.1", "-m", String(streamsMax), "-d", folder.appending(path: "root").path, String(port),
            folder.appending(path: "tls.key").path, folder.appending(path: "tls.pem").path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        // The process inherits our signal mask, in which SIGTERM may be blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func client() throws -> APNsClient {
        let key = APNsKey(teamID: APNsPair.teamID, keyID: "KEY4567890", file: folder.appending(path: "key.p8").path)
        var configuration = APNsConfiguration(teams: [APNsTeam(teamID: APNsPair.teamID, keys: [.production: key])])
        configuration.authorityFile = folder.appending(path: "tls.pem").path
        configuration.limits.connectBackoffBase = .milliseconds(50)
        configuration.hosts[.devices] = [.production: .init("api.push.apple.com", port: port, address: "127.0.0.1")]
        return try APNsClient(configuration)
    }

    /// A port that was free a moment ago.
    private static func freePort(_ folder: URL) async throws -> UInt16 {
        let tls = try TLSContext(
            serverProtocols: ["h2"], certificateFile: folder.appending(path: "tls.pem").path,
            privateKeyFile: folder.appending(path: "tls.key").path)
        return try await HTTP2Engine().run { loop in
            let listener = try loop.listen(HTTP2ServerConfiguration(tls: tls), handler: FakeAPNs { _, _, _ in })
            loop.close(listener)
            return listener.port
        }
    }
}

@Suite("A server of another make", .timeLimit(.minutes(2)))
struct OtherMakeTests {
    @Test(arguments: [1, 7, 100]) func `it takes all pushes, however few at a time`(streamsMax: Int) async throws {
        let server = try await Nghttpd(streamsMax: streamsMax, tokens: (0..<100).map { "aa\($0)" })
        let client = try server.client()
        let outcomes = await withTaskGroup(of: APNsOutcome.self) { group in
            for number in 0..<100 { group.addTask { await client.send(APNsPair.push(number)) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes {
            guard case .accepted = outcome.result else { throw TestFailure("\(outcome)") }
            #expect(outcome.attempts == 1)
        }
        #expect(await client.lanes().first?.connection?.peerStreamsMax == streamsMax)
    }

    @Test func `its refusals and its end are outcomes`() async throws {
        let server = try await Nghttpd(streamsMax: 10, tokens: ["aa1"])
        let client = try server.client()
        let unknown = await client.send(APNsPair.push(2))
        #expect(unknown.result == .refused(status: 404, nil, text: "", .fixRequest))
        server.stop()
        let late = await client.send(APNsPair.push(1) { $0.patience = .milliseconds(300) })
        guard case .notSent(.patienceOver(let trouble?)) = late.result else { throw TestFailure("\(late)") }
        #expect(trouble.contains("refused"))
    }
}
