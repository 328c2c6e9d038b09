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
    /// Replaces the set of held sessions.
    case held(Holds)
    case agentGone(AgentProcess)
    case linkChanged(isLive: Bool)
    /// The disk did not take the request of this approval, so nobody can be asked.
    case notRecorded(ApprovalID)
    /// The disk took nothing of what came of the last fact.
    case nothingRecorded
    /// The relay has a session of this name, for the first time in this life of the daemon: ours, or another host's. Then it takes nothing of ours.
    case named(SessionID, isOurs: Bool)
    /// The disk did not take events of these sessions, and is back.
    case eventsLost(Set<SessionID>)
    /// A person steers a session: now is the moment, and it is given once. The outcome is reported by `steered`.
    case steer(SteeringRequest)
    /// Start this, or list what could be resumed: once. The outcome is reported by `launched`.
    case launch(LaunchOrder)
    /// `nextDeadline` has passed.
    case timerFired
}

extension AgentInput where Fact == any Sendable {
    /// For the adapter that its own facts are of.
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
