import Logging
import RelayCore
import WebSocketEngine

/// The coming and going of authenticated connections: admitted, counted, and told in the log. Lives on the main loop's thread.
struct Attendance {
    private let access: Access
    private let measures: Measures
    private let logger: Logger

    init(_ access: Access, _ measures: Measures, _ logger: Logger) {
        self.access = access
        self.measures = measures
        self.logger = logger
    }

    /// False: the token was revoked between the upgrade and now.
    func came(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer) -> Bool {
        guard access.admit(connection, authenticated) else {
            access.admission.leave(authenticated)
            return false
        }
        let token = authenticated.token
        measures.connected(token.role)
        logger.info(
            "connected",
            metadata: [
                "connection.id": "\(connection)", "role": "\(token.role)", "subject": "\(token.subject)",
                "peer": "\(authenticated.peer)",
            ])
        return true
    }

    /// False: it had not come.
    func left(_ connection: ConnectionID, _ reason: CloseReason) -> Bool {
        guard let authenticated = access.disconnected(connection) else { return false }
        access.admission.leave(authenticated)
        measures.disconnected(authenticated.token.role)
        logger.info("disconnected", metadata: ["connection.id": "\(connection)", "reason": "\(reason)"])
        return true
    }
}
