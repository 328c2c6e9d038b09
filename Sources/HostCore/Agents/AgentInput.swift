package import RelayProtocol

/// A fact that an agent's adapter learns: one of its own, or one that every adapter has to know.
package enum AgentInput<Fact: Sendable>: Sendable {
    /// With what earlier lives of this daemon remembered of this agent.
    case daemonStarted(notes: [String: [UInt8]])
    case own(Fact)
    /// The caller went away before it was answered.
    case hookGone(HookToken)
    case decided(SessionID, ApprovalID, InputDigest, Decision)
    /// These sessions are held from now on, and no others.
    case held(Holds)
    case agentGone(AgentProcess)
    case linkChanged(isLive: Bool)
    /// The disk did not take the request of this approval, so nobody can be asked.
    case notRecorded(ApprovalID)
    /// The disk did not take events of these sessions, and is back.
    case eventsLost(Set<SessionID>)
    /// `nextDeadline` has passed.
    case timerFired
}
