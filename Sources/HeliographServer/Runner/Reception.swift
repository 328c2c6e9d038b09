import Logging
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Where what came in by all doors meets the core. Lives on the core's thread.
final class Reception {
    private let runner: RelayRunner
    private let routes: Routes
    private let access: Access
    private let measures: Measures
    private let logger: Logger

    init(runner: RelayRunner, routes: Routes, access: Access, measures: Measures, logger: Logger) {
        self.runner = runner
        self.routes = routes
        self.access = access
        self.measures = measures
        self.logger = logger
    }

    func take(_ arrival: Arrival) {
        switch arrival {
        case .said(let input): runner.feed(input)
        case .opened(let connection, let visitor): opened(connection, visitor)
        case .closed(let connection, let reason): closed(connection, reason)
        case .congested(let connection):
            measures.congested()
            runner.feed(.congested(PeerID(connection)))
        case .drained(let connection): runner.feed(.drained(PeerID(connection)))
        case .request(let request, let id): routes.answer(request, id)
        }
    }

    private func opened(_ connection: ConnectionID, _ visitor: Gate.Visitor) {
        // The token may have been revoked between the upgrade and now.
        guard access.admit(connection, visitor) else { return }
        let peer = PeerID(connection)
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

    private func closed(_ connection: ConnectionID, _ reason: CloseReason) {
        guard let visitor = access.disconnected(connection) else { return }
        runner.feed(.disconnected(PeerID(connection)))
        measures.disconnected(visitor.token.role)
        logger.info("disconnected", metadata: ["connection.id": "\(connection)", "reason": "\(reason)"])
    }
}

extension PeerID {
    init(_ connection: ConnectionID) { self.init(rawValue: connection.rawValue) }
}
