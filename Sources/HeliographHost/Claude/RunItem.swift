internal import RelayProtocol

/// What other threads have for the loop of `heliograph run`.
enum RunItem: Sendable {
    case steered(SteeringRequest)
    /// What a server of tools asks was answered by a client.
    case answeredAfar(request: String, [UInt8])
    /// A signal that somebody sent us.
    case signal(Int32)
    case ended(AgentEnd)
    /// This process, which is not our agent's, has the session open.
    case openedElsewhere(Int32)
    /// The daemon is there, or away.
    case daemon(isThere: Bool)
}
