package import RelayProtocol

/// An order of an agent's adapter: one that every agent has, or one of its own. The orders of one input go to disk in one write,
/// before any caller is answered.
package enum AgentEffect<Order: Sendable>: Sendable {
    /// An event in its form on the wire. The spool never drops an `isKept` event to make room.
    case emit(SessionID, [UInt8], isKept: Bool)
    case stream(Delta)
    /// Output of a running tool; live only, as `stream` is.
    case show(ToolOutput)
    /// Answers a waiting caller, unless what the answer rests on could not be written to disk. Nil is no decision: the agent's own
    /// prompt or denial counts.
    case respond(HookToken, [UInt8]?)
    /// Answers a waiting caller with a reply that only restricts the agent. It is sent whether or not the disk took the events that
    /// came with it.
    case restrict(HookToken, [UInt8])
    /// Answers a caller that waits before a tool runs: with `denial` if a rule that denies matches, with `demand`, which makes the
    /// agent ask about the call, if one that asks does; else with no decision. `denial` equals `demand` if only a person or
    /// this host can answer, because a question is shown.
    case heed(HookToken, UnaskedCall, demand: [UInt8], denial: [UInt8])
    /// Checks these processes; each that is gone is reported by `agentGone`.
    case checkAgents([AgentProcess])
    /// Commands that clients can give to the session from now on; nil for none. Sent again only after a change.
    case offer(SessionID, SteeringOffer?)
    /// Readiness of the session to take a prompt now. Waiting prompts are given when it is idle.
    case stands(SessionID, SteeringStanding)
    /// Outcome of a command given to its agent, on the agent's own evidence.
    case steered(SessionID, SteeringChange)
    /// Turns on or off that every tool of this session needs approval, also while no daemon runs. Off withdraws this reason alone.
    case askAll(SessionID, Bool)
    case launched(SteeringName, LaunchOutcome)
    /// Hands a launch to the agent that the order names.
    case launch(LaunchOrder)
    /// Gives a session that has just begun its first prompt, named after the command that began it; that command's sender gets the
    /// outcome.
    case begin(SteeringRequest)
    /// Keeps a note for the time after a restart; nil deletes it. The key is an approval's name, or begins with the adapter's.
    case remember(String, [UInt8]?)
    case own(Order)
}

extension AgentEffect {
    /// The outcome of a command that was not given to the agent, and never will be.
    package static func notGiven(_ request: SteeringRequest, _ reason: String) -> AgentEffect {
        .steered(request.session, SteeringChange(request.name, .refused, reason: reason))
    }
}

extension AgentEffect: Equatable where Order: Equatable {}

extension AgentEffect {
    /// The same effect without the agent's own type of orders, for the host.
    var erased: AgentEffect<any Sendable> {
        switch self {
        case .emit(let session, let bytes, let isKept): .emit(session, bytes, isKept: isKept)
        case .stream(let delta): .stream(delta)
        case .show(let output): .show(output)
        case .respond(let token, let output): .respond(token, output)
        case .restrict(let token, let output): .restrict(token, output)
        case .heed(let token, let call, let demand, let denial): .heed(token, call, demand: demand, denial: denial)
        case .checkAgents(let processes): .checkAgents(processes)
        case .offer(let session, let offer): .offer(session, offer)
        case .stands(let session, let standing): .stands(session, standing)
        case .steered(let session, let change): .steered(session, change)
        case .askAll(let session, let isOn): .askAll(session, isOn)
        case .launched(let name, let outcome): .launched(name, outcome)
        case .launch(let order): .launch(order)
        case .begin(let request): .begin(request)
        case .remember(let key, let note): .remember(key, note)
        case .own(let order): .own(order)
        }
    }
}
