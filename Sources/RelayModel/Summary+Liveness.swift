package import RelayProtocol

extension Summary {
    /// True if the session has not ended: something may still happen without a person.
    package var isLive: Bool { endedAt == nil && status != .completed && status != .failed }
    /// True if the agent works, or waits for a person before it can continue.
    package var isAtWork: Bool {
        switch status {
        case .starting, .running, .waitingApproval, .waitingAnswer: endedAt == nil
        case .idle, .completed, .failed, .stale: false
        }
    }
}
