/// A session's state, as people see it.
package enum SessionStatus: String, Sendable, CaseIterable {
    case starting, running, waitingApproval, waitingAnswer, idle, completed, failed
    /// The host has been disconnected for so long that what is shown may be wrong.
    case stale

    /// True if the session waits for a person.
    package var isWaiting: Bool { self == .waitingApproval || self == .waitingAnswer }
}
