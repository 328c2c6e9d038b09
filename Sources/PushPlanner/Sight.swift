package import RelayModel
package import RelayProtocol

/// Values of the planner's owner that it may read while it handles a fact.
package struct Sight {
    /// The sessions as they are on disk.
    package let sessions: CommittedSessions
    /// When the relay ends the wait for an approval, by `Instant.uptime` in milliseconds.
    package let expiries: [ApprovalName: Int64]

    /// Spending of a workspace.
    package var costs: (CostQuery, WorkspaceID) -> CostReport = { _, _ in CostReport() }

    package init(sessions: CommittedSessions = CommittedSessions(), expiries: [ApprovalName: Int64] = [:]) {
        self.sessions = sessions
        self.expiries = expiries
    }

    func isPending(_ approval: ApprovalID, in key: SessionKey) -> Bool {
        sessions[key]?.approvals[approval]?.stage == .pending
    }

    /// True if the wait for it has ended, and only the host's report is missing.
    func isOver(_ approval: Approval, in key: SessionKey, at now: Instant) -> Bool {
        expiries[ApprovalName(key, approval.id)].map { $0 - SessionLimits.expiryGrace <= now.uptime } ?? false
    }
}
