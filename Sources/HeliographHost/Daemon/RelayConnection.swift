internal import HeliographLink
internal import HostCore
internal import Logging
internal import RelayAccess
internal import RelayProtocol
internal import WebSocketEngine

/// The WebSocket to the relay: reports its events, and sends messages as ordered.
final class RelayConnection: ClientHandler {
    /// Bytes waiting for the relay beyond which deltas are dropped.
    private static let streamBacklogMax = 256 << 10

    private let loop: EventLoop
    private let configuration: HostConfiguration
    private let logger: Logger
    private let tell: (HostFact) -> Void
    private var connection: ConnectionID?

    init(_ loop: EventLoop, _ configuration: HostConfiguration, _ logger: Logger, tell: @escaping (HostFact) -> Void) {
        self.loop = loop
        self.configuration = configuration
        self.logger = logger
        self.tell = tell
    }

    var isThere: Bool { connection != nil }

    // MARK: Facts

    func opened(_ connection: ConnectionID, subprotocol: String?) {
        guard subprotocol == ProtocolVersion.subprotocol else {
            logger.error("what answered does not speak our protocol")
            loop.close(connection, code: CloseCode.protocolError.rawValue, reason: "not \(ProtocolVersion.subprotocol)")
            return
        }
        tell(.linkOpened)
    }

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        guard connection == self.connection else { return }
        do throws(WireError) {
            tell(.received(try MessageToHost(parsing: message.bytes)))
        } catch {
            // A newer relay may send messages that we do not know; none of our work depends on them.
            logger.warning("a message of the relay was not understood", metadata: ["code": "\(error.code.rawValue)"])
        }
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        guard connection == self.connection else { return }
        self.connection = nil
        tell(.linkClosed(LinkEnd(reason), dice: .random(in: 0...1)))
    }

    // MARK: Orders

    func connect(_ heartbeat: Heartbeat?) {
        var settings = ClientConfiguration(
            configuration.relay, path: ProtocolVersion.hostPath, token: configuration.token,
            certificateAuthorityFile: configuration.certificateAuthorityFile)
        if let heartbeat { settings.follow(heartbeat) }
        do {
            connection = try loop.connect(settings, handler: self)
        } catch {
            tell(.linkClosed(.failed(error.message), dice: 1))
        }
    }

    func send(_ bytes: [UInt8]) { if let connection { loop.send(OutgoingMessage(text: bytes), to: connection) } }

    /// Sends something live. If too much waits for the relay it is dropped, and the whole message follows later.
    func stream(_ bytes: [UInt8]) {
        if let connection, loop.outboxBytes(of: connection) < Self.streamBacklogMax { send(bytes) }
    }

    func close(_ code: UInt16, reason: String) {
        if let connection { loop.close(connection, code: code, reason: reason) }
    }
}
