internal import AgentACP

/// Input of other threads for the loop of `heliograph acp`.
enum ACPItem: Sendable {
    case fact(ACPFact)
    /// A signal sent to us, to be passed on to the agent.
    case signal(Int32)
    case ended(AgentEnd)
}
