internal import HostCore
package import RelayProtocol

/// The proxy's input.
package enum ACPFact: Sendable {
    case fromEditor([UInt8])
    /// The editor writes no more.
    case editorClosed
    case fromAgent([UInt8])
    /// The agent writes no more.
    case agentClosed
    case decided(ApprovalID, ACPVerdict)
    /// No client will decide this, or the daemon is gone: only the editor's own prompt is open.
    case undecided(ApprovalID)
    /// The daemon says which of these sessions are held because a budget is spent.
    case held(Set<SessionID>, of: Set<SessionID>)
    /// `nextDeadline` has passed.
    case waited
    /// A client wants this of that session.
    case steered(SessionID, SteeringRequest)
    /// The process has ended.
    case agentGone(reason: String?, failed: Bool)
}

/// A client's decision.
package struct ACPVerdict: Sendable, Equatable {
    package var allows: Bool
    /// The option that was tapped, by its identifier or by its name; nil for the plain buttons.
    package var option: String?
    /// Content of a filled-in form, as JSON.
    package var content: [UInt8]?

    package init(allows: Bool, option: String? = nil, content: [UInt8]? = nil) {
        self.allows = allows
        self.option = option
        self.content = content
    }

    /// The daemon's answer to a question; nil if it is no decision.
    package init?(answer: [UInt8]) {
        guard let root = try? JSONDocument(parsing: answer).root else { return nil }
        switch root.text("decision") {
        case "allow": allows = true
        case "deny": allows = false
        case "answer":
            guard let filledIn = root.optional("content"), filledIn.isObject else { return nil }
            allows = true
            content = Array(filledIn.bytes)
        default: return nil
        }
        option = root.text("option")
        // One that is there and not a text would be a choice that we do not understand.
        if option == nil, root.optional("option") != nil { return nil }
    }
}
