/// An agent's readiness to take a prompt, by its own evidence.
package enum SteeringStanding: String, Sendable, CaseIterable {
    case idle
    /// In a turn.
    case busy
    /// Waits for an answer, or has something open at its terminal: text that is typed now might be taken for the answer.
    case waiting
}
