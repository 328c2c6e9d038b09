package import RelayProtocol

/// Commands on their way from the thread that receives them for a program to the loop that gives them to the agent. A command that
/// the loop has not taken when the agent is gone was never given to it, so it is refused.
///
/// ```
/// received ─▶ taken by the loop (which reports the outcome)
///    └─closed─▶ refused
/// ```
package struct CommandHandover: Sendable {
    package struct Refusal: Sendable, Equatable {
        package let session: SessionID
        package let change: SteeringChange
    }

    private var waiting: [(name: SteeringName, session: SessionID)] = []
    /// The reason of the refusals once this is closed.
    private var reason: String?

    package init() {}

    /// Returns the refusal if the loop takes no more commands; nil means that the command goes to the loop.
    package mutating func received(_ name: SteeringName, of session: SessionID) -> SteeringChange? {
        if let reason { return SteeringChange(name, .refused, reason: reason) }
        waiting.append((name, session))
        return nil
    }

    /// Returns false if the command was refused meanwhile, or is unknown: then it must not be given to the agent.
    package mutating func taken(_ name: SteeringName) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.name == name }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// Closes the handover. Returns the refusals of the waiting commands, once.
    package mutating func close(_ reason: String) -> [Refusal] {
        self.reason = self.reason ?? reason
        defer { waiting = [] }
        return waiting.map { Refusal(session: $0.session, change: SteeringChange($0.name, .refused, reason: reason)) }
    }

    /// Closes one session. Returns the refusals of its waiting commands.
    package mutating func close(_ session: SessionID, _ reason: String) -> [Refusal] {
        var closing = CommandHandover()
        closing.waiting = waiting.filter { $0.session == session }
        waiting.removeAll { $0.session == session }
        return closing.close(reason)
    }
}
