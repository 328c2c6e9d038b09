package import RelayProtocol

/// An order of an agent's adapter: one that every agent has, or one of its own. What one input orders goes to disk with one write, before
/// anybody is answered.
package enum AgentEffect<Order: Sendable>: Sendable {
    /// One event as it goes over the wire; `isKept` is never dropped for room.
    case emit(SessionID, [UInt8], isKept: Bool)
    case stream(Delta)
    /// Output of a running tool; live only, as `stream` is.
    case show(ToolOutput)
    /// Answers a waiting caller, unless the disk did not take it; nil is no decision: the agent's own prompt or denial counts.
    case respond(HookToken, [UInt8]?)
    /// Answers a waiting caller with what takes freedom and gives none: said whether or not the disk took what came with it.
    case restrict(HookToken, [UInt8])
    /// Answers a caller that waits before a tool runs: with `demand`, which has the agent ask about it, if a rule that denies or asks is
    /// about the call, else with no decision.
    case heed(HookToken, UnaskedCall, demand: [UInt8])
    /// Processes that are gone come back as `agentGone`.
    case checkAgents([AgentProcess])
    /// Commands that clients can give to a session from now on; nil: none. Sent again only when it changes.
    case offer(SessionID, SteeringOffer?)
    /// Readiness to take a prompt now. Prompts that wait are given when it is idle.
    case stands(SessionID, SteeringStanding)
    /// Outcome of a command given to its agent, on the agent's own evidence.
    case steered(SessionID, SteeringChange)
    /// Every tool of this session needs approval, also while no daemon runs; or does so no more on this account.
    case askAll(SessionID, Bool)
    /// Outcome of a launch.
    case launched(SteeringName, LaunchOutcome)
    /// Have the agent that it names launch this.
    case launch(LaunchOrder)
    /// Give a session that has just begun its first prompt, under the name of the command that began it, whose sender gets the outcome.
    case begin(SteeringRequest)
    /// To be known after a restart; nil forgets it. The key is an approval's name, or begins with the adapter's.
    case remember(String, [UInt8]?)
    case own(Order)
}

extension AgentEffect {
    /// The agent was not given it, and never will be.
    package static func notGiven(_ request: SteeringRequest, _ reason: String) -> AgentEffect {
        .steered(request.session, SteeringChange(request.name, .refused, reason: reason))
    }
}

extension AgentEffect: Equatable where Order: Equatable {}

extension AgentEffect {
    /// For a host, which knows no agent's own orders.
    var erased: AgentEffect<any Sendable> {
        switch self {
        case .emit(let session, let bytes, let isKept): .emit(session, bytes, isKept: isKept)
        case .stream(let delta): .stream(delta)
        case .show(let output): .show(output)
        case .respond(let token, let output): .respond(token, output)
        case .restrict(let token, let output): .restrict(token, output)
        case .heed(let token, let call, let demand): .heed(token, call, demand: demand)
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
