package import RelayProtocol

/// The proxy's orders.
package enum ACPOrder: Sendable {
    case toAgent([UInt8])
    case toEditor([UInt8])
    case tell(SessionID, Event)
    /// The end of what a running call has printed; live only.
    case show(SessionID, call: String, text: String)
    case ask(ACPQuestion)
    /// No client answers this request: it is the editor's alone.
    case leftToEditor([UInt8])
    /// The question is answered or gone: it needs no decision any more.
    case withdraw(ApprovalID)
    case settled(SessionID, ApprovalID, ACPOutcome)
    /// Commands that the session takes from now on; nil if it takes none any more.
    case stands(SessionID, ACPStand?)
    /// A step of a command.
    case steered(SessionID, SteeringChange)
    /// The agent is to end, as when its editor leaves; a client ended its session.
    case leave
    /// The agent is given a client's prompt, and later has done with it: for the part that replaces an editor.
    case turnFromAfarBegan(text: String)
    case turnFromAfarEnded
}

/// The end of a permission or a form, on the agent's own evidence.
package enum ACPOutcome: String, Sendable, Equatable {
    case ran, refused, answeredElsewhere, cancelled, unknown
}

/// A permission that the agent asks for, or a form that it wants to be filled in.
package struct ACPQuestion: Sendable, Equatable {
    package struct Option: Sendable, Equatable {
        package var id: String
        package var name: String
        package var kind: String
        /// The rule that the agent would remember, an entry a line; nil if it does not say.
        package var rule: String?

        /// True if it holds beyond this request, whatever its kind: `risk_based` of OpenHands is an `allow_once`.
        var isLasting: Bool { kind.hasSuffix("_always") || PermissionChoice.lasting.contains(id) }
    }

    package var session: SessionID
    package var approval: ApprovalID
    /// The agent's own identifier of it, as it is written.
    package var request: [UInt8]
    package var tool: String
    package var title: String
    /// All of it, as JSON.
    package var input: [UInt8]
    /// All that the agent offers, in its order and with its names; nothing of a form.
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
                        // The daemon takes the first that allows once for a plain yes: what lasts is chosen by its name alone.
                        $0.field("kind", option.isLasting && option.kind == "allow_once" ? "allow_always" : option.kind)
                        $0.field("rule", option.rule)
                    }
                })
        }
    }
}
