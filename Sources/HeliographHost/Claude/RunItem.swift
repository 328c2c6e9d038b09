internal import RelayProtocol

/// What other threads have for the loop of `heliograph run`.
enum RunItem: Sendable {
    case steered(SteeringRequest)
    /// A signal that somebody sent us.
    case signal(Int32)
    case ended(AgentEnd)
    /// The daemon is there, or away.
    case daemon(isThere: Bool)
}
