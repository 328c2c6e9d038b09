/// The state of a tool call at the agent that makes it.
package enum CallStanding: Sendable {
    case unknown
    /// Begun, without a question of its agent.
    case begun
    /// The agent has asked about the call, and no answer is known.
    case asked
}
