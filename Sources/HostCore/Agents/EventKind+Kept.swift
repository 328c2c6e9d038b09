package import RelayProtocol

extension EventKind {
    /// Never dropped for room in a spool: what tells where a session or a question begins and ends.
    package var isKeptAtHost: Bool {
        switch self {
        case .approvalRequested, .approvalDelivered, .approvalApplied, .approvalCancelled, .approvalStale, .sessionStarted,
            .sessionRenamed, .sessionEnded, .steeringChanged:
            true
        default: false
        }
    }
}
