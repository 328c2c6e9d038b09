/// Where a call stands with the agent that makes it.
package enum CallStanding: Sendable {
    case unknown
    /// It has begun, and its agent has not asked about it.
    case begun
    /// Its agent asks about it, and no answer is known.
    case asked
}
