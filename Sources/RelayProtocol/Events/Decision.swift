/// The decision on an approval, and who made it.
package struct Decision: Sendable, Equatable {
    package enum Verdict: Sendable, Equatable {
        case allow
        /// Allows, and switches the agent to a mode that the approval offers.
        case allowIn(mode: String)
        /// Allows by choosing the agent's own option with this id; the relay accepts none with a mode.
        case allowWith(offer: String, mode: String? = nil)
        /// Allows the call with other words in it: a JSON object with the members of the input that change, each a text.
        case allowEdited(String)
        /// The message reaches the agent's model.
        case deny(message: String?)
        /// Denies by choosing one of the approval's offers.
        case denyWith(offer: String, message: String?)
        case answer([Answer])
    }

    package var verdict: Verdict
    package var client: ClientID
    package var clientName: String
    /// Milliseconds since 1970, by the relay's clock.
    package var at: Int64
    package var command: CommandID
    /// The device's signature over the decision, which the relay carries and does not read.
    package var signature: String?

    package init(
        _ verdict: Verdict, client: ClientID, clientName: String, at: Int64, command: CommandID, signature: String? = nil
    ) {
        self.verdict = verdict
        self.client = client
        self.clientName = clientName
        self.at = at
        self.command = command
        self.signature = signature
    }

    package init(from value: JSONValue) throws(WireError) {
        switch try value.object().word("decision", VerdictWord.self) {
        case .allow: verdict = try .allowing(value)
        case .edit: verdict = try .editing(value)
        case .deny: verdict = try .denying(value)
        case .answer: verdict = .answer(try Answer.list(from: value))
        }
        let by = try value.required("by").object()
        client = try by.identifier("client")
        clientName = try by.string("name", bytesMax: WireLimits.nameBytesMax)
        at = try value.integer("at")
        command = try value.identifier("command")
        signature = try value.optionalString("signature", bytesMax: WireLimits.signatureBytesMax)
    }

    package func write(to writer: inout JSONWriter) {
        if case .answer = verdict { writer.field("decision", "answer") }
        verdict.write(to: &writer)
        writer.object("by") {
            $0.field("client", client)
            $0.field("name", clientName)
        }
        writer.field("at", at)
        writer.field("command", command)
        writer.field("signature", signature)
    }
}

extension Decision.Verdict {
    static func allowing(_ value: JSONValue) throws(WireError) -> Decision.Verdict {
        try checkNoEdit(value)
        let mode = try value.optionalString("mode", bytesMax: WireLimits.nameBytesMax)
        if let offer = try chosenOffer(in: value) { return .allowWith(offer: offer, mode: mode) }
        return mode.map { .allowIn(mode: $0) } ?? .allow
    }

    /// An allow with an edit was meant for another call than the one that was asked about.
    private static func checkNoEdit(_ value: JSONValue) throws(WireError) {
        guard value.optional("edit") == nil else {
            throw WireError(.badValue, at: value.path + ".edit", "an edit goes with the decision `edit`")
        }
    }

    static func editing(_ value: JSONValue) throws(WireError) -> Decision.Verdict {
        .allowEdited(try value.string("edit", bytesMax: WireLimits.textBytesMax))
    }

    static func denying(_ value: JSONValue) throws(WireError) -> Decision.Verdict {
        let message = try value.optionalString("message", bytesMax: WireLimits.textBytesMax)
        return try chosenOffer(in: value).map { .denyWith(offer: $0, message: message) } ?? .deny(message: message)
    }

    private static func chosenOffer(in value: JSONValue) throws(WireError) -> String? {
        try value.optionalString("offer", bytesMax: WireLimits.nameBytesMax)
    }

    /// Writes the fields of the verdict; answers are written without a `decision` field.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .allow: writer.field("decision", "allow")
        case .allowIn(let mode):
            writer.field("decision", "allow")
            writer.field("mode", mode)
        case .allowWith(let offer, let mode):
            writer.field("decision", "allow")
            writer.field("mode", mode)
            writer.field("offer", offer)
        case .allowEdited(let edit):
            writer.field("decision", "edit")
            writer.field("edit", edit)
        case .deny(let message):
            writer.field("decision", "deny")
            writer.field("message", message)
        case .denyWith(let offer, let message):
            writer.field("decision", "deny")
            writer.field("message", message)
            writer.field("offer", offer)
        case .answer(let answers): Answer.write(answers, to: &writer)
        }
    }

    /// The id of the agent's own option that the verdict chooses.
    package var offer: String? {
        switch self {
        case .allowWith(let offer, _), .denyWith(let offer, _): offer
        case .allow, .allowIn, .allowEdited, .deny, .answer: nil
        }
    }

    /// The decision's effect, whatever else it says.
    package var deed: Deed {
        switch self {
        case .allow, .allowIn, .allowWith, .allowEdited: .allow
        case .deny, .denyWith: .deny
        case .answer: .answer
        }
    }

    package enum Deed: String, Sendable {
        case allow, deny, answer
    }

    /// Decodes the verdict that a notification sends: `{"decision":"allow"|"deny","message"?}` or `{"answers":[…]}`. It has no
    /// offers.
    package init(from value: JSONValue) throws(WireError) {
        if try value.object().optional("answers") != nil {
            self = .answer(try Answer.list(from: value))
            return
        }
        switch try value.word("decision", SimpleVerdict.self) {
        case .allow:
            try Self.checkNoEdit(value)
            self = .allow
        case .deny: self = .deny(message: try value.optionalString("message", bytesMax: WireLimits.textBytesMax))
        }
    }
}

/// An edit has its own word: a reader that does not know it must not take it for an allow of what was asked.
enum VerdictWord: String, CaseIterable {
    case allow, edit, deny, answer
}

/// The words of `decide`.
enum DecideWord: String, CaseIterable {
    case allow, edit, deny
}

enum SimpleVerdict: String, CaseIterable {
    case allow, deny
}
