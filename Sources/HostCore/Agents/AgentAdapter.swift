package import RelayProtocol

/// Translates one agent's messages into events, and decisions into that agent's own form. Pure: facts in, orders out.
///
/// An adapter owns the `ApprovalDesk` of its agent, because a desk answers in that agent's words. One host runs several adapters; a
/// session belongs to the one whose name its own begins with, even if the adapter does not know it (any more).
package protocol AgentAdapter {
    /// Input of this agent's readers: a hook was called, a line came over a socket, a file was read.
    associatedtype Fact: Sendable
    /// Orders that only this agent's readers can carry out.
    associatedtype Order: Sendable, Equatable

    /// `claude`: the names of its sessions, and the keys of its notes, begin with this and a hyphen.
    var name: String { get }

    mutating func handle(_ input: AgentInput<Fact>, at now: HostInstant) -> [AgentEffect<Order>]

    /// When `timerFired` is due, by the clock that never jumps.
    var nextDeadline: Int64? { get }

    /// True if the session is known and has not ended.
    func isLive(_ session: SessionID) -> Bool

    /// True if the session's agent may work in another folder now than at its start.
    func isElsewhere(_ session: SessionID) -> Bool

    /// The folder in which the session's agent is now; nil if that is not known.
    func presentFolder(_ session: SessionID) -> String?

    /// The call as a person has edited it.
    ///
    /// - Throws: if it cannot be edited so, or has warnings that the request did not show.
    func edited(_ approval: ApprovalID, by edit: String) throws(EditError) -> UnaskedCall

    /// The sessions that have not ended, in an order that is the same each time.
    var liveSessions: [AgentSession] { get }

    /// True if the agent has begun this call and not ended it, as far as it is known.
    func hasBegun(call: String) -> Bool

    /// The questions on the adapter's approval desk, in the order in which they were asked.
    var questions: [AgentQuestion] { get }
}

extension AgentAdapter {
    package func isElsewhere(_ session: SessionID) -> Bool { false }
    package func presentFolder(_ session: SessionID) -> String? { nil }
    package func hasBegun(call: String) -> Bool { false }
    package func edited(_ approval: ApprovalID, by edit: String) throws(EditError) -> UnaskedCall { throw .notOffered }

    func has(_ session: SessionID) -> Bool { has(session.rawValue) }

    /// True if the name of this session or note begins with the adapter's name and a hyphen.
    func has(_ name: String) -> Bool {
        name.utf8.dropFirst(self.name.utf8.count).first == UInt8(ascii: "-") && name.hasPrefix(self.name)
    }

    /// Handles an input whose facts have lost their type, for the host, which knows no agent's own types.
    mutating func handle(erased input: AgentInput<any Sendable>, at now: HostInstant) -> [AgentEffect<any Sendable>] {
        handle(input.typed(as: Fact.self), at: now).map(\.erased)
    }
}
