import RelayCore
import WebSocketEngine

/// What came in by one of the relay's doors, for the core: facts, in the order of each connection.
enum Arrival: Sendable {
    case opened(ConnectionID, Gate.Visitor)
    case closed(ConnectionID, CloseReason)
    case congested(ConnectionID)
    case drained(ConnectionID)
    /// A peer said something, decoded.
    case said(Input)
    case request(HTTPRequest, HTTPRequestID)
}
