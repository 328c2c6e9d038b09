internal import HostCore
package import RelayProtocol

/// The proxy's input.
package enum ACPFact: Sendable {
    case fromEditor([UInt8])
    /// The editor has closed its output.
    case editorClosed
    case fromAgent([UInt8])
    /// The agent has closed its output.
    case agentClosed
    case decided(ApprovalID, ACPVerdict)
    /// No client will decide this question, or the daemon is gone: only the editor's own prompt is open.
    case undecided(ApprovalID)
    /// The daemon reports which of these sessions are held because a budget is spent.
    case held(Set<SessionID>, of: Set<SessionID>)
    /// `nextDeadline` has passed.
    case waited
    /// A command of a client for that session.
    case steered(SessionID, SteeringRequest)
    /// The agent's process has ended.
    case agentGone(reason: String?, failed: Bool)
}

/// A client's decision.
package struct ACPVerdict: Sendable, Equatable {
    package var allows: Bool
    /// The chosen option, by its id or its name; nil for plain yes and no.
    package var option: String?
    /// Content of a filled-in form, as JSON.
    package var content: [UInt8]?

    package init(allows: Bool, option: String? = nil, content: [UInt8]? = nil) {
        self.allows = allows
        self.option = option
        self.content = content
    }

    /// Reads the daemon's answer to a question; nil if that is not a decision.
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
        // An option that is present but not a text is a choice that we do not understand.
        if option == nil, root.optional("option") != nil { return nil }
    }
}
