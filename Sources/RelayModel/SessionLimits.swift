/// Limits of a session's view, each with its reason.
package enum SessionLimits {
    /// Resolved approvals that a session keeps in memory and a snapshot shows, so that "who decided?" has an answer. Older ones are
    /// read from the log on request.
    package static let resolvedApprovalsMax = 50
    /// Time for which resolved approvals are kept in memory, in milliseconds.
    package static let resolvedApprovalsAge: Int64 = 60 * 60 * 1000
    /// Time after a host's deadline at which the relay itself expires an approval, in milliseconds. The host goes first, as its
    /// report is more reliable.
    package static let expiryGrace: Int64 = 5_000
    /// Memory for the resolved approvals of one host, and of one workspace: enough for hundreds of ordinary ones.
    package static let resolvedApprovalBytesPerHostMax = 2 << 20
    package static let resolvedApprovalBytesPerWorkspaceMax = 8 << 20
    /// Memory for the steering offers of one host that a relay loads at its start; sessions stored after those are loaded without
    /// an offer. Many times what agents offer, and half of what a host may keep: a file of an earlier version may hold any number
    /// of them.
    package static let offerBytesPerHostMaxAtStart = 16 << 20
    /// Subagents of one session that are counted.
    package static let subagentsMax = 256
}
