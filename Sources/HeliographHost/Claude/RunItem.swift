internal import RelayProtocol

/// What other threads have for the loop of `heliograph run`.
enum RunItem: Sendable {
    case steered(SteeringRequest)
    /// A signal that somebody sent us.
    case signal(Int32)
    case ended(AgentEnd)
    /// This process, which is not our agent's, has the session open.
    case openedElsewhere(Int32)
    /// The daemon is there, or away.
    case daemon(isThere: Bool)
}
