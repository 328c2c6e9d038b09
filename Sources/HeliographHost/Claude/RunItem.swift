internal import RelayProtocol

/// Input of other threads for the loop of `heliograph run`.
enum RunItem: Sendable {
    case steered(SteeringRequest)
    /// A client has answered a tool server's form.
    case answeredAfar(request: String, [UInt8])
    /// A signal sent to us.
    case signal(Int32)
    case ended(AgentEnd)
    /// This process, which is not our agent's, has the session open.
    case openedElsewhere(Int32)
    case daemon(isThere: Bool)
}
