/// An agent's readiness to take a prompt, by its own evidence.
package enum SteeringStanding: String, Sendable, CaseIterable {
    case idle
    /// The agent is in a turn.
    case busy
    /// The agent waits for an answer, or shows a dialog at its terminal: text that is typed now might be taken for the answer.
    case waiting
}
