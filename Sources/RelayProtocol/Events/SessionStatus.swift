/// A session's state, as people see it.
package enum SessionStatus: String, Sendable, CaseIterable {
    case starting, running, waitingApproval, waitingAnswer, idle, completed, failed
    /// The host has been away for so long that what is shown may be wrong.
    case stale

    /// A person is waited for.
    package var isWaiting: Bool { self == .waitingApproval || self == .waitingAnswer }
}
