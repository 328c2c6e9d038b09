package import HeliographLink
package import RelayProtocol

/// Messages of the link for an operator.
package enum LinkLog: Sendable, Equatable {
    case connected(relay: String)
    case disconnected(LinkEnd, retryAfter: Duration)
    case replaced
    case notice(code: String)
    case dropped(SessionID, code: String)
    case nameTaken(SessionID)
}
