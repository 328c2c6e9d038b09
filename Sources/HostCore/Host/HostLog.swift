package import RelayProtocol

/// Log entries of the host, for an operator.
package enum HostLog: Sendable, Equatable {
    case link(LinkLog)
    case decided(SessionID, ApprovalID, CommandID)
    /// A rule answered the approval; nobody was asked.
    case answeredByRule(SessionID, ApprovalID, AppliedRule.Answer, rule: String)
    /// A decision that the relay sent before it received the end of its approval, which waits in the spool.
    case settledAlready(SessionID, ApprovalID, CommandID)
    case consent(ConsentLog)
    /// A decision for a session that belongs to no agent of this host.
    case foreign(SessionID, CommandID)
    /// A person's command for a session, which goes to its agent.
    case steered(SessionID, SteeringName, SteeringAction.Kind)
    /// A person starts, resumes or lists sessions in this folder.
    case launched(SteeringName, SteeringAction.Kind, agent: String, folder: String)
    case held(Holds)
    /// An adapter's event that the wire would refuse.
    case malformed(SessionID)
    case notRecorded(SpoolError)
    /// Spooled events wait until the disk is back.
    case notSent(SpoolError)
    /// A spooled event is lost.
    case damaged(SessionID, first: Int64, SpoolError)
    /// A spooled record is no valid event, and is lost.
    case unreadable(SessionID)
    /// A spooled event is too long to be sealed: devices are shown that one is missing.
    case unsealable(SessionID)
    case diskFails(SpoolError)
    case diskIsBack
}
