package import RelayProtocol

extension EventKind {
    /// True if a spool never drops the event to make room: a session or a question begins or ends with it.
    package var isKeptAtHost: Bool {
        switch self {
        case .approvalRequested, .approvalDelivered, .approvalApplied, .approvalCancelled, .approvalStale, .sessionStarted,
            .sessionRenamed, .sessionEnded, .steeringChanged:
            true
        default: false
        }
    }
}
