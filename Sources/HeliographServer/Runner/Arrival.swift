import RelayCore
import WebSocketEngine

/// What came in by one of the relay's doors, for the core: facts, in the order of each connection.
enum Arrival: Sendable {
    case opened(ConnectionID, Gate.Visitor)
    case closed(ConnectionID, CloseReason)
    case congested(ConnectionID)
    case drained(ConnectionID)
    /// A peer said something, decoded; of so many bytes.
    case said(Input, on: ConnectionID, bytes: Int)
    case request(HTTPRequest, HTTPRequestID)
}
