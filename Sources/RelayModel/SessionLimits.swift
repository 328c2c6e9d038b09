/// Limits of a session's view, each with its reason.
package enum SessionLimits {
    /// Resolved approvals that a session keeps at hand and a snapshot shows, so that "who decided?" has an answer. Older ones are read
    /// from the log on request.
    package static let resolvedApprovalsMax = 50
    /// … and for how long, in milliseconds.
    package static let resolvedApprovalsAge: Int64 = 60 * 60 * 1000
    /// The relay expires an approval this long after the host should have, in milliseconds: the host's word is the better one.
    package static let expiryGrace: Int64 = 5_000
    /// Subagents of one session that are counted.
    package static let subagentsMax = 256
}
