/// Whether an agent could take a prompt now, by its own evidence.
package enum SteeringStanding: String, Sendable, CaseIterable {
    case idle
    /// In a turn.
    case busy
    /// It waits for an answer, or something is open at its terminal: whatever is typed there now might be taken for the answer.
    case waiting
}
