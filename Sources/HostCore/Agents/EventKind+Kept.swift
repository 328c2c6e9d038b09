package import RelayProtocol

extension EventKind {
    /// Never dropped for room in a spool: events at which a session or a question begins or ends.
    package var isKeptAtHost: Bool {
        switch self {
        case .approvalRequested, .approvalDelivered, .approvalApplied, .approvalCancelled, .approvalStale, .sessionStarted,
            .sessionRenamed, .sessionEnded, .steeringChanged:
            true
        default: false
        }
    }
}
