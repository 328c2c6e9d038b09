package import RelayProtocol

/// The proxy's orders.
package enum ACPOrder: Sendable {
    case toAgent([UInt8])
    case toEditor([UInt8])
    case tell(SessionID, Event)
    /// The end of a running call's output, live only.
    case show(SessionID, call: String, text: String)
    case ask(ACPQuestion)
    /// No client answers this request, so only the editor does.
    case leftToEditor([UInt8])
    /// The question was answered or withdrawn, so clients need not decide any more.
    case withdraw(ApprovalID)
    case settled(SessionID, ApprovalID, ACPOutcome)
    /// Commands that the session takes from now on; nil if it takes none any more.
    case stands(SessionID, ACPStand?)
    /// The progress of a client's command.
    case steered(SessionID, SteeringChange)
    /// Ends the agent as if its editor had left, because a client ended its session.
    case leave
    /// The agent gets a client's prompt, and later has finished it; sent to the part that replaces an editor.
    case turnFromAfarBegan(text: String)
    case turnFromAfarEnded
}

/// The outcome of a permission or a form, by the agent's own evidence.
package enum ACPOutcome: String, Sendable, Equatable {
    case ran, refused, answeredElsewhere, cancelled, unknown
}

/// A permission or a form that the agent asks for.
package struct ACPQuestion: Sendable, Equatable {
    package struct Option: Sendable, Equatable {
        package var id: String
        package var name: String
        package var kind: String
        /// The rule that the agent would remember, an entry a line; nil if it does not say.
        package var rule: String?

        /// True if it applies beyond this request, whatever its kind: `risk_based` of OpenHands is an `allow_once`.
        var isLasting: Bool { kind.hasSuffix("_always") || PermissionChoice.lasting.contains(id) }
    }

    package var session: SessionID
    package var approval: ApprovalID
    /// The agent's own id of the request, in its own bytes.
    package var request: [UInt8]
    package var tool: String
    package var title: String
    /// The whole input, as JSON.
    package var input: [UInt8]
    /// All options that the agent offers, in its order and with its names; empty for a form.
    package var options: [Option]
    package var isForm: Bool

    package init(
        session: SessionID, approval: ApprovalID, request: [UInt8], tool: String, title: String, input: [UInt8],
        options: [Option], isForm: Bool = false
    ) {
        self.session = session
        self.approval = approval
        self.request = request
        self.tool = tool
        self.title = title
        self.input = input
        self.options = options
        self.isForm = isForm
    }

    /// The request's body for the daemon.
    package func json(waitSeconds: Int64) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("session", session)
            writer.field("approval", approval)
            writer.field("waitSeconds", waitSeconds)
            writer.field("kind", isForm ? "question" : "tool")
            writer.field("tool", tool)
            guard !isForm else { return writer.raw("form", input) }
            writer.field("title", title)
            writer.raw("input", input)
            writer.array(
                "options",
                options.map { option in
                    JSONWriter.object {
                        $0.field("id", option.id)
                        $0.field("name", option.name)
                        // For a plain yes the daemon takes the first option that allows once, so a lasting one must be chosen by
                        // name.
                        $0.field("kind", option.isLasting && option.kind == "allow_once" ? "allow_always" : option.kind)
                        $0.field("rule", option.rule)
                    }
                })
        }
    }
}
