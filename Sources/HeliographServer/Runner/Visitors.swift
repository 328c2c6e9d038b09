import Logging
import RelayCore
import RelayProtocol
import WebSocketEngine

/// The relay's doors: decides who is upgraded, decodes what they send, and tells the core who came and went.
final class Visitors: ServerHandler {
    private let runner: RelayRunner
    private let loop: EventLoop
    private let routes: Routes
    private let access: Access
    private let measures: Measures
    private let logger: Logger
    /// Upgrades that were accepted and are not open yet.
    private var expected: [ConnectionID: Gate.Visitor] = [:]

    init(runner: RelayRunner, loop: EventLoop, routes: Routes, access: Access, measures: Measures, logger: Logger) {
        self.runner = runner
        self.loop = loop
        self.routes = routes
        self.access = access
        self.measures = measures
        self.logger = logger
    }

    // MARK: - Coming in

    func turnedAway(_ reason: TurnAwayReason) { measures.turnedAway(reason) }

    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision {
        let role: PairingRole
        switch request.path {
        case ProtocolVersion.hostPath: role = .host
        case ProtocolVersion.clientPath: role = .client
        default: return .refuse(status: 404, body: "there is no WebSocket here\n")
        }
        guard request.offeredSubprotocols.contains(ProtocolVersion.subprotocol) else {
            return .refuse(status: 400, body: "offer the subprotocol \(ProtocolVersion.subprotocol)\n")
        }
        if runner.isLeaving { return .refuse(status: 503, body: "the relay restarts; try again\n") }
        if runner.isSuspended { return .refuse(status: 503, body: "the relay's store cannot be read; try again\n") }
        do {
            let token = try access.gate.authenticate(request, as: role, isUpgrade: true)
            expected[connection] = Gate.Visitor(token: token, baseURL: access.gate.linkBase(for: request))
            return .accept(subprotocol: ProtocolVersion.subprotocol)
        } catch {
            measures.refused()
            logger.notice(
                "refused an upgrade", metadata: ["path": "\(request.path)", "reason": "\(error)", "peer": "\(request.peer)"])
            switch error {
            case .unknown: return .refuse(status: 401, body: "a valid token is needed: pair this device\n")
            case .foreignOrigin: return .refuse(status: 403, body: "this origin is not the relay's own\n")
            case .wrongRole: return .refuse(status: 403, body: "this token is not for a \(role.rawValue)\n")
            }
        }
    }

    func upgradeAbandoned(_ connection: ConnectionID) { expected[connection] = nil }

    func opened(_ connection: ConnectionID) {
        guard let visitor = expected.removeValue(forKey: connection) else {
            preconditionFailure("a connection opens after its upgrade was accepted")
        }
        // The token may have been revoked between the upgrade and now.
        guard access.admit(connection, visitor) else { return }
        let peer = PeerID(rawValue: connection.rawValue)
        let token = visitor.token
        switch token.role {
        case .host:
            guard let id = HostID(token.subject) else { preconditionFailure("tokens are made with proper subjects") }
            runner.feed(
                .hostConnected(
                    peer, HostIdentity(workspace: token.workspace, host: Named(id: id, name: token.name))))
        case .client: runner.feed(.clientConnected(peer, access.client(token)))
        }
        measures.connected(token.role)
        logger.info(
            "connected", metadata: ["connection.id": "\(connection)", "role": "\(token.role)", "subject": "\(token.subject)"])
    }

    func closed(_ connection: ConnectionID, reason: CloseReason) {
        guard let visitor = access.gate.disconnected(connection) else { return }
        runner.feed(.disconnected(PeerID(rawValue: connection.rawValue)))
        measures.disconnected(visitor.token.role)
        logger.info("disconnected", metadata: ["connection.id": "\(connection)", "reason": "\(reason)"])
    }

    func congested(_ connection: ConnectionID) {
        measures.congested()
        runner.feed(.congested(PeerID(rawValue: connection.rawValue)))
    }

    func drained(_ connection: ConnectionID) { runner.feed(.drained(PeerID(rawValue: connection.rawValue))) }

    // MARK: - Messages

    func received(_ message: IncomingMessage, on connection: ConnectionID) {
        guard let visitor = access.gate.connections[connection] else { return }
        guard message.kind == .text else {
            loop.close(connection, code: CloseCode.unsupportedData.rawValue, reason: CloseCode.unsupportedData.reason)
            return
        }
        measures.received(bytes: message.bytes.count)
        let peer = PeerID(rawValue: connection.rawValue)
        switch visitor.token.role {
        case .host:
            do throws(WireError) {
                runner.feed(.hostSent(peer, try HostMessage(parsing: message.bytes)))
            } catch {
                refused(error, connection)
                runner.feed(.hostSentBadMessage(peer, error))
            }
        case .client:
            do throws(ClientMessageError) {
                runner.feed(.clientSent(peer, try ClientMessage(parsing: message.bytes)))
            } catch {
                refused(error.error, connection)
                runner.feed(.clientSentBadMessage(peer, error))
            }
        }
    }

    private func refused(_ error: WireError, _ connection: ConnectionID) {
        measures.refusedMessage()
        logger.debug(
            "refused a message",
            metadata: ["connection.id": "\(connection)", "code": "\(error.code)", "path": "\(error.path)"])
    }

    // MARK: - HTTP

    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID) { routes.answer(request, id) }
}
