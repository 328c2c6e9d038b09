import RelayCore
import WebSocketEngine

/// What a loop has received for the core: facts, in the order of each connection.
enum Arrival: Sendable {
    case opened(ConnectionID, AuthenticatedPeer)
    case closed(ConnectionID, CloseReason)
    case congested(ConnectionID)
    case drained(ConnectionID)
    /// A peer said something, decoded; of so many bytes.
    case said(Input, on: ConnectionID, bytes: Int)
    case request(HTTPRequest, HTTPRequestID)
}
