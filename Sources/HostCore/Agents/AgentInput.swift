package import Consent
package import RelayProtocol

/// A fact that an agent's adapter learns: one of its own, or one that every adapter has to know.
package enum AgentInput<Fact: Sendable>: Sendable {
    /// `notes` are the journal entries that earlier lives of this daemon kept for this agent.
    case daemonStarted(notes: [String: [UInt8]])
    case own(Fact)
    /// The caller went away before it was answered.
    case hookGone(HookToken)
    case decided(SessionID, ApprovalID, InputDigest, Decision)
    /// A decision came that this host must not carry out, and why: the agent's own prompt stays.
    case refused(SessionID, ApprovalID, reason: String)
    /// What this device has decided is not handed over any more.
    case distrusted(KeyID)
    /// Replaces the holds: the sessions in which every tool needs approval.
    case held(Holds)
    case agentGone(AgentProcess)
    case linkChanged(isLive: Bool)
    /// The request of this approval could not be written to disk, so nobody can be asked.
    case notRecorded(ApprovalID)
    /// Nothing that followed from the last fact could be written to disk.
    case nothingRecorded
    /// The relay reports a session of this name for the first time in this life of the daemon. If it is another host's, the relay
    /// accepts none of our events for it.
    case named(SessionID, isOurs: Bool)
    /// Events of these sessions could not be written to disk; the disk works again.
    case eventsLost(Set<SessionID>)
    /// A person's command for a session, given once, at the moment when it can be taken. `steered` reports its outcome.
    case steer(SteeringRequest)
    /// Starts a session, or lists those that can be resumed; given once. `launched` reports the outcome.
    case launch(LaunchOrder)
    /// `nextDeadline` has passed.
    case timerFired
}

extension AgentInput where Fact == any Sendable {
    /// The same input for an adapter whose facts are of type `Own`.
    func typed<Own: Sendable>(as _: Own.Type) -> AgentInput<Own> {
        switch self {
        case .daemonStarted(let notes): return .daemonStarted(notes: notes)
        case .own(let fact):
            guard let fact = fact as? Own else { preconditionFailure("a fact goes to the adapter that it is of") }
            return .own(fact)
        case .hookGone(let token): return .hookGone(token)
        case .decided(let session, let approval, let digest, let decision): return .decided(session, approval, digest, decision)
        case .refused(let session, let approval, let reason): return .refused(session, approval, reason: reason)
        case .distrusted(let device): return .distrusted(device)
        case .held(let holds): return .held(holds)
        case .agentGone(let process): return .agentGone(process)
        case .linkChanged(let isLive): return .linkChanged(isLive: isLive)
        case .notRecorded(let approval): return .notRecorded(approval)
        case .nothingRecorded: return .nothingRecorded
        case .named(let session, let isOurs): return .named(session, isOurs: isOurs)
        case .eventsLost(let sessions): return .eventsLost(sessions)
        case .steer(let request): return .steer(request)
        case .launch(let order): return .launch(order)
        case .timerFired: return .timerFired
        }
    }
}
