package import HeliographLink
package import RelayProtocol

/// What the link has to tell an operator.
package enum LinkLog: Sendable, Equatable {
    case connected(relay: String)
    case disconnected(LinkEnd, retryAfter: Duration)
    case replaced
    case notice(code: String)
    case dropped(SessionID, code: String)
}
