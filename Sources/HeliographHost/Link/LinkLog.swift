internal import RelayProtocol
internal import WebSocketEngine

/// What the link has to tell an operator.
enum LinkLog: Equatable {
    case connected(relay: String)
    case disconnected(CloseReason, retryAfter: Duration)
    case replaced
    case notice(code: String)
    case dropped(SessionID, code: String)
}
