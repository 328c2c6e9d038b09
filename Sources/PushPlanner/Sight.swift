package import RelayModel
package import RelayProtocol

/// What the planner may look at while it handles a fact: values of its owner, none of them the planner's to change.
package struct Sight {
    /// The sessions as they are on disk.
    package let sessions: CommittedSessions
    /// When the relay itself ends the wait for an approval, by `Instant.uptime`.
    package let expiries: [ApprovalName: Int64]

    /// What a workspace has spent.
    let costs: (CostQuery, WorkspaceID) -> CostReport

    package init(
        sessions: CommittedSessions = CommittedSessions(), expiries: [ApprovalName: Int64] = [:],
        costs: @escaping (CostQuery, WorkspaceID) -> CostReport = { _, _ in CostReport() }
    ) {
        self.sessions = sessions
        self.expiries = expiries
        self.costs = costs
    }

    func isPending(_ approval: ApprovalID, in key: SessionKey) -> Bool {
        sessions[key]?.approvals[approval]?.stage == .pending
    }

    /// Nobody waits for it any more, and only its host's word is missing.
    func isOver(_ approval: Approval, in key: SessionKey, at now: Instant) -> Bool {
        expiries[ApprovalName(key, approval.id)].map { $0 - SessionLimits.expiryGrace <= now.uptime } ?? false
    }
}
