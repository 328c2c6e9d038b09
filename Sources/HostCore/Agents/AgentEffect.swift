package import RelayProtocol

/// An order of an agent's adapter: one that every agent has, or one of its own. What one input orders goes to disk with one write, before
/// anybody is answered.
package enum AgentEffect<Order: Sendable & Equatable>: Sendable, Equatable {
    /// One event as it goes over the wire; `isKept` is never dropped for room.
    case emit(SessionID, [UInt8], isKept: Bool)
    case stream(Delta)
    /// Answers a waiting caller, unless the disk did not take it; nil is no decision, and the agent's own prompt or denial stands.
    case respond(HookToken, [UInt8]?)
    /// Answers a waiting caller with what takes freedom and gives none: said whether or not the disk took what came with it.
    case restrict(HookToken, [UInt8])
    /// Those that are gone come back as `agentGone`.
    case checkAgents([AgentProcess])
    /// To be known after a restart; nil forgets it. The key is an approval's name, or begins with the adapter's.
    case remember(String, [UInt8]?)
    case own(Order)
}
