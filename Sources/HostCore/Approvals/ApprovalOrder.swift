package import RelayProtocol

/// An order of the approval desk, carried out in this order.
package enum ApprovalOrder: Equatable {
    /// Keeps a note for the time after a restart; nil deletes it.
    case remember(ApprovalID, [UInt8]?)
    /// A new question: people are to be asked.
    case show(ApprovalID)
    /// The hook of a question waits again; the question's card is there already.
    case reopened(ApprovalID)
    /// Hands the hook this answer, which was reported to the relay before.
    case deliver(ApprovalID, HookToken, [UInt8])
    /// The hook gets no decision, and the agent's own prompt stays open, or its denial counts.
    case abstain(HookToken)
    /// The question is over; reported to the relay unless the relay ends it itself.
    case settled(SessionID, EventHead?)
    /// Reports to the relay a question that was over before.
    case emit(SessionID, EventHead)
    /// Asks for the agent's evidence, as `shown` or `agentEnding`, because the hook has been gone for so long that it will not come
    /// back. Ordered again later if neither comes.
    case judge(ApprovalID)
    /// Checks this process; `agentGone` reports that it is gone.
    case check(AgentProcess)
}
