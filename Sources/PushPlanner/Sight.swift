package import RelayModel
package import RelayProtocol

/// What the planner may look at while it handles a fact: values of its owner, none of them the planner's to change.
package struct Sight {
    /// The sessions as they are on disk.
    package let sessions: CommittedSessions
    /// When the relay itself ends the wait for an approval, by `Instant.uptime`.
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

    /// Nobody waits for it any more, and only its host's word is missing.
    func isOver(_ approval: Approval, in key: SessionKey, at now: Instant) -> Bool {
        expiries[ApprovalName(key, approval.id)].map { $0 - SessionLimits.expiryGrace <= now.uptime } ?? false
    }
}
