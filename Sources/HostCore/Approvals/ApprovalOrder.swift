package import RelayProtocol

/// An order of the approval desk, carried out in this order.
package enum ApprovalOrder: Equatable {
    /// To be known after a restart; nil forgets it.
    case remember(ApprovalID, [UInt8]?)
    /// A new question: people are to be asked.
    case show(ApprovalID)
    /// The hook of a question waits again; its card is there already.
    case reopened(ApprovalID)
    /// The hook is handed this answer, which the relay is told before.
    case deliver(ApprovalID, HookToken, [UInt8])
    /// The hook gets no decision, and the agent's own prompt stays open, or its denial counts.
    case abstain(HookToken)
    /// The question is over, which the relay is told unless it says so itself.
    case settled(SessionID, EventHead?)
    /// The relay is told of a question that was over before.
    case emit(SessionID, EventHead)
    /// The hook has been gone for so long that it will not come back: what the agent shows of it is wanted as `shown`, or
    /// `agentEnding`. Ordered again later where neither comes.
    case judge(ApprovalID)
    /// If that process is gone, it comes back as `agentGone`.
    case check(AgentProcess)
}
