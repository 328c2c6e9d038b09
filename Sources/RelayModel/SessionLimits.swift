/// Limits of a session's view, each with its reason.
package enum SessionLimits {
    /// Resolved approvals that a session keeps at hand and a snapshot shows, so that "who decided?" has an answer. Older ones are read
    /// from the log on request.
    package static let resolvedApprovalsMax = 50
    /// … and for how long, in milliseconds.
    package static let resolvedApprovalsAge: Int64 = 60 * 60 * 1000
    /// The relay expires an approval this long after the host should have, in milliseconds: the host's word is the better one.
    package static let expiryGrace: Int64 = 5_000
    /// Memory for the resolved approvals of one host that are kept at hand, and of one workspace: hundreds of ordinary ones.
    package static let resolvedApprovalBytesPerHostMax = 2 << 20
    package static let resolvedApprovalBytesPerWorkspaceMax = 8 << 20
    /// Memory for offers of steering of one host that a relay reads when it starts; sessions stored later than those go on without. Many times what
    /// agents offer, and half of what a host may keep: a file of an earlier version may hold any number of them.
    package static let offerBytesPerHostMaxAtStart = 16 << 20
    /// Subagents of one session that are counted.
    package static let subagentsMax = 256
}
