package import RelayProtocol

/// Commands between the thread that receives them for a program and the loop that gives them to the agent. What the loop has not taken when
/// the agent is gone was never given to it, so it is refused.
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
    /// Why nothing is taken any more.
    private var reason: String?

    package init() {}

    /// Returns the refusal if the loop takes nothing any more; nil: hand it to the loop.
    package mutating func received(_ name: SteeringName, of session: SessionID) -> SteeringChange? {
        if let reason { return SteeringChange(name, .refused, reason: reason) }
        waiting.append((name, session))
        return nil
    }

    /// False if it was refused meanwhile, or is not one of these: then it must not be given to the agent.
    package mutating func taken(_ name: SteeringName) -> Bool {
        guard let place = waiting.firstIndex(where: { $0.name == name }) else { return false }
        waiting.remove(at: place)
        return true
    }

    /// Takes nothing more. Returns the refusals of what waits, once.
    package mutating func close(_ reason: String) -> [Refusal] {
        self.reason = self.reason ?? reason
        defer { waiting = [] }
        return waiting.map { Refusal(session: $0.session, change: SteeringChange($0.name, .refused, reason: reason)) }
    }

    /// One session is closed: returns the refusals of what waits for it.
    package mutating func close(_ session: SessionID, _ reason: String) -> [Refusal] {
        var closing = CommandHandover()
        closing.waiting = waiting.filter { $0.session == session }
        waiting.removeAll { $0.session == session }
        return closing.close(reason)
    }
}
