import Logging
import RelayCore
import WebSocketEngine

/// Admits, counts and logs authenticated connections. Confined to the main loop's thread.
struct Attendance {
    private let access: Access
    private let measures: Measures
    private let logger: Logger

    init(_ access: Access, _ measures: Measures, _ logger: Logger) {
        self.access = access
        self.measures = measures
        self.logger = logger
    }

    /// A connection was opened; false if its token was revoked since the upgrade.
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

    /// A connection was closed; false if it had not been admitted.
    func left(_ connection: ConnectionID, _ reason: CloseReason) -> Bool {
        guard let authenticated = access.disconnected(connection) else { return false }
        access.admission.leave(authenticated)
        measures.disconnected(authenticated.token.role)
        logger.info("disconnected", metadata: ["connection.id": "\(connection)", "reason": "\(reason)"])
        return true
    }
}
