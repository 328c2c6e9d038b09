import ChannelAPNs
import HeliographCrypto
import Foundation
import HeliographHTTP2
import RelayProtocol
import Synchronization

@testable import PushAPNs
import HeliographTestSupport

/// A server that handles each push as its test says, and records requests. (`APNsSimulator` is the one with Apple's rules.)
final class FakeAPNs: HTTP2ServerHandler, Sendable {
    typealias Script = @Sendable (HTTP2Message, HTTP2StreamID, HTTP2Loop) -> Void

    let requests = EventLog<HTTP2Message>()
    let connections = EventLog<HTTP2ConnectionID>()
    private let script: Script

    init(_ script: @escaping Script) { self.script = script }

    func handle(_ event: HTTP2ServerEvent, on connection: HTTP2ConnectionID, _ loop: HTTP2Loop) {
        switch event {
        case .opened: connections.append(connection)
        case .requestReceived(let message, let stream):
            requests.append(message)
            script(message, stream, loop)
        case .settingsAcknowledged, .streamEnded, .goAwayReceived, .closed: break
        }
    }

    /// 200, and the limit that APNs raises once it knows us.
    static let accept: Script = { _, stream, loop in
        if stream.number == 1 { loop.sendSettings(stream.connection, streamsMax: 100) }
        loop.respond(HTTP2Message(status: 200, headers: [HTTP2Header("apns-unique-id", "u-\(stream.number)")]), to: stream)
    }

    static func refuse(_ status: Int, _ reason: APNsReason, _ stream: HTTP2StreamID, _ loop: HTTP2Loop) {
        let body = Array(#"{"reason":"\#(reason.rawValue)","timestamp":1000}"#.utf8)
        loop.respond(HTTP2Message(status: status, body: body), to: stream)
    }
}

/// A client of ours and a server that plays APNs.
struct APNsPair {
    static let teamID = "TEAM567890"

    let engine: HTTP2Engine
    let server: FakeAPNs
    let client: APNsClient
    let clientConfiguration: APNsConfiguration
    let key: ES256PrivateKey
    let folder: URL
    var keyFile: String { folder.appending(path: "AuthKey_KEY4567890.p8").path }

    init(
        limits: APNsLimits = APNsLimits(), configure: (inout HTTP2ServerConfiguration) -> Void = { _ in },
        _ script: @escaping FakeAPNs.Script
    ) async throws {
        folder = try TemporaryFolders.make()
        let certificate = folder.appending(path: "certificate.pem").path
        let privateKey = folder.appending(path: "key.pem").path
        try Tool.run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj",
            "/CN=test", "-addext", "subjectAltName=DNS:api.push.apple.com,DNS:api.sandbox.push.apple.com", "-keyout",
            privateKey,
            "-out", certificate)
        key = ES256PrivateKey()
        engine = try HTTP2Engine()
        let server = FakeAPNs(script)
        self.server = server
        var listening = HTTP2ServerConfiguration(
            tls: try TLSContext(serverProtocols: ["h2"], certificateFile: certificate, privateKeyFile: privateKey),
            streamsMax: 1)
        configure(&listening)
        let configuration = listening
        let port = try await engine.run { try $0.listen(configuration, handler: server).port }
        let file = folder.appending(path: "AuthKey_KEY4567890.p8").path
        try key.pem.write(toFile: file, atomically: true, encoding: .utf8)
        let apnsKey = APNsKey(teamID: Self.teamID, keyID: "KEY4567890", file: file)
        var calling = APNsConfiguration(
            teams: [APNsTeam(teamID: Self.teamID, keys: [.production: apnsKey, .sandbox: apnsKey])])
        calling.authorityFile = certificate
        calling.tokenFolder = folder.path
        calling.limits = limits
        calling.hosts[.devices] = [
            .production: .init("api.push.apple.com", port: port, address: "127.0.0.1"),
            .sandbox: .init("api.sandbox.push.apple.com", port: port, address: "127.0.0.1"),
        ]
        client = try APNsClient(calling)
        clientConfiguration = calling
    }

    static func push(_ number: Int = 0, change: (inout APNsRequest) -> Void = { _ in }) -> APNsRequest {
        var request = APNsRequest(
            teamID: teamID, environment: .production, target: .device(token: "aa\(number)"),
            id: UUID().uuidString.lowercased())
        request.topic = "dev.example.push-type.liveactivity"
        request.pushType = "liveactivity"
        request.priority = 10
        request.expiration = 0
        request.payload = Array(#"{"aps":{"timestamp":\#(number),"event":"update","content-state":{}}}"#.utf8)
        request.isHarmlessToRepeat = true
        change(&request)
        return request
    }
}

enum Tool {
    /// Runs a program to its end.
    static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw TestFailure("\(arguments[0]) failed") }
    }
}
