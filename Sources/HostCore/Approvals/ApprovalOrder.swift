package import RelayProtocol

/// An order of the approval desk, carried out in this order.
package enum ApprovalOrder: Equatable {
    /// To be known after a restart; nil forgets it.
    case remember(ApprovalID, [UInt8]?)
    /// A new question: people are to be asked.
    case show(ApprovalID)
    /// The hook of a question waits again; its card is there already.
    case reopened(ApprovalID)
    /// Hands the hook this answer, which was reported to the relay before.
    case deliver(ApprovalID, HookToken, [UInt8])
    /// The hook gets no decision, and the agent's own prompt stays open, or its denial counts.
    case abstain(HookToken)
    /// The question is over; reported to the relay unless the relay ends it itself.
    case settled(SessionID, EventHead?)
    /// Reports to the relay a question that was over before.
    case emit(SessionID, EventHead)
    /// The hook has been gone for so long that it will not come back: the agent's evidence is wanted as `shown`, or `agentEnding`.
    /// Ordered again later if neither comes.
    case judge(ApprovalID)
    /// If that process is gone, it comes back as `agentGone`.
    case check(AgentProcess)
}
