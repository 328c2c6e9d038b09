package import RelayProtocol

extension Summary {
    /// Something may still happen by itself.
    package var isLive: Bool { endedAt == nil && status != .completed && status != .failed }
    /// The agent works, or waits for a person to go on.
    package var isAtWork: Bool {
        switch status {
        case .starting, .running, .waitingApproval, .waitingAnswer: endedAt == nil
        case .idle, .completed, .failed, .stale: false
        }
    }
}
