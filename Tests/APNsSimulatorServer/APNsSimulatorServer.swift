internal import APNsSimulator
internal import Dispatch
internal import FoundationEssentials
internal import HeliographCrypto
internal import HeliographHTTP2
package import Logging
internal import RelayProtocol
internal import Synchronization
internal import WebSocketEngine

/// The simulator as a process, and its structure:
///
///     four TLS listeners ─▶ ListenerHandler ─▶ Transport ─▶ APNsSimulator (pure) ─▶ orders ─▶ HTTP/2
///     admin socket (HTTP/1.1) ─▶ AdminHandler ──┘                       └─▶ journal
package enum APNsSimulatorServer {
    /// Ports of the running server.
    package struct Addresses: Sendable {
        package let sandbox: UInt16
        package let production: UInt16
        package let sandboxManagement: UInt16
        package let productionManagement: UInt16
        /// `http://127.0.0.1:PORT`, or `unix:PATH`.
        package let admin: String
        /// PEM of the certificate that clients have to trust.
        package let certificateFile: String
    }

    /// More than APNs accepts, so that an oversized body is answered 413, not reset.
    private static let bodyBytesMax = 1 << 20

    /// Runs until SIGTERM or SIGINT. `started` is called when everything listens.
    package static func run(
        _ configuration: APNsSimulatorServerConfiguration, logger: Logger, started: @escaping (Addresses) -> Void
    ) throws {
        let signals = SignalSwitch()
        try SignalWatch.start(stopOnly: true) { signals.fire($0) }
        let journal = try configuration.journalFile.map { path throws(APNsSimulatorServerError) in try JournalFile(path: path) }
        var simulator = APNsSimulator(configuration: configuration.simulator, verifier: ES256Verifier())
        simulator.script = configuration.script
        let transport = Transport(
            simulator, journal: journal, holdsWindows: configuration.script.rules.contains { $0.fault.starvesWindow })
        let identity = try identity(configuration)
        let tls = try TLSContext(
            serverProtocols: ["h2"], certificateFile: identity.certificateFile, privateKeyFile: identity.privateKeyFile)
        let engine = try HTTP2Engine()
        let ports = try onLoop(of: engine) { loop in
            if let setup = configuration.setup { _ = try transport.perform(setup, loop).get() }
            return try listen(configuration, tls, transport, on: loop)
        }
        try EventLoop.run(logger: logger) { loop in
            let handle = loop.handle
            signals.arm { _ in handle.stop() }
            let listener = try loop.listen(
                ListenerConfiguration(
                    address: configuration.adminPath.map { .unix(path: $0) }
                        ?? .tcp(host: configuration.address, port: configuration.adminPort)),
                handler: AdminHandler(loop: loop, engine: engine, transport: transport))
            started(
                Addresses(
                    sandbox: ports[0], production: ports[1], sandboxManagement: ports[2], productionManagement: ports[3],
                    admin: configuration.adminPath.map { "unix:\($0)" }
                        ?? "http://\(configuration.address):\(listener.port ?? 0)",
                    certificateFile: identity.certificateFile))
        }
        engine.stop()
    }

    private static func listen(
        _ configuration: APNsSimulatorServerConfiguration, _ tls: TLSContext, _ transport: Transport, on loop: HTTP2Loop
    ) throws -> [UInt16] {
        let doors: [(Endpoint, UInt16)] = [
            (Endpoint(.sandbox), configuration.sandboxPort), (Endpoint(.production), configuration.productionPort),
            (Endpoint(.sandbox, .management), configuration.sandboxManagementPort),
            (Endpoint(.production, .management), configuration.productionManagementPort),
        ]
        return try doors.map { endpoint, port in
            var listener = HTTP2ServerConfiguration(address: configuration.address, port: port, tls: tls, streamsMax: 1)
            listener.limits.bodyBytesMax = bodyBytesMax
            // A scripted hang is ended by the client, and a delay may be long.
            listener.limits.streamDeadline = .seconds(86_400)
            listener.faults.holdsWindow = transport.holdsWindows
            return try loop.listen(listener, handler: ListenerHandler(endpoint, transport)).port
        }
    }

    /// Blocks until `body` has run on the loop's thread.
    private static func onLoop<Value: Sendable>(
        of engine: HTTP2Engine, _ body: @escaping @Sendable (HTTP2Loop) throws -> Value
    ) throws -> Value {
        let (done, result) = (DispatchSemaphore(value: 0), ResultBox<Value>())
        engine.execute { loop in
            result.value.withLock { $0 = Result { try body(loop) } }
            done.signal()
        }
        done.wait()
        guard let value = result.value.withLock({ $0 }) else { preconditionFailure("the loop said it was done and was not") }
        return try value.get()
    }

    private final class ResultBox<Value: Sendable>: Sendable {
        let value = Mutex<Result<Value, any Error>?>(nil)
    }

    /// The configured identity, or a new one, whose certificate is written for clients, and whose key is for this process only.
    private static func identity(
        _ configuration: APNsSimulatorServerConfiguration
    ) throws -> (certificateFile: String, privateKeyFile: String) {
        if let identity = configuration.identity { return identity }
        let made = try SelfSignedCertificate(names: configuration.certificateNames, days: 30)
        let keyFile = configuration.certificateFile + ".key"
        try Data(made.certificate.utf8).write(to: URL(fileURLWithPath: configuration.certificateFile), options: .atomic)
        guard
            FileManager.default.createFile(
                atPath: keyFile, contents: Data(made.privateKey.utf8), attributes: [.posixPermissions: 0o600])
        else { throw APNsSimulatorServerError("the key \(keyFile) cannot be written") }
        return (configuration.certificateFile, keyFile)
    }
}

extension ConnectionNumber {
    init(_ connection: HTTP2ConnectionID) { self.init(Int(connection.rawValue)) }
}

extension Fault {
    var starvesWindow: Bool { if case .starveWindow = action { true } else { false } }
}
